"""Features, policies and fleets for tests of the inner floors, in one line each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import yaml

from pointsman.app.build import build
from pointsman.config.load import load
from pointsman.domain.features import Features
from pointsman.domain.request import Request, Turn
from pointsman.domain.target import BackendState, Health, ModelFacts, Snapshot
from pointsman.pipeline.policy import Policy

_PLAIN = Features(
    input_tokens=10,
    question_tokens=5,
    characters=20,
    language="en",
    turns=1,
    asked=False,
    code=False,
    tools=False,
    images=0,
    structured=False,
    brief=False,
    task_type=None,
    task_source="none",
)


def features(**changes: Any) -> Features:
    return msgspec.structs.replace(_PLAIN, **changes)


def ask(text: str, model: str = "auto", **changes: Any) -> Request:
    """A first turn of one user."""
    return Request("r1", "chat", model, (Turn("user", text),), **changes)


def policy_of(folder: Path, config: dict[str, Any], files: dict[str, str] | None = None) -> Policy:
    """What `serve` would decide by, from a config as a user writes it; `files` are written beside it."""
    for name, text in (files or {}).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    path = folder / "pointsman.yaml"
    path.write_text(yaml.safe_dump(config, allow_unicode=True, sort_keys=False), encoding="utf-8")
    return build(load(path, None, {})).policy


def backend(model: str, **settings: Any) -> dict[str, Any]:
    """A backend that nothing in a test calls; its target is MODEL@MODEL."""
    return {"engine": "vllm", "base_url": "http://127.0.0.1:1/v1", "model": model, "name": model, **settings}


def tiers(**models: list[dict[str, Any]]) -> dict[str, Any]:
    return {tier: {"backends": backends} for tier, backends in models.items()}


def up(target: str, context: int | None = None, health: Health = "up") -> BackendState:
    problem = None if health == "up" else f"{target} is {health}"
    return BackendState(target, health, ModelFacts(context_length=context), problem)


def fleet(**contexts: int | None) -> Snapshot:
    """MODEL=context: every target MODEL@MODEL up."""
    return Snapshot.of([up(f"{name}@{name}", context) for name, context in contexts.items()])


RULES = """
- id: vpn
  when: {all: [{any: [vpn], as: what}, {any: [broken, 坏了], as: how}]}
  negation: ignore
  answer: {zh: "{what} {how}：请重启。", en: "Restart the {what} ({how}); you wrote: {question}"}
  examples: [the vpn is broken, vpn 坏了]
  counter_examples: [how do I use a vpn]
  boundary: [{text: broken tv, takes: false}]
- id: no_salary
  when: {any: [salary, 工资]}
  negation: ignore
  refuse: {why: {zh: 工资是保密的。, en: Salaries are confidential.}, instead: {zh: 请问人事。, en: Ask HR.}}
  examples: [whose salary, 谁的工资]
  counter_examples: [what do I earn]
  boundary: [{text: salaries, takes: false}]
- id: sql
  when: {any: [sql]}
  route: {task: code_review}
  examples: [read my sql]
  counter_examples: [read my code]
  boundary: [{text: mysql, takes: false}]
- id: think
  when: {any: [prove, 证明]}
  priority: 60
  route: {tier: heavy, body: {temperature: 0, reasoning: {effort: high}}}
  examples: [prove it, 证明它]
  counter_examples: [show it]
  boundary: [{text: improve it, takes: false}]
- id: cold
  when: {any: [exactly]}
  route: {body: {temperature: 0}}
  examples: [exactly so]
  counter_examples: [about so]
  boundary: [{text: exact, takes: false}]
- id: export_pdf
  pattern: [导出, PDF, 报表]
  time_keywords: [昨天]
  action: export_pdf
- id: ticket
  when: {any: [ticket]}
  action: ticket
  parameters: {queue: desk}
  examples: [a ticket]
  counter_examples: [a card]
  boundary: [{text: tickets, takes: false}]
- id: for_admins
  when: {any: [shutdown], role: admin}
  answer: Use the console.
  examples: [shutdown]
  counter_examples: [start]
  boundary: [{text: shutdown, role: guest, takes: false}]
"""
GUARD = """
- id: bomb
  priority: 90
  when: {any: [bomb]}
  refuse: {why: No., instead: Ask for something else.}
  examples: [a bomb]
  counter_examples: [a cake]
  boundary: [{text: bombs, takes: false}]
"""
CONFIG: dict[str, Any] = {
    "models": tiers(
        light=[backend("small")],
        medium=[backend("middle")],
        heavy=[backend("big"), backend("spare")],
        cloud=[backend("far", base_url="https://api.example.com/v1")],
        vectors=[backend("embed", embedding=True)],
    ),
    "entries": {
        "auto": {"packs": ["rules", "guard"]},
        "bare": {"packs": []},
        "open": {"packs": ["rules"], "keep_local": False},
    },
    "rules": {"packs": ["./guard"], "files": ["rules.yaml"]},
    "routes": [
        {"name": "review", "match": {"task_type": ["code_review"]}, "target": "model-heavy", "priority": 1},
        {
            "name": "short",
            "match": {"max_tokens": 30, "task_type": ["greeting", "faq"]},
            "target": "light",
            "priority": 2,
        },
    ],
    "fallback": {"target": "medium", "max_retries": 3},
    "actions": {"ticket": {"answer": "Ticket for: {question}"}},
}
FILES = {"rules.yaml": RULES, "guard/pack.yaml": "name: guard\nguard: true\n", "guard/rules.yaml": GUARD}
