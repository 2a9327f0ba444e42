"""Config and rules → policy document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from pointsman.config.action_schema import REPLIES
from pointsman.config.load import Loaded
from pointsman.config.references import no_target, target_names
from pointsman.config.schema import Config, Route
from pointsman.config.timezone import zone_name
from pointsman.domain.action import ActionSpec
from pointsman.domain.channel import ChannelRule
from pointsman.domain.errors import Problem, Problems, did_you_mean
from pointsman.domain.frame import Frame
from pointsman.domain.policy import ActionRule, ClassifierRule, EntryRule, PeriodReading, PolicyDocument, RouteRule
from pointsman.domain.quality import Quality
from pointsman.domain.report import ReportSpec
from pointsman.domain.rule import Rule
from pointsman.domain.said import said
from pointsman.domain.target import Target
from pointsman.domain.task_types import TASK_TYPES
from pointsman.framing import compile_frames, with_shipped
from pointsman.pipeline.intent_rules import arbiter_rules
from pointsman.pipeline.policy import EXPORT, REPORT_ACTIONS
from pointsman.pipeline.rulebook import Rulebook
from pointsman.pipeline.weighing import notes_on_scores, weights_by_name
from pointsman.rules.actions import parse_action

_DEFAULTS = ("medium", "light", "heavy")
_KINDS = ("answer", "refuse", "route", "mark")
Names = dict[str, tuple[str, ...]]
"""What a client may call (tier, alias, model) → the names of its targets, in the order of trying."""


class Placed(msgspec.Struct, frozen=True):
    """A document, and what its author should know though it is no error."""

    document: PolicyDocument
    notes: tuple[str, ...]


def actions_of(config: Config, specs: Mapping[str, ActionSpec]) -> tuple[dict[str, ActionRule], list[Problem]]:
    """The sound actions by name, and all that is wrong with the others. `specs` are of those that do something."""
    actions: dict[str, ActionRule] = {}
    problems: list[Problem] = []
    for name, given in config.actions.items():
        try:
            if name in specs:
                actions[name] = ActionRule("act", spec=specs[name])
            elif not given.kinds or given.kinds[0] in REPLIES:
                actions[name] = parse_action(name, {kind: getattr(given, kind) for kind in given.kinds})
        except Problems as error:
            problems += error.problems
    return actions, problems


def frames_of(config: Config) -> tuple[Frame, ...]:
    """The frames of the config, before those that ship."""
    own = [Frame(frame.name, frame.template, frame.regex) for frame in config.questions.frames]
    return with_shipped(own) if config.questions.shipped else tuple(own)


def wrong_frames(config: Config) -> list[Problem]:
    """All that is wrong with frames of the config."""
    try:
        compile_frames(frames_of(config), "questions.frames")
    except Problems as error:
        return error.problems
    return []


def channels_of(config: Config) -> tuple[ChannelRule, ...]:
    """The channels of delivery, without where they lead."""
    return tuple(
        ChannelRule(name, tuple(channel.words), tuple(channel.roles)) for name, channel in config.delivery.items()
    )


def names_of(config: Config, targets: dict[str, tuple[Target, ...]]) -> Names:
    """`targets` are those of each key in `models:`. A real model name reaches all its backends, in whatever tier they
    stand."""
    names = {name: tuple(t.name for t in targets[tier]) for name, tier in target_names(config).items()}
    tier_names = {*config.models, *(alias for model in config.models.values() for alias in model.aliases)}
    for target in (target for several in targets.values() for target in several):
        if target.model not in tier_names:
            same = [t.name for several in targets.values() for t in several if t.model == target.model]
            names[target.model] = tuple(dict.fromkeys(same))
    return names


def check_steering(book: Rulebook, actions: dict[str, ActionRule], names: Names, loaded: Loaded) -> list[Problem]:
    """Targets and task types that a `route` of a rule or an action names must exist. Without any model there is nothing
    to check targets by."""
    problems = list(wrong_steering(book, names))
    for name, action in actions.items():
        if action.kind == "route":
            path = f"actions.{name}.route"
            for key, problem in _steering(path, action.parameters, names, loaded.draft.actions[name].route):
                problems.append(loaded.places.place(problem, f"{path}.{key}"))
    return problems


def wrong_steering(book: Rulebook, names: Names) -> Iterator[Problem]:
    """The same of rules alone."""
    for rule in book.rules:
        if rule.action == "route":
            site = book.sites[rule.id]
            for key, problem in _steering(f"rules.{rule.id}.route", rule.parameters, names, site.data["route"]):
                where = site.where(f"route.{key}")
                yield Problem(problem.path, problem.message, valid=problem.valid, where=where)


def _steering(
    path: str, parameters: dict[str, Any], names: Names, written: dict[str, Any]
) -> list[tuple[str, Problem]]:
    """What is wrong, each with the key that its author wrote: a target may be called `tier`."""
    found = []
    target, task = parameters.get("target"), parameters.get("task")
    if target and names and target not in names and not parameters.get("optional"):
        key = "tier" if "tier" in written else "target"
        found.append((key, Problem(f"{path}.target", no_target(target, names), valid=", ".join(names))))
    if task and task not in TASK_TYPES:
        hint = did_you_mean(task, list(TASK_TYPES))
        message = said("no task type {task!r}{hint}", "没有任务类型 {task!r}{hint}", task=task, hint=hint)
        found.append(("task", Problem(f"{path}.task", message, valid=", ".join(TASK_TYPES))))
    return found


def build_document(
    loaded: Loaded,
    book: Rulebook,
    actions: dict[str, ActionRule],
    targets: dict[str, tuple[Target, ...]],
    reports: tuple[ReportSpec, ...],
    version: str,
    quality: tuple[Quality, ...] = (),
    classifier: ClassifierRule | None = None,
) -> Placed:
    """The document of parts that were found sound. `reports` is the catalog, with the values that its sources gave;
    `targets` are those of each key in `models:`, in the order of trying; `quality` what models were measured to reach;
    `classifier` tells task types."""
    config = loaded.config
    rules = [plain_text_only(rule, actions) for rule in book.rules]
    fallback = config.fallback.target or next(
        (tier for tier in (*_DEFAULTS, *config.models) if tier in config.models), None
    )
    arbiter = arbiter_rules(config)
    unique = {target.name: target for several in targets.values() for target in several}
    document = PolicyDocument(
        version=version,
        targets=tuple(unique.values()),
        names=names_of(config, targets),
        entries=tuple(
            EntryRule(
                name,
                tuple(entry.packs) if entry.packs is not None else None,
                entry.keep_local,
                entry.hint,
                entry.arbiter if arbiter is not None else "off",
                entry.policy,
            )
            for name, entry in config.entries.items()
        ),
        guard_packs=tuple(sorted({file.pack for file in loaded.rules if file.guard})),
        rules=tuple(rules),
        routes=tuple(_route(route) for route in config.routes),
        fallback=fallback,
        max_retries=config.fallback.max_retries,
        frames=frames_of(config),
        actions=actions,
        reports=reports,
        periods=PeriodReading(config.time.prefer, config.time.fiscal_year_start),
        timezone=zone_name(config.server.timezone),
        language=config.server.language,
        channels=channels_of(config),
        arbiter=arbiter,
        weights=weights_by_name(config),
        quality=quality,
        classifier=classifier,
        explore=config.quality.explore,
    )
    scores = notes_on_scores(config, unique.values(), quality)
    return Placed(document, (*_fallback_note(config, fallback), *scores, *_unbound(rules, actions, reports)))


def plain_text_only(rule: Rule, actions: dict[str, ActionRule]) -> Rule:
    """A canned text, or what an action tells, never answers a request for JSON or several choices, unless its rule says
    `structured: true`."""
    kind = actions[rule.action].kind if rule.action in actions else rule.action
    if kind not in ("answer", "act") or rule.conditions.structured is not None:
        return rule
    conditions = msgspec.structs.replace(rule.conditions, structured=False)
    return msgspec.structs.replace(rule, conditions=conditions)


def _unbound(rules: list[Rule], actions: dict[str, ActionRule], reports: tuple[ReportSpec, ...]) -> list[str]:
    known = {*actions, *TASK_TYPES, *(REPORT_ACTIONS if reports else ())}
    idle: list[str] = [
        said(
            "rule {rule} takes nothing until reports are configured; such requests go to a model",
            "在配置报表（reports）之前，规则 {rule} 不会接住任何请求；这类请求交给模型",
            rule=rule.id,
        )
        for rule in rules
        if rule.action == EXPORT and not reports
    ]
    unbound: list[str] = [
        said(
            "rule {rule}: nothing provides its action {action!r}{hint}; matching requests are told so. Define "
            "actions.{action} (an answer, refuse or route), or use one of: {known}",
            "规则 {rule}：没有定义它的动作 {action!r}{hint}（命中的请求会得到这样的答复）。"
            "请定义 actions.{action}（answer、refuse 或 route），或者改用其中之一：{known}",
            rule=rule.id,
            action=rule.action,
            hint=did_you_mean(rule.action, sorted({*_KINDS, *known})),
            known=", ".join(sorted(known)),
        )
        for rule in rules
        if rule.action not in known and rule.action not in (*_KINDS, EXPORT)
    ]
    return idle + unbound


def _fallback_note(config: Config, fallback: str | None) -> list[str]:
    scored = all(entry.policy for entry in config.entries.values())
    if config.fallback.target or not fallback or len(config.models) == 1 or scored:
        return []
    return [
        said(
            "fallback.target is not set; requests that no route takes go to {target}",
            "没有设置 fallback.target；没有路由接住的请求会送到 {target}",
            target=fallback,
        )
    ]


def _route(route: Route) -> RouteRule:
    match = route.match
    return RouteRule(
        name=route.name,
        target=route.target,
        priority=route.priority,
        min_tokens=match.min_tokens,
        max_tokens=match.max_tokens,
        task_types=_several(match.task_type),
        languages=_several(match.language),
        entries=_several(match.entry),
        min_turns=match.turns,
        code=match.code,
        tools=match.tools,
        images=match.images,
        brief=match.brief,
        sources=_several(match.source),
        keys=_several(match.key),
        groups=_several(match.group),
        keywords=_several(match.keywords),
        min_difficulty=match.min_difficulty,
        max_difficulty=match.max_difficulty,
    )


def _several(value: str | list[str] | None) -> tuple[str, ...] | None:
    if value is None:
        return None
    return (value,) if isinstance(value, str) else tuple(value)
