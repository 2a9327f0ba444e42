"""What the request log tells: how much rules take, whose tokens are counted otherwise, why tries failed, ids that repeat."""

from __future__ import annotations

import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

from pointsman.app.doctor.facts import LogFacts, Repeated
from pointsman.routing.causes import cause_of
from pointsman.store.log_reader import LogReader
from pointsman.store.log_scan import Logged

CHATS = ("chat", "completions")
_KEPT_RATIOS = 200
_SHOWN = 5
_SHORT = 24  # tokens below which a chat template's own are too much of a prompt; as in recording/token_ratio.py
_CONTENTS = 2000  # requests whose contents are opened


def look_at_log(folder: Path, days: int, seconds: float, clock: Callable[[], float] = time.time) -> LogFacts:
    """Of the last `days`, as far as it can be read in `seconds`; no log yet is an empty one. Raises what LogReader raises of
    a damaged one."""
    try:
        reader = LogReader(folder)
    except FileNotFoundError:
        return LogFacts(days)
    sums, late = _Sums(), time.monotonic() + seconds
    try:
        for number, logged in enumerate(reader.scan(clock() - 86_400 * days)):
            sums.take(logged)
            if number % 64 == 0 and time.monotonic() > late:
                return sums.facts(days, whole=False)
    finally:
        reader.close()
    return sums.facts(days, whole=True)


class _Sums:
    def __init__(self) -> None:
        self._requests = self._asked = self._by_rules = self._heard = self._cut = self._opened = 0
        self._newest: float | None = None
        self._ids: Counter[str] = Counter()
        self._ratios: defaultdict[str, list[float]] = defaultdict(list)
        self._causes: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def take(self, logged: Logged) -> None:
        head = logged.head
        self._requests += 1
        self._newest = max(head.received, self._newest or 0.0)
        self._ids[head.id] += 1
        if head.endpoint in CHATS and head.stage is not None:
            self._asked += 1
            self._by_rules += head.stage == "l0"
        if head.intent is not None and self._opened < _CONTENTS:
            self._opened += 1
            self._hear(logged)
        if head.target is not None and (ratio := _ratio(logged)) is not None:
            kept = self._ratios[head.target]
            kept.append(ratio)
            del kept[:-_KEPT_RATIOS]
        if any(attempt.get("failure") for attempt in head.attempts):
            self._fail(logged)

    def _hear(self, logged: Logged) -> None:
        content = logged.content()
        hearing = content.decision.hearing if content is not None and content.decision is not None else None
        if hearing is not None:
            self._heard += 1
            self._cut += hearing.first.cut

    def _fail(self, logged: Logged) -> None:
        """What an engine said may quote a prompt, so it stands in the content, where that was kept."""
        self._opened += 1
        content = logged.content() if self._opened < _CONTENTS else None
        if content is not None and content.attempts:
            for attempt in content.attempts:
                if attempt.failure is not None:
                    self._causes[attempt.target][cause_of(attempt.message) or attempt.failure] += 1
            return
        for told in logged.head.attempts:
            if told.get("failure"):
                self._causes[str(told.get("target"))][str(told["failure"])] += 1

    def facts(self, days: int, *, whole: bool) -> LogFacts:
        repeated = tuple(Repeated(each, times) for each, times in self._ids.most_common(_SHOWN) if times > 1)
        return LogFacts(
            days=days,
            requests=self._requests,
            whole=whole,
            newest=self._newest,
            asked=self._asked,
            by_rules=self._by_rules,
            heard=self._heard,
            cut=self._cut,
            repeated=repeated,
            ratios={name: (statistics.median_low(kept), len(kept)) for name, kept in sorted(self._ratios.items())},
            causes={name: dict(causes) for name, causes in sorted(self._causes.items())},
        )


def _ratio(logged: Logged) -> float | None:
    """The engine's count of a prompt / our estimate, as recording/token_ratio.py has it of a record."""
    head = logged.head
    if not head.input_tokens or head.cache or head.exact_tokens is not None or logged.feature("exact"):
        return None
    tokens = logged.feature("input_tokens")
    if logged.feature("images") or not isinstance(tokens, int) or tokens < _SHORT:
        return None
    return head.input_tokens / tokens
