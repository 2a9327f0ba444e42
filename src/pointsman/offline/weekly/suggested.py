"""What could be changed, by what the week showed: each suggestion is another policy document, so that it can be replayed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from pointsman.domain.policy import PolicyDocument, Weights
from pointsman.domain.said import Said, said
from pointsman.domain.target import Snapshot, Target
from pointsman.offline.review.report import Review
from pointsman.offline.weekly.balance import Balance
from pointsman.offline.weekly.changed import (
    NAME,
    answered,
    first_of,
    in_shadow,
    raised,
    scored,
    with_latency,
    with_route,
    without_rule,
)
from pointsman.offline.weekly.misroutes import Misroute
from pointsman.offline.weekly.unsettled import Heap
from pointsman.routing.quality import figures_of, quality_of

_WEIGHTS = Weights(1.0, 0.5, 0.1)
_FASTER = 2.0
_GAPS = 3
_BETTER = 0.01
"""By which another model's quality must be higher."""


class Suggestion(msgspec.Struct, frozen=True):
    """`what` is to be done because of `why`. `config` is what to write, None where there is more than one way. `document` is
    the policy with it; `bound`: what its replay tells is the most that it does, and in which sense. `idle`: it is to
    change nothing but the config."""

    what: Said
    why: Said
    document: PolicyDocument
    config: str | None = None
    bound: Said | None = None
    idle: bool = False


def suggestions(
    document: PolicyDocument,
    snapshot: Snapshot,
    *,
    misroutes: Sequence[Misroute],
    balances: Sequence[Balance],
    rules: Review,
    heaps: Sequence[Heap],
) -> tuple[list[Suggestion], list[Said]]:
    """And what has no suggestion, with the reason. Those that mend something come before those that save something."""
    found: list[Suggestion] = []
    none: list[Said] = []
    for bad in misroutes:
        if bad.standing == "doubted":
            made = _routed(document, snapshot, bad)
            (found if isinstance(made, Suggestion) else none).append(made)  # type: ignore[arg-type]
    found += _of_rules(document, rules)
    found += _of_balance(document, balances)
    found += _of_heaps(document, heaps)
    return found, none


def _routed(document: PolicyDocument, snapshot: Snapshot, bad: Misroute) -> Suggestion | Said:
    if bad.task is None:
        return said(
            "{model} is doubted at tasks of no known type: there is nothing to route by",
            "{model} 在类型未知的任务上存疑：没有可据以路由的特征",
            model=bad.model,
        )
    figures = figures_of(document.quality)

    def worth(target: Target) -> float:
        value, _ = quality_of(target, snapshot.state(target.name), figures, bad.task, None)
        return value + snapshot.shift(target.model, bad.task)

    chats = [target for target in document.targets if not target.embedding]
    own = max((worth(target) for target in chats if target.model == bad.model), default=0.0)
    better = max((target for target in chats if target.model != bad.model), key=worth, default=None)
    if better is None or worth(better) < own + _BETTER:
        return said(
            "no other model is better than {model} at {task}, by the table of qualities",
            "按质量表，没有别的模型在 {task} 上比 {model} 更好",
            model=bad.model,
            task=bad.task,
        )
    name = better.model if better.model in document.names else better.tier
    return Suggestion(
        said("send {task} to {model}", "把 {task} 交给 {model}", task=bad.task, model=better.model),
        said(
            "{model} is doubted at it: surely more than {worst} of its replies (quality {own}, that of {other} {value})",
            "{model} 在这类任务上存疑：存疑的回复至少占 {worst}（质量 {own}，{other} 为 {value}）",
            model=bad.model,
            worst=f"{100 * bad.worst:.1f}%",
            own=f"{own:.2f}",
            other=better.model,
            value=f"{worth(better):.2f}",
        ),
        with_route(document, bad.task, name),
        f"routes: [{{name: {NAME} {bad.task}, target: {_quoted(name)}, match: {{task_type: {bad.task}}}, "
        f"priority: {first_of(document)}}}]",
    )


def _of_rules(document: PolicyDocument, rules: Review) -> Iterator[Suggestion]:
    there = {rule.id for rule in document.rules}
    for each in rules.advice:
        if each.rule not in there:
            continue
        match each.what:
            case "drop":
                what = said("drop rule {rule}", "删除规则 {rule}", rule=each.rule)
                yield Suggestion(what, each.why, without_rule(document, each.rule), idle=True)
            case "shadow":
                what = said("put rule {rule} in shadow", "把规则 {rule} 改为影子模式", rule=each.rule)
                yield Suggestion(what, each.why, in_shadow(document, each.rule), "mode: shadow")
            case "narrow":
                yield Suggestion(
                    said("narrow rule {rule}", "收窄规则 {rule}", rule=each.rule),
                    each.why,
                    in_shadow(document, each.rule),
                    bound=Said("replayed as if it took nothing", "按它什么都不接来回放"),
                )
            case "raise":
                yield Suggestion(
                    said("raise rule {rule}", "放开规则 {rule}", rule=each.rule),
                    each.why,
                    raised(document, each.rule),
                    "share: 10",
                    bound=Said("replayed as if in force for everybody", "按对所有人生效来回放"),
                )
            case "wait":
                pass


def _of_balance(document: PolicyDocument, balances: Sequence[Balance]) -> Iterator[Suggestion]:
    crowded = [each.target for each in balances if "crowded" in each.troubles]
    chats = [target for target in document.targets if not target.embedding]
    if not crowded or all(target.name in crowded for target in chats):
        return
    why = said(
        "requests wait in the queue of {targets}, others have room",
        "{targets} 有请求排队，其他目标还有余力",
        targets=", ".join(crowded),
    )
    if any(entry.policy is not None for entry in document.entries):
        yield Suggestion(
            said("let latency count {by} times as much in scores", "评分里延迟的权重乘以 {by}", by=f"{_FASTER:g}"),
            why,
            with_latency(document, _FASTER),
        )
    if any(entry.policy is None for entry in document.entries):
        yield Suggestion(
            Said("score targets by quality, latency and cost", "按质量、延迟和成本给目标评分"),
            why,
            scored(document, _WEIGHTS),
            f"policy: {{{NAME}: {{quality: {_WEIGHTS.quality:g}, latency: {_WEIGHTS.latency:g}, "
            f"cost: {_WEIGHTS.cost:g}}}}}, entries: {{{_unscored(document)}: {{policy: {NAME}}}}}",
        )


def _of_heaps(document: PolicyDocument, heaps: Sequence[Heap]) -> Iterator[Suggestion]:
    for place, heap in enumerate(heaps[:_GAPS], 1):
        what = said(
            "a rule for cluster {place} (pointsman rules mine)",
            "给第 {place} 类写一条规则（pointsman rules mine）",
            place=place,
        )
        why = said(
            "{count} questions, settled by nobody",
            "{count} 个问题，谁也没有处理",
            count=heap.gap.questions,
        )
        bound = Said("replayed with a rule that takes exactly these", "用正好接住这些问题的规则回放")
        yield Suggestion(what, why, answered(document, heap.texts, f"{NAME}_cluster_{place}"), bound=bound)


def _quoted(name: str) -> str:
    return msgspec.json.encode(name).decode()


def _unscored(document: PolicyDocument) -> str:
    return next(entry.name for entry in document.entries if entry.policy is None)
