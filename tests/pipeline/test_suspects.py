"""Which jobs may be under way together, where workers died over some of them."""

from __future__ import annotations

from pointsman.domain.job import Job
from pointsman.pipeline.suspects import Suspects

LIMIT = 4


class Hands:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def wall(self) -> float:
        return 0.0

    def monotonic(self) -> float:
        return self.now


def job(name: str, lost: int) -> Job:
    return Job(
        id=name, queue="interactive", kind="request", caller="ann", created=1.0, updated=1.0, body=b"", lost=lost
    )


def test_after_a_first_death_all_are_done_together():
    suspects = Suspects(Hands())
    assert all(suspects.may_begin(job(name, lost), LIMIT) for name, lost in (("a", 1), ("b", 1), ("c", 0)))


def test_a_suspect_has_none_beside_it_over_which_workers_died():
    suspects = Suspects(Hands())
    assert suspects.may_begin(job("suspect", 2), LIMIT)
    assert not suspects.may_begin(job("other", 3), LIMIT)
    assert not suspects.may_begin(job("once", 1), LIMIT)
    assert suspects.may_begin(job("fresh", 0), LIMIT)
    assert suspects.may_begin(job("given up", LIMIT), LIMIT), "only its end is noted"
    suspects.gone("suspect")
    assert suspects.may_begin(job("once", 1), LIMIT)
    assert not suspects.may_begin(job("other", 3), LIMIT)


def test_what_has_gone_on_for_long_is_harmless_and_until_then_others_wait_longer():
    hands = Hands()
    suspects = Suspects(hands)
    assert suspects.pause(15.0) == 15.0
    assert suspects.may_begin(job("suspect", 2), LIMIT)
    hands.now = 100.0
    assert not suspects.may_begin(job("other", 2), LIMIT)
    assert suspects.pause(15.0) == 100.0
    hands.now = 601.0
    assert suspects.may_begin(job("other", 2), LIMIT)
