"""Actions of a config: what each takes, and the actions themselves."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from pointsman.actions.bound import Bound
from pointsman.actions.gpu_turns import GpuTurns
from pointsman.actions.kinds import made_of, spec_of
from pointsman.actions.mcp.reach import wrong_servers
from pointsman.actions.once import Once
from pointsman.actions.parameters import schema_problem
from pointsman.actions.specs import NotNow, Surroundings
from pointsman.actions.steps.spec import chain_of
from pointsman.actions.tools import Tools
from pointsman.config.action_schema import ACTS, REPLIES, ActionConfig
from pointsman.config.schema import Config
from pointsman.domain.action import ActionSpec
from pointsman.domain.errors import Problem, Problems
from pointsman.domain.policy import ActionRule
from pointsman.domain.said import Said, said
from pointsman.outbound.calls import HttpOutbound
from pointsman.ports.action import Action

OWN = ("report",)
"""Actions that there are without a line under `actions:`."""


class Specs(msgspec.Struct, frozen=True):
    """What the sound ones take, by name; what is wrong with others; what could not be asked now."""

    specs: dict[str, ActionSpec]
    problems: tuple[Problem, ...]
    notes: tuple[str, ...]


def surroundings_of(
    config: Config,
    base: Path,
    found: Mapping[str, ActionSpec],
    may_ask: frozenset[str] | None = None,
    kept: Path | None = None,
) -> Surroundings:
    """`found` is what was known before; `may_ask` and `kept` as in Surroundings."""
    return Surroundings(config, base, found, HttpOutbound, may_ask=may_ask, kept=kept)


def action_specs(
    config: Config,
    base: Path,
    found: Mapping[str, ActionSpec],
    asked: dict[str, Any] | None = None,
    may_ask: frozenset[str] | None = None,
) -> Specs:
    """`found` is what was known before; `asked` and `may_ask` as in Surroundings."""
    surroundings = surroundings_of(config, base, found, may_ask)
    surroundings = msgspec.structs.replace(surroundings, asked={} if asked is None else asked)
    specs: dict[str, ActionSpec] = {}
    problems: list[Problem] = [*wrong_servers(config)]
    notes: list[str] = []
    for name, given in config.actions.items():
        problems += _wrong_kind(name, given)
        if len(given.kinds) != 1 or given.kinds[0] in (*REPLIES, "steps"):
            continue
        try:
            specs[name] = spec_of(given.kinds[0])(name, given, surroundings)
        except Problems as error:
            problems += error.problems
        except NotNow as later:
            specs[name] = later.spec
            notes.append(said("actions.{name}: {why}", "actions.{name}：{why}", name=name, why=later.message))
    chains = {name: given for name, given in config.actions.items() if given.kinds == ["steps"]}
    for name, given in chains.items():
        try:
            specs[name] = chain_of(name, given, {known: spec for known, spec in specs.items() if known not in chains})
        except Problems as error:
            problems += error.problems
    for name, spec in specs.items():
        problems += _wrong_spec(name, spec)
    return Specs(specs, tuple(problems), tuple(notes))


def actions_made(
    config: Config, rules: Mapping[str, ActionRule], tools: Tools, once: Once, gpu: GpuTurns | None = None
) -> dict[str, Action]:
    """Those that do something, each within its limits."""
    specs = {name: rule.spec for name, rule in rules.items() if rule.spec is not None}
    made = {name: made_of(spec.kind)(spec, config.actions[name], tools) for name, spec in specs.items()}
    return {name: Bound(action, once, gpu) for name, action in made.items()}


def _wrong_kind(name: str, given: ActionConfig) -> list[Problem]:
    path = f"actions.{name}"
    if name in OWN:
        taken = said('the name "{name}" is taken', "名称“{name}”已被占用", name=name)
        return [Problem(path, taken)]
    kinds = given.kinds
    if len(kinds) > 1:
        both = Said(" and ".join(kinds), "、".join(kinds))
        en, zh = "says {both}, but does one thing", "写了 {both}，但一个动作只做一件事"
        return [Problem(path, said(en, zh, both=both), valid=", ".join((*REPLIES, *ACTS)))]
    if not kinds:
        nothing = Said("says nothing of what to do", "没有写明要做什么")
        return [Problem(path, nothing, valid=", ".join((*REPLIES, *ACTS)))]
    return []


def _wrong_spec(name: str, spec: ActionSpec) -> list[Problem]:
    problems = []
    wrong = schema_problem(spec.parameters)
    if wrong is not None:
        en, zh = "is no JSON Schema: {why}", "不是有效的 JSON Schema：{why}"
        problems.append(Problem(f"actions.{name}.parameters", said(en, zh, why=wrong)))
    for key in spec.redact:
        if key not in spec.properties:
            en, zh = "{key!r} is no parameter of it", "它没有参数 {key!r}"
            valid = ", ".join(spec.properties)
            problems.append(Problem(f"actions.{name}.redact", said(en, zh, key=key), valid=valid))
    return problems
