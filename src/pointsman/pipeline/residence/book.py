"""How every model is, as it is told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from msgspec.structs import replace

from pointsman.domain.residence import Event, Residence, after
from pointsman.domain.said import Said
from pointsman.pipeline.residence.plan import Plan
from pointsman.ports.clock import Clock


class Book:
    """`tell` gets all of them, each time that one is another one. Notes on targets that are no part of the plan any more
    are passed over."""

    def __init__(self, clock: Clock, tell: Callable[[Mapping[str, Residence]], None]) -> None:
        self._clock = clock
        self._tell = tell
        self._all: dict[str, Residence] = {}

    @property
    def all(self) -> Mapping[str, Residence]:
        return self._all

    def install(self, plan: Plan, kept: Iterable[str]) -> None:
        """The models of a plan; those that are `kept` go on as they were."""
        old, self._all = self._all, {}
        stay = frozenset(kept)
        for unit in plan.units:
            for name in unit.models:
                known = old.get(name) if name in stay else None
                self._all[name] = replace(
                    known or Residence(name, since=self._clock.wall()),
                    pinned=unit.pinned,
                    group=plan.groups.get(name),
                    memory=plan.memory.get(name),
                )

    def note(self, models: Iterable[str], event: Event) -> None:
        for name in models:
            if (now := self._all.get(name)) is not None:
                stage, wall = after(now.stage, event), self._clock.wall()
                self._all[name] = replace(now, stage=stage, since=wall, problem=None, again=None, progress=None)
        self.tell()

    def failed(self, models: Iterable[str], problem: Said, delay: float) -> None:
        """It is tried again after so many seconds."""
        models = tuple(models)
        again = self._clock.wall() + delay
        self.note(models, "fail")
        for name in models:
            if name in self._all:
                self._all[name] = replace(self._all[name], problem=problem, again=again)
        self.tell()

    def forgiven(self, models: Iterable[str]) -> None:
        """They may be tried again, from now on."""
        for name in models:
            if (now := self._all[name]).stage == "failed":
                self._all[name] = replace(now, again=self._clock.wall())

    def refused(self, models: Iterable[str], problem: Said | None) -> None:
        """They can never be loaded; None: they can, after all."""
        for name in models:
            now = self._all[name]
            if problem is not None:
                self._all[name] = replace(now, stage="failed", problem=problem, again=None)
            elif now.stage == "failed" and now.again is None:
                self._all[name] = replace(now, stage="absent", problem=None)

    def is_refused(self, target: str) -> bool:
        now = self._all[target]
        return now.stage == "failed" and now.again is None

    def loaded(self, target: str, took: float) -> None:
        if (now := self._all.get(target)) is not None:
            self._all[target] = replace(now, load_seconds=took, loads=now.loads + 1)

    def evicted(self, models: Iterable[str]) -> None:
        for name in models:
            if (now := self._all.get(name)) is not None:
                self._all[name] = replace(now, evictions=now.evictions + 1)

    def pinned(self, models: Iterable[str], pinned: bool) -> None:
        for name in models:
            self._all[name] = replace(self._all[name], pinned=pinned)

    def progress(self, target: str, told: Said) -> None:
        if (now := self._all.get(target)) is not None:
            self._all[target] = replace(now, progress=told)
            self.tell()

    def trouble(self, target: str, problem: Said) -> None:
        """It goes on as it is, and yet something is wrong."""
        if (now := self._all.get(target)) is not None:
            self._all[target] = replace(now, problem=problem)
            self.tell()

    def restarts(self, target: str, planned: Said | None) -> None:
        """When it begins anew by itself, or why it did not."""
        if (now := self._all.get(target)) is not None and now.restart != planned:
            self._all[target] = replace(now, restart=planned)
            self.tell()

    def tell(self) -> None:
        self._tell(dict(self._all))
