"""The intents of a config with those that ship, and examples that pull two ways."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from pointsman.arbiter.clashes import Clash, clashes
from pointsman.arbiter.shipped_intents import shipped_intents
from pointsman.arbiter.shipped_outside import shipped_outside
from pointsman.config.arbiter_schema import IntentConfig
from pointsman.config.intent_files import with_intents
from pointsman.config.schema import Config
from pointsman.domain.errors import Problem
from pointsman.domain.intent import Intent
from pointsman.domain.said import said
from pointsman.pipeline.intent_rules import intents_of, is_on, makes_reports
from pointsman.pipeline.policy import EXPORT

_KINDS = {
    "calculate": "maths",
    "review_sql": "sql",
    "read_document": "document",
    "convert_media": "media",
    "draw_image": "image",
    "ask_faq": "faq",
}
"""Intents that ship → the kind of action that each leads to, where the config has just one of that kind."""
_OUTSIDE = "outside"


def with_all_intents(config: Config, base: Path) -> tuple[Config, list[Problem]]:
    """The config with the intents of its files and, where they lead to something, those that ship; and what is wrong in the
    files."""
    config, problems = with_intents(config, base)
    if not is_on(config) or not config.arbiter.shipped:
        return config, problems
    intents = dict(config.arbiter.intents)
    led_to = {intent.action for intent in intents.values()}
    for name, intent in shipped_intents().items():
        action = _action_of(name, config)
        if action is not None and action not in led_to and name not in intents:
            intents[name] = IntentConfig(
                about=intent.about,
                examples=list(intent.examples),
                counter_examples=list(intent.counter_examples),
                action=action,
            )
    arbiter = replace(config.arbiter, intents=intents)
    return replace(config, arbiter=replace(arbiter, outside=_outside(replace(config, arbiter=arbiter)))), problems


def clashing(config: Config) -> tuple[list[Problem], list[str]]:
    """The same text under two intents is a problem, nearly the same one a note; each names the pair."""
    if not is_on(config):
        return [], []
    problems: list[Problem] = []
    notes: list[str] = []
    for clash in clashes(intents_of(config)):
        if clash.same:
            problems.append(Problem(f"arbiter.intents.{clash.other}.examples", _said(clash)))
        else:
            path = f"arbiter.intents.{clash.other}.examples"
            notes.append(said("{path}: {why}", "{path}：{why}", path=path, why=_said(clash)))
    return problems, notes


def _said(clash: Clash) -> str:
    if clash.intent == clash.other:
        en = "{text!r} is an example, and {other!r} a counter-example of the same intent"
        zh = "{text!r} 是例句，而 {other!r} 是同一意图的反例"
        return said(en, zh, text=clash.other_text, other=clash.text)
    en = "{text!r} pulls two ways: {intent} has {other!r}"
    zh = "{text!r} 与 {intent} 的 {other!r} 相互冲突"
    return said(en, zh, text=clash.other_text, intent=clash.intent, other=clash.text)


def _action_of(name: str, config: Config) -> str | None:
    if name == EXPORT:
        return EXPORT if makes_reports(config) else None
    fit = [action for action, given in config.actions.items() if given.kinds == [_KINDS.get(name)]]
    return fit[0] if len(fit) == 1 else None


def _outside(config: Config) -> list[str]:
    """The config's own texts, and of those that ship all that no intent has nearly the same example of."""
    outside = Intent(_OUTSIDE, examples=shipped_outside())
    taken = set(_taken(clashes((*intents_of(config), outside))))
    return [*config.arbiter.outside, *(text for text in shipped_outside() if text not in taken)]


def _taken(found: tuple[Clash, ...]) -> Iterator[str]:
    for clash in found:
        if clash.intent == _OUTSIDE:
            yield clash.text
        if clash.other == _OUTSIDE:
            yield clash.other_text
