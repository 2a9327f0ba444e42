"""What a caller said of a reply afterwards."""

from __future__ import annotations

import msgspec

LOWEST, HIGHEST = 1, 5
"""Bounds of a rating."""
LONGEST = 2000
"""Characters of a comment."""


class Feedback(msgspec.Struct, frozen=True, kw_only=True):
    """`received` is when it came, seconds since the epoch; `caller` who sent it, and the request before it. `adopted`: the
    reply was of use, or was not what was meant; `rating` is LOWEST to HIGHEST, the best; None: nothing was said of it.
    `edited`: the user changed the reply before using it; `retried`: the user asked again. `comment` is None where none
    was made, or none is kept."""

    request_id: str
    received: float
    caller: str
    adopted: bool | None = None
    rating: int | None = None
    edited: bool = False
    retried: bool = False
    comment: str | None = None


class Asker(msgspec.Struct, frozen=True, gc=False):
    """Who sent a request, and when, in seconds since the epoch. `served` is what replied, once a model did."""

    caller: str
    asked: float
    served: Served | None = None


class Served(msgspec.Struct, frozen=True, gc=False):
    """A model replied: its real name, and the type of the task (None: of no known type)."""

    model: str
    task: str | None

    @classmethod
    def by(cls, target: str, task: str | None) -> Served:
        """`target` is the name of one, `model@backend`."""
        return cls(target.rpartition("@")[0], task)


class Word(msgspec.Struct, frozen=True, gc=False):
    """What a caller said of `count` replies of a model on one day (days since the epoch, UTC), alike of each of them: the
    fields of a Feedback."""

    day: int
    caller: str
    model: str
    task: str | None
    rating: int | None
    adopted: bool | None
    edited: bool
    retried: bool
    count: int = 1


class Signs(msgspec.Struct, frozen=True, gc=False):
    """What a caller did on one day with `replies` of a model, without a word about them: after `asked_again` of them it
    asked nearly the same within minutes, in the middle of `hung_up` of them it went away."""

    day: int
    caller: str
    model: str
    task: str | None
    replies: int = 0
    asked_again: int = 0
    hung_up: int = 0
