"""Which jobs may be under way together, where workers died over some of them."""

from __future__ import annotations

from pointsman.domain.job import Job
from pointsman.ports.clock import Clock

_LONG = 600.0  # seconds after which what was to kill its worker would have done so


class Suspects:
    """A job is suspect once half as many workers died over it as may. With one of those, no other over which a worker died
    is under way in the same process: so none is given up for what another does, however often the two are handed out
    together. After a first death most are done together all the same, for a machine that was switched off is the likelier
    cause. One that has gone on for long is taken for harmless."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._under_way: dict[str, tuple[bool, float]] = {}  # suspect, since when

    def may_begin(self, job: Job, lost: int) -> bool:
        """If so, it is under way from now on. `lost` workers that die over a job are its end."""
        if not 0 < job.lost < lost:
            return True
        suspect = lost <= 2 * job.lost
        for other, (is_suspect, since) in self._under_way.items():
            if other != job.id and (suspect or is_suspect) and self._clock.monotonic() - since < _LONG:
                return False
        self._under_way[job.id] = suspect, self._clock.monotonic()
        return True

    def gone(self, job_id: str) -> None:
        self._under_way.pop(job_id, None)

    def pause(self, least: float) -> float:
        """Seconds for which one that may not begin waits: the longer, the longer the others take already."""
        now = self._clock.monotonic()
        return max(least, *(now - since for _, since in self._under_way.values()), 0.0)
