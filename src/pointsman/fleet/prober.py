"""What is known of every target right now: asked again and again, apart from the traffic."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from pointsman.domain.quality import QualityShift
from pointsman.domain.target import BackendState, Snapshot
from pointsman.ports.backend import Backend
from pointsman.ports.breakers import Breakers
from pointsman.ports.rates import Rates

CALM = 5.0  # seconds between probes of a target that is up
EAGER = 1.0  # and of one that is not


class Prober:
    """One task per target. `snapshot()` is the same object until something changes, and says everything in English, for
    decisions and records; `states()` are the same by name, their problems in both languages."""

    def __init__(self, breakers: Breakers, rates: Rates) -> None:
        self.breakers = breakers
        breakers.changed = self._tripped
        self._rates = rates
        rates.changed = lambda target: self._publish()
        self._shifts: tuple[QualityShift, ...] = ()
        self._states: dict[str, BackendState] = {}
        self._snapshot = Snapshot.of(())
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._all_seen = asyncio.Event()
        self._wake: dict[str, asyncio.Event] = {}

    def snapshot(self) -> Snapshot:
        return self._snapshot

    def states(self) -> list[BackendState]:
        return [self._states[name] for name in sorted(self._states)]

    def watch(self, backends: Mapping[str, Backend]) -> None:
        """Probe exactly these from now on; states of targets that stay are kept."""
        for name in [name for name in self._tasks if name not in backends]:
            self._tasks.pop(name).cancel()
            self._states.pop(name, None)
            self._wake.pop(name, None)
        for name, backend in backends.items():
            if name in self._tasks:
                self._tasks[name].cancel()
            self._wake[name] = asyncio.Event()
            self._tasks[name] = asyncio.create_task(self._follow(name, backend, self._wake[name]))
        self.breakers.keep(backends)
        self._rates.keep(backends)
        self._publish()

    def look_again(self, name: str) -> None:
        """Probe this one now: its process has said that something changed."""
        if name in self._wake:
            self._wake[name].set()

    def shift(self, shifts: Iterable[QualityShift]) -> None:
        """From now on feedback has moved qualities by so much."""
        kept = tuple(shifts)
        if kept != self._shifts:
            self._shifts = kept
            self._publish()

    async def first_round(self, timeout: float) -> None:
        """Returns when every target has been probed once, or after `timeout` seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await self._all_seen.wait()

    async def close(self) -> None:
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        self._tasks.clear()

    async def _follow(self, name: str, backend: Backend, wake: asyncio.Event) -> None:
        while True:
            wake.clear()
            state = await backend.probe()
            self.breakers.probed(name, state.health == "up", state.problem)
            if self._states.get(name) != state:
                self._states[name] = state
                self._publish()
            with contextlib.suppress(TimeoutError):
                calm = state.health == "up" and self.breakers.shown(name)[0] == "closed"
                async with asyncio.timeout(CALM if calm else EAGER):
                    await wake.wait()

    def _tripped(self, name: str) -> None:
        self.look_again(name)
        self._publish()

    def _publish(self) -> None:
        self._snapshot = Snapshot.of(map(self._plain, self._states.values()), self._shifts)
        if len(self._states) == len(self._tasks):
            self._all_seen.set()
        else:
            self._all_seen.clear()

    def _plain(self, state: BackendState) -> BackendState:
        breaker, cause = self.breakers.shown(state.target)
        problem = str(state.problem) if state.problem else None
        prefill, decode = self._rates.of(state.target)
        nodes = tuple([replace(node, problem=str(node.problem) if node.problem else None) for node in state.nodes])
        return replace(
            state,
            nodes=nodes,
            problem=problem,
            breaker=breaker,
            cause=None if breaker == "closed" else cause,
            prefill_rate=prefill,
            decode_rate=decode,
        )
