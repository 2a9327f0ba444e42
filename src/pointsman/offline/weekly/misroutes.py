"""Where the wrong model may have answered: kinds of tasks at which people were not content with a model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

from pointsman.domain.quality import QualityShift
from pointsman.offline.audit.intervals import Interval, wilson
from pointsman.offline.review.ranking import LIMIT
from pointsman.offline.weekly.looked import Looked

FEW = 30
"""Replies of which nothing is said for sure."""
Standing = Literal["doubted", "maybe", "fine", "few"]


class Misroute(msgspec.Struct, frozen=True):
    """Of a model at one kind of task: shares of its replies with a complaint, and of those after which nearly the same was
    asked, each with its interval of 95 % (None: nothing is known). `shift` is what feedback moves its quality by. `doubted`:
    one of the intervals lies above 5 %; `maybe`: a share does, its interval does not; `few`: too few replies to tell."""

    task: str | None
    model: str
    replies: int
    rated: int
    complaints: int
    complaint_interval: Interval
    watched: int
    asked_again: int
    again_interval: Interval
    hung_up: int
    shift: float
    standing: Standing

    @property
    def worst(self) -> float:
        """What the worse of the two surely is."""
        return max(self.complaint_interval[0], self.again_interval[0])


def misroutes(looked: Looked, shifts: Iterable[QualityShift]) -> list[Misroute]:
    """Those that are doubted first, then by how many replies they are of."""
    moved = {(shift.task, shift.model): shift.shift for shift in shifts}
    done = {(each.task, each.model): each for each in looked.done}
    found = []
    for each in looked.served:
        after = done.get((each.task, each.model))
        watched, again = (after.replies, after.asked_again) if after is not None else (0, 0)
        complaint, asked = wilson(each.complaints, each.replies), wilson(again, watched)
        found.append(
            Misroute(
                task=each.task,
                model=each.model,
                replies=each.replies,
                rated=each.rated,
                complaints=each.complaints,
                complaint_interval=complaint,
                watched=watched,
                asked_again=again,
                again_interval=asked,
                hung_up=each.hung_up,
                shift=moved.get((each.task, each.model), 0.0),
                standing=_standing((each.complaints, each.replies, complaint), (again, watched, asked)),
            )
        )
    order: tuple[Standing, ...] = ("doubted", "maybe", "fine", "few")
    return sorted(found, key=lambda each: (order.index(each.standing), -each.replies))


def _standing(*signs: tuple[int, int, Interval]) -> Standing:
    known = [sign for sign in signs if sign[1] >= FEW]
    if not known:
        return "few"
    if any(low > LIMIT for _, _, (low, _) in known):
        return "doubted"
    return "maybe" if any(count / of > LIMIT for count, of, _ in known) else "fine"
