"""Requests of one kind, counted together: what follows from their number and their tokens is worked out when somebody reads,
so that a request costs no more than a few additions."""

from __future__ import annotations

import time

from pointsman.domain.record import Record
from pointsman.domain.task_types import TASK_TYPES
from pointsman.telemetry.counts import Counts, Labels
from pointsman.telemetry.prices import Price, Prices

_TASKS = frozenset(TASK_TYPES)
_GENERATED = ("chat", "completions")


class Row:
    """`many` requests that have in common all that is said here, since they were last shared out. `prompt` are the estimates
    of their input tokens, `unread` those among them for which the engine gave no figure. Lists are of seconds, and shared
    with other rows; None until there is one to put there."""

    __slots__ = (
        "action", "began", "cache", "cached", "durations", "endpoint", "firsts", "gaps", "input", "labels", "many", "ok",
        "outcome", "output", "prompt", "rule", "stage", "target", "task", "unread", "waits", "works",
    )  # fmt: skip

    def __init__(self, record: Record, entry: str, durations: list[float]) -> None:
        decision = record.decision
        self.stage = "none" if decision is None else decision.stage
        self.endpoint, self.outcome, self.target, self.cache = (
            record.request.endpoint, record.outcome, record.target, record.cache
        )  # fmt: skip
        self.labels: Labels = (entry, self.endpoint, self.stage, self.outcome)
        self.rule = None if decision is None else decision.rule
        self.action = None if decision is None or decision.stage == "model" else decision.action
        features = None if decision is None else decision.features
        self.task = None if features is None else features.task_type
        self.began = time.time()
        self.durations = durations
        self.firsts: list[float] | None = None
        self.gaps: list[float] | None = None
        self.waits: list[float] | None = None
        self.works: list[float] | None = None
        self.many = self.ok = self.prompt = self.unread = self.input = self.output = self.cached = 0

    def share_out(self, counts: Counts, prices: Prices) -> None:
        """Into the families, and begins again at nothing."""
        if not self.many:
            return
        self._count(counts, "requests", self.labels, self.many)
        if self.rule:
            self._count(counts, "rule_hits", (self.rule,), self.many)
        if self.action is not None:
            self._count(counts, "actions", (self.action, self.outcome), self.many)
        if self.cache is not None:
            self._count(counts, "cache", (self.cache,), self.many)
        if self.endpoint in _GENERATED:
            task = self.task if self.task is None or self.task in _TASKS else "other"
            self._count(counts, "tasks", (task or "none", self.outcome), self.many)
        if self.target is not None:
            for kind, tokens in (("input", self.input), ("output", self.output), ("cached", self.cached)):
                self._count(counts, "tokens", (self.target, kind), tokens)
            self._count(counts, "attempts", (self.target, "ok"), self.ok)
        self._price(counts, prices)
        self.many = self.ok = self.prompt = self.unread = self.input = self.output = self.cached = 0
        self.began = time.time()

    def _price(self, counts: Counts, prices: Prices) -> None:
        """What they took, and what they would have taken on the heavy model."""
        read, written, taken = self.input + self.unread, self.output, None
        if self.target is not None:
            taken = prices.targets.get(self.target)
            if taken is None:
                return
            self._take(counts, self.target, taken, read, written)
        elif self.stage in ("l0", "l1") or self.cache == "hit":
            read, written = self.prompt, self.many * prices.usual(self.task)
        else:
            return
        if self.endpoint in _GENERATED:
            taken = prices.targets.get(prices.heavy or "")
            if taken is not None:
                self._count(counts, "baseline_tokens", (self.stage, "input"), read)
                self._count(counts, "baseline_tokens", (self.stage, "output"), written)
        if taken is not None:  # what generates nothing would have gone where it went
            self._count(counts, "gpu_baseline_seconds", (self.stage,), seconds_of(taken, read, written))
            self._count(counts, "kv_baseline_bytes", (self.stage,), taken.kv_bytes * (read + written))

    def _take(self, counts: Counts, target: str, price: Price, read: int, written: int) -> None:
        seconds = seconds_of(price, read, written)
        self._count(counts, "gpu_seconds", (target,), seconds)
        self._count(counts, "kv_taken_bytes", (target,), price.kv_bytes * (read + written))
        if price.money is not None:
            self._count(counts, "cost", (target,), seconds * price.money)
        if price.watts is not None:
            self._count(counts, "energy_joules", (target,), seconds * price.watts)

    def _count(self, counts: Counts, name: str, labels: Labels, by: float) -> None:
        if by:
            counts.tally(name, labels, self.began).value += by


def seconds_of(price: Price, read: int, written: int) -> float:
    return read * price.prefill + written * price.decode
