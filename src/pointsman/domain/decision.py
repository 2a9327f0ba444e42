"""The immutable outcome of the deciding stages, with its reasons; what `explain`, the trace and the log show."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from pointsman.domain.features import Features
from pointsman.domain.intent import Hearing
from pointsman.domain.meaning import Meaning

Stage = Literal["l0", "l1", "model"]
Risk = Literal["low", "medium", "high"]
Wants = Literal["hearing", "second", "filling", "meaning"]
"""What is still to be asked before a decision is final: what an arbiter hears, what a second one does, what a model reads
of parameters, what an embedding model makes of the text."""


class Match(msgspec.Struct, frozen=True, gc=False):
    """A piece of the user's text that a rule's group took; `start` and `end` are character offsets in the original."""

    group: str
    text: str
    start: int
    end: int


class Mark(msgspec.Struct, frozen=True):
    """What a rule noted of a request that goes on: its label, how risky that is, and where it is in the text."""

    rule: str
    label: str
    risk: Risk
    matched: tuple[Match, ...] = ()


class Framed(msgspec.Struct, frozen=True, gc=False):
    """The message is a template's that wraps the user's question: that stands at [start, end) of it."""

    frame: str
    start: int
    end: int


QualitySource = Literal["task", "model", "size", "tier", "none"]
"""Whence a quality: the table's figure for this kind of task, its figure for the model over all, what models of this size
reach, what those of this tier do, or nothing is known."""
RateSource = Literal["measured", "size", "tier", "none"]
"""Whence the speed of a target: measured, or what is usual for a model of this size, of this tier, or for any."""
CostUnit = Literal["gpu_seconds", "money", "watt_hours"]


class Terms(msgspec.Struct, frozen=True, gc=False):
    """What a score is made of beside its raw terms: `latency_share` and `cost_share` are those beside the largest among the
    targets (0 to 1), `bonus` is what staying with its session's target is worth, `shift` what feedback moved the quality
    by."""

    latency_share: float
    cost_share: float
    quality_from: QualitySource
    rate_from: RateSource
    cost_unit: CostUnit
    bonus: float = 0.0
    shift: float = 0.0


class TargetChoice(msgspec.Struct, frozen=True):
    """A target that routing considered, in the order of trying, and the terms of its score where it has one: `quality` 0 to
    1, `latency` in seconds until the reply is whole, `cost` in the unit that `terms` name. `in_flight` and `wait` (seconds)
    were so when it was decided."""

    target: str
    why: str
    score: float | None = None
    quality: float | None = None
    latency: float | None = None
    cost: float | None = None
    in_flight: int | None = None
    wait: float | None = None
    terms: Terms | None = None


class Decision(msgspec.Struct, frozen=True):
    """A pure function of (request, policy, snapshot, seed).

    `action` is set where a rule took the request; `parameters` are what the action works with (`text` for answer and
    refuse, and for a question; `task`, `target`, `body` for route). `error` is set where the request ends without any
    reply of content: the gateway's error code (`context_length_exceeded`, `no_target`, …). `left_out` are targets
    that could not serve it, `max_retries` the further attempts that execution may make. `marks` are what rules noted
    on their way, `shadow` the rules in shadow that would have taken it; `rules_cut`: time ran out after so many
    rules. `hint` is what an entry may tell of a request that no rule took.

    `hearing` is what arbiters said, where they were asked, and `intent`, `confidence` and `fallback_reason` what follows
    from it; the reason is given wherever the confidence is below the gate. `clarification` is a question to the user,
    `asked` how many there were before about the same matter. `wants`: it is provisional until that is known.
    `hands_over`: its action passes the request on to people. `deliver` are the channels that get what it makes.

    `scored`: the name of the weights by which its targets were ordered, `last` the target that served its session before.
    `meaning` is what an embedding model made of its text, where task or difficulty are told from that.
    """

    stage: Stage
    reason: str
    rule: str | None = None
    action: str | None = None
    parameters: dict[str, Any] = {}
    matched: tuple[Match, ...] = ()
    features: Features | None = None
    risk: Risk = "low"
    intent: str | None = None
    execution_path: tuple[str, ...] = ()
    confidence: float | None = None
    fallback_reason: str | None = None
    clarification: str | None = None
    targets: tuple[TargetChoice, ...] = ()
    left_out: tuple[TargetChoice, ...] = ()
    max_retries: int = 0
    error: str | None = None
    marks: tuple[Mark, ...] = ()
    shadow: tuple[str, ...] = ()
    framed: Framed | None = None
    rules_cut: int | None = None
    hint: str | None = None
    hearing: Hearing | None = None
    asked: int = 0
    wants: Wants | None = None
    hands_over: bool = False
    deliver: tuple[str, ...] = ()
    seed: int = 0
    policy: str = ""
    snapshot: str = ""
    scored: str | None = None
    last: str | None = None
    meaning: Meaning | None = None

    @property
    def arbitrated(self) -> bool:
        """Whether an arbiter, or the user whom it asked, had a say in what became of it."""
        return self.stage != "l0" and (self.intent is not None or self.hearing is not None)

    @property
    def text(self) -> str | None:
        """The reply, where the gateway itself says it and nothing is left to be done."""
        if self.stage == "model" or self.execution_path:
            return None
        text: str | None = self.parameters.get("text")
        return text
