"""What the console's pages ask of the gateway, in the console's own terms."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pointsman.console.live import MOST, Live, Seen
from pointsman.domain.said import Said, said
from pointsman.domain.target import Load, Snapshot
from pointsman.telemetry.counts import Counts, Levels

if TYPE_CHECKING:
    from pointsman.console.history import Summed
    from pointsman.console.pages.now import Notice, Waiting

_MACHINE = 10.0  # seconds for which what was seen of the machine and of engines is good


class ConsoleState:
    """`counted` gives what all processes counted; `observed` what is seen of the machine and engines, for which these are
    asked; `readiness` is what /ready says; `loads` gives what targets have to do, `snapshot` their state. `folder` is where
    the log is. `shared`: other processes serve the same port."""

    def __init__(
        self,
        *,
        folder: Path,
        shared: bool,
        counted: Callable[[], Awaitable[Counts]],
        observed: Callable[[], Awaitable[Mapping[str, Levels]]],
        readiness: Callable[[], tuple[bool, dict[str, Any]]],
        loads: Callable[[], Mapping[str, Load]],
        snapshot: Callable[[], Snapshot],
    ) -> None:
        self.live = Live(self._others if shared else None)
        self.folder = folder
        self._counted = counted
        self._observed = observed
        self._readiness = readiness
        self._loads = loads
        self._snapshot = snapshot
        self._machine: tuple[float, Mapping[str, Levels]] = (0.0, {})

    async def counts(self) -> Counts:
        """Engines are asked for what they see no more often than every ten seconds, however many look."""
        counts = await self._counted()
        now = time.monotonic()
        if not self._machine[1] or now - self._machine[0] > _MACHINE:
            self._machine = now, self._machine[1]
            self._machine = now, await self._observed()
        counts.levels.update(self._machine[1])
        return counts

    def notices(self) -> Sequence[Notice]:
        """What needs somebody, the worst first."""
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
                notices.append(Notice(text, "bad", f"/ui/requests?target={target.target}"))
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
            rows = [row for row in reader.rows({}, since, MOST) if row["received"] > since and not row["under_way"]]
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
