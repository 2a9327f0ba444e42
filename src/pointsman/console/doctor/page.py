"""The page *Doctor*: what was looked at, what was seen, what that means, what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, Protocol

import msgspec

from pointsman.console.doctor.where import WHERE
from pointsman.console.shared_run import RunSeen
from pointsman.console.templates import Templates
from pointsman.console.visit import Reply, Route, Visit, see_other
from pointsman.console.words import Words

Level = Literal["ok", "note", "wrong", "unknown"]
LEVELS: tuple[Level, ...] = ("wrong", "note", "unknown", "ok")
"""The worst first."""


class Found(msgspec.Struct, frozen=True):
    """What one check says; `means` and `do` are there unless all is well."""

    check: str
    part: Words
    title: Words
    level: Level
    saw: Words
    means: Words | None = None
    do: Words | None = None


class Examined(msgspec.Struct, frozen=True):
    """`at` is seconds since the epoch, `took` seconds."""

    at: float
    took: float
    checks: Sequence[Found]

    def many(self, level: Level) -> int:
        return sum(found.level == level for found in self.checks)


class Doctor(Protocol):
    async def seen(self) -> RunSeen[Examined]: ...

    def begin(self) -> None:
        """Where one is under way already, that is the one."""


class DoctorPage:
    def __init__(self, templates: Templates, doctor: Doctor) -> None:
        self._templates = templates
        self._doctor = doctor

    def routes(self) -> Iterator[Route]:
        yield Route("GET", "/ui/doctor", self.page)
        yield Route("POST", "/ui/doctor", self.begin)

    async def page(self, visit: Visit) -> Reply:
        seen = await self._doctor.seen()
        found = seen.found
        checks = [] if found is None else sorted(found.checks, key=lambda each: LEVELS.index(each.level))
        return self._templates.page(
            "parts/doctor_found.html" if visit.fragment else "doctor.html",
            visit,
            place="doctor",
            since=seen.since,
            found=found,
            failed=seen.failed,
            levels=LEVELS,
            where=WHERE,
            wanting=[each for each in checks if each.level != "ok"],
            well=[each for each in checks if each.level == "ok"],
        )

    def begin(self, visit: Visit) -> Reply:
        visit.must_change()
        self._doctor.begin()
        return see_other("/ui/doctor")
