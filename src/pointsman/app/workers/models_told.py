"""Models that come and go, as the hub keeps them for all workers: it hears what each wants, and tells how they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from pointsman.app.packing import Both, both, text_of
from pointsman.app.workers.crew import Crew
from pointsman.app.workers.member import Member
from pointsman.app.workers.messages import Demanding, Emptied, Managed, Resides, Residing
from pointsman.domain.residence import Demand, Residence, together
from pointsman.domain.said import Said
from pointsman.ports.model_driver import LoadFailure

_LONG = 86_400.0
_NOTHING = Demand()


class CrewFloor:
    """The gates of all workers, as a Floor."""

    def __init__(self, crew: Crew) -> None:
        self._crew = crew
        self._demands: dict[Member, dict[str, Demand]] = {}
        self._told: list[Resides] = []

    @property
    def told(self) -> list[Resides]:
        """What was told last: what a new worker begins with."""
        return self._told

    def hear(self, member: Member, message: Demanding) -> None:
        self._demands[member] = message.demands

    def leave(self, member: Member) -> None:
        """It is gone, and what it wanted with it."""
        self._demands.pop(member, None)

    def demands(self, targets: Iterable[str]) -> Mapping[str, Demand]:
        found = dict.fromkeys(targets, _NOTHING)
        for wanted in self._demands.values():
            for name, demand in wanted.items():
                if name in found:
                    found[name] = together(found[name], demand)
        return found

    def tell(self, residences: Mapping[str, Residence]) -> None:
        now = [packed_residence(each) for each in residences.values()]
        if now != self._told:
            self._told = now
            self._crew.tell(Residing(now))

    async def emptied(self, target: str) -> None:
        """Every worker has let nobody new in when it answers, and whoever was inside is through."""
        await self._crew.ask(Emptied(target), _LONG)


def packed_residence(residence: Residence) -> Resides:
    """On its way to another process."""
    plain = msgspec.structs.replace(residence, problem=None, progress=None, restart=None)
    return Resides(plain, _both(residence.problem), _both(residence.progress), _both(residence.restart))


def unpacked_residence(told: Resides) -> Residence:
    problem, progress, restart = _said(told.problem), _said(told.progress), _said(told.restart)
    return msgspec.structs.replace(told.residence, problem=problem, progress=progress, restart=restart)


def answer_of(failure: LoadFailure) -> Managed:
    return Managed(None, failure.fault, both(failure.said))


def residence_of(target: str, answer: Managed) -> Residence:
    """Raises KeyError, LoadFailure, as it was there."""
    if answer.residence is not None:
        return unpacked_residence(answer.residence)
    if answer.fault is None:
        raise KeyError(target)
    raise LoadFailure(answer.fault, _said(answer.why) or Said("", ""))


def _both(text: Said | None) -> Both | None:
    return None if text is None else both(text)


def _said(told: Both | None) -> Said | None:
    if told is None:
        return None
    text = text_of(told)
    return text if isinstance(text, Said) else Said(text, text)
