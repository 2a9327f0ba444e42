"""Rules that these tests share: every kind of outcome once, in both languages."""

from __future__ import annotations

from typing import Any

from pointsman import Rules

OFFICE = """
- id: vpn
  when: {all: [{any: [vpn], as: what}, {any: [broken, 坏了], as: how}], none: [router, 路由器]}
  negation: ignore
  answer: {zh: "{what} {how}：请重启。", en: "Restart the {what} ({how}); you wrote: {question}"}
  examples: [my vpn is broken, VPN坏了]
  counter_examples: [my router and vpn are broken]
  boundary: [{text: vpn, takes: false}]
- id: salary
  priority: 70
  when: {any: [salary, 工资]}
  refuse: {why: {zh: 工资保密。, en: Salaries are private.}, instead: {zh: 请问人事。, en: Ask HR.}}
  examples: [her salary, 他的工资]
  counter_examples: [celery]
  boundary: [{text: salaryman, takes: false}]
- id: ticket
  when: {any: [ticket, 工单], all: [{any: [open, 建], as: verb}]}
  action: open_ticket
  parameters: {queue: it, tags: [a, b]}
  examples: [open a ticket, 建个工单]
  counter_examples: [a ticket]
  boundary: [{text: don't open a ticket, takes: false}]
- id: code
  priority: 20
  when: {any: [python]}
  route: {task: code_completion}
  examples: [python]
  counter_examples: [snakes]
  boundary: [{text: pythons, takes: false}]
- id: secret
  priority: 90
  when: {any: [password, 密码]}
  mark: {label: secret, risk: high}
  examples: [a password]
  counter_examples: [a word]
  boundary: [{text: passwords, takes: false}]
- id: staff
  when: {any: [menu, 菜单], role: [staff], language: [en, zh]}
  answer: {zh: 今天有面条。, en: Noodles today.}
  examples: [the menu]
  counter_examples: [the venue]
  boundary: [{text: menus, takes: false}]
- id: later
  mode: shadow
  when: {any: [canteen]}
  answer: Closed.
  examples: [the canteen]
  counter_examples: [the can]
  boundary: [{text: canteens, takes: false}]
"""
_LATIN = "vpn VPN broken router salary ticket open don't python password menu canteen hi ok my bonjour # 1 . ?"
WORDS = [
    *_LATIN.split(),
    *["坏了", "工资", "工单", "建", "不要", "密码", "菜单", "你好", "的", "，", "ありがとう"],
    "\n",
]


def office(**more: Any) -> Rules:
    return Rules.parse(OFFICE, **more)
