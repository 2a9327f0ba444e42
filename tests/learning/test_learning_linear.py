"""Numbers in lanes, weights of pieces and their bytes: what comes out is what went in, exactly."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.learning.lanes import middle, packed, unpacked
from pointsman.learning.linear import MOST, Linear, Stored, compressed, decompressed, linear_of

small = st.integers(-MOST, MOST)


@given(st.lists(st.lists(st.integers(-(2**24), 2**24), min_size=4, max_size=4), min_size=1, max_size=60))
def test_a_sum_of_packed_numbers_is_the_sum_of_each(rows: list[list[int]]) -> None:
    found = unpacked(sum(map(packed, rows)), 4, middle(4))
    assert list(found) == [sum(column) for column in zip(*rows, strict=True)]


@given(st.dictionaries(st.text("abc 甲乙", min_size=1, max_size=4), st.tuples(small, small, small), max_size=20))
def test_a_model_comes_back_from_its_bytes(weights: dict[str, tuple[int, int, int]]) -> None:
    linear = Linear(("x", "y", "z"), {piece: packed(numbers) for piece, numbers in weights.items()})
    data = msgspec.msgpack.encode(linear.stored())
    again = linear_of(msgspec.msgpack.decode(data, type=Stored))
    assert (again.heads, again.weights) == (linear.heads, linear.weights)
    asked = [*weights, "unknown"]
    expected = [sum(numbers[head] for numbers in weights.values()) for head in range(3)]
    assert list(again.sums(asked)) == expected
    assert data == msgspec.msgpack.encode(Linear(linear.heads, dict(reversed(linear.weights.items()))).stored())


def test_what_is_no_model_is_refused() -> None:
    with pytest.raises(ValueError, match="larger"):
        Linear(("x",), {"a": packed([MOST + 1])}).stored()
    with pytest.raises(ValueError, match="each piece"):
        linear_of(Stored(("x",), "a\nb", b"\0\0"))
    with pytest.raises(ValueError, match="compressed"):
        decompressed(b"no")
    assert decompressed(compressed(b"abc" * 100)) == b"abc" * 100
