"""What the console's pages ask of the gateway, in the console's own terms."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote

from pointsman.console.live import MOST, Live, Seen
from pointsman.domain.said import Said, said
from pointsman.domain.target import Load, Snapshot
from pointsman.telemetry.counts import Counts, Levels
from pointsman.telemetry.metrics import judgement_of

if TYPE_CHECKING:
    from pointsman.console.history import Summed
    from pointsman.console.pages.now import Notice, Waiting

_DOUBTING = 60.0  # seconds for which it is good what was said of rules
_DOUBTS = 3  # words against a rule from which on it is in doubt
_WORDS = 50  # of the last words that are looked at
_MACHINE = 10.0  # seconds for which what was seen of the machine and of engines is good


class ConsoleState:
    """`counted` gives what all processes counted; `observed` what is seen of the machine and engines, for which these are
    asked; `readiness` is what /ready says; `loads` gives what targets have to do, `snapshot` their state. `folder` is where
    the log is. `shared`: other processes serve the same port. `quotes`: prompts are kept, and may be shown."""

    def __init__(
        self,
        *,
        folder: Path,
        shared: bool,
        quotes: bool,
        counted: Callable[[], Awaitable[Counts]],
        observed: Callable[[], Awaitable[Mapping[str, Levels]]],
        readiness: Callable[[], tuple[bool, dict[str, Any]]],
        loads: Callable[[], Mapping[str, Load]],
        snapshot: Callable[[], Snapshot],
    ) -> None:
        self.live = Live(self._others if shared else None, quotes=quotes)
        self.folder = folder
        self._counted = counted
        self._observed = observed
        self._readiness = readiness
        self._loads = loads
        self._snapshot = snapshot
        self._machine: tuple[float, Mapping[str, Levels]] = (0.0, {})
        self._doubts: tuple[float, Mapping[str, int]] = (0.0, {})

    async def counts(self) -> Counts:
        """Engines are asked for what they see no more often than every ten seconds, however many look."""
        counts = await self._counted()
        now = time.monotonic()
        if not self._machine[1] or now - self._machine[0] > _MACHINE:
            self._machine = now, self._machine[1]
            self._machine = now, await self._observed()
        counts.levels.update(self._machine[1])
        return counts

    async def notices(self) -> Sequence[Notice]:
        from pointsman.console.pages.now import Notice

        ready, state = self._readiness()
        level: Literal["warn", "bad"] = "warn" if ready else "bad"
        notices = [Notice(problem, level, "/ui/doctor") for problem in state["problems"]]
        for target in self._snapshot().states:
            if target.breaker in ("open", "half_open"):
                text = said(
                    "{target} failed too often and is left alone for a while: {why}",
                    "{target} 失败过多，暂时不再使用：{why}",
                    target=target.target,
                    why=target.cause or Said("no cause is known", "原因未知"),
                )
                notices.append(Notice(text, "bad", f"/ui/requests?target={quote(target.target)}"))
        now = time.monotonic()
        if not self._doubts[0] or now - self._doubts[0] > _DOUBTING:
            self._doubts = now, self._doubts[1]
            self._doubts = now, await asyncio.to_thread(self._in_doubt)
        for rule, many in self._doubts[1].items():
            text = said(
                "rule {rule} was said to be wrong {many} times in the last 7 days",
                "最近 7 天有 {many} 次反馈说规则 {rule} 处理有误",
                rule=rule,
                many=many,
            )
            notices.append(Notice(text, "warn", f"/ui/rules/{quote(rule, safe='')}"))
        return sorted(notices, key=lambda notice: notice.level != "bad")

    def waiting(self) -> Sequence[Waiting]:
        from pointsman.console.pages.now import Waiting

        return [Waiting(name, load.in_flight, load.wait) for name, load in self._loads().items()]

    def summed(self, start: float, end: float, step: int) -> Summed:
        """As the page *Now* wants it; reads the disk."""
        from pointsman.console.history import Slice, Summed
        from pointsman.store.figures import BOUNDS
        from pointsman.store.rollups import Rollups

        try:
            rollups = Rollups(self.folder)
        except FileNotFoundError:
            return Summed([], BOUNDS)
        try:
            found = rollups.between(start, end, step, ("stage", "outcome"))
        finally:
            rollups.close()
        return Summed(
            [
                Slice(
                    each.start, each.values[0], each.values[1] or "", each.figures.count, each.figures.ttft_ms.buckets
                )
                for each in found
            ],
            BOUNDS,
        )

    def _in_doubt(self) -> Mapping[str, int]:
        """Rule → how often callers said that it was wrong, where that was often."""
        from pointsman.store.log_reader import LogReader

        try:
            reader = LogReader(self.folder)
        except FileNotFoundError:
            return {}
        try:
            against = (each for each in reader.feedback(time.time() - 7 * 86_400) if judgement_of(each) == "wrong")
            rules: Counter[str] = Counter()
            for word in islice(against, _WORDS):
                for row in reader.page({"id": word.request_id}, limit=1).rows:
                    if row["rule"]:
                        rules[row["rule"]] += 1
        finally:
            reader.close()
        return {rule: many for rule, many in rules.items() if many >= _DOUBTS}

    async def _others(self, since: float) -> Sequence[Seen]:
        return await asyncio.to_thread(self._logged, since)

    def _logged(self, since: float) -> Sequence[Seen]:
        from pointsman.console.kinds import kind_of
        from pointsman.store.log_reader import LogReader

        try:
            reader = LogReader(self.folder)
        except FileNotFoundError:
            return []
        try:
            rows = [row for row in reader.rows({}, since, 4 * MOST) if not row["under_way"]]
        finally:
            reader.close()
        return [
            Seen(
                id=row["id"],
                at=int(row["received"] * 1000),
                kind=kind_of(row["stage"], row["outcome"]),
                endpoint=row["endpoint"],
                model=row["model"],
                by=row["rule"] or row["target"] or "",
                why=row["error"] or "",
                outcome=row["outcome"],
                took=row["total_ms"],
            )
            for row in rows
        ]
