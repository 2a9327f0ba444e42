"""Samples of a move: how many, and from where of the period."""

from __future__ import annotations

import itertools

import pytest

from pointsman.offline.replay.gathered import Gathered
from pointsman.offline.replay.moved import Place
from pointsman.offline.replay.outcome import Cause, Sample

KEY = (Place("target", "a"), Place("target", "b"), "target", Cause(()))


def samples(many: int, shown: int) -> list[int]:
    gathered = Gathered(shown)
    for number in range(many):
        wanted = gathered.wants(KEY)  # type: ignore[arg-type]
        sample = Sample(str(number), 0.0, None, None, None, None) if wanted else None
        gathered.add(KEY, sample, (None, None))  # type: ignore[arg-type]
    (move,) = gathered.moves()
    assert move.requests == many
    return [int(sample.id) for sample in move.samples]


@pytest.mark.parametrize("many", [1, 3, 4, 6, 7, 50, 51, 100, 878, 100_000])
@pytest.mark.parametrize("shown", [1, 2, 3, 50])
def test_as_many_as_are_shown_from_all_over_the_period(many: int, shown: int) -> None:
    found = samples(many, shown)
    assert len(set(found)) == len(found) == min(many, shown) and found == sorted(found) and found[0] == 0
    if shown > 1 and many > 2 * shown:
        assert found[-1] >= 0.5 * many
        gaps = [after - before for before, after in itertools.pairwise(found)]
        assert max(gaps) <= 4 * many / len(found), "no part of the period is left out"


def test_none_where_none_are_shown() -> None:
    assert samples(10, 0) == []
