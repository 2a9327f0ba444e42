"""What is a move: where a decision sends its request, and how two decisions on the same one differ."""

from __future__ import annotations

from typing import Literal

import msgspec

from pointsman.domain.decision import Decision

PlaceKind = Literal["rule", "intent", "question", "target", "none"]
Aspect = Literal["stage", "rule", "action", "target", "order", "words", "notes"]
MOVES: frozenset[Aspect] = frozenset(("stage", "rule", "action", "target"))
"""What counts as a move. `order`: the same target first, and others after it; `words`: the same rule says or does it with
other parameters; `notes`: other marks, or other rules in shadow."""


class Place(msgspec.Struct, frozen=True, order=True, gc=False):
    """Where a request goes: to a rule's reply, an intent's action, a question that the gateway asks back, a target, or
    nowhere (`name` is the error's code then)."""

    kind: PlaceKind
    name: str


def place_of(decision: Decision) -> Place:
    if decision.error:
        return Place("none", decision.error)
    if decision.stage == "l0":
        return Place("rule", decision.rule or "")
    if decision.stage == "l1":
        kind: PlaceKind = "intent" if decision.clarification is None else "question"
        return Place(kind, decision.intent or "")
    return Place("target", decision.targets[0].target)


def aspect_of(old: Decision, new: Decision) -> Aspect | None:
    """The first respect in which they differ, by what that means for the request; None where in none."""
    if old is new:
        return None
    if _stage(old) != _stage(new):
        return "stage"
    if old.rule != new.rule or old.intent != new.intent:
        return "rule"
    if _act(old) != _act(new):
        return "action"
    before, after = order_of(old), order_of(new)
    if before[:1] != after[:1]:
        return "target"
    if before != after or old.max_retries != new.max_retries:
        return "order"
    if old.parameters != new.parameters:
        return "words"
    return "notes" if (old.marks, old.shadow) != (new.marks, new.shadow) else None


def order_of(decision: Decision) -> list[str]:
    """Its targets in the order of trying."""
    return [choice.target for choice in decision.targets]


def _stage(decision: Decision) -> tuple[str, bool]:
    return decision.stage, decision.error is not None


def _act(decision: Decision) -> tuple[object, ...]:
    asks = decision.clarification is not None
    return decision.action, asks, decision.error, decision.execution_path, decision.hands_over, decision.deliver
