"""Several whole numbers in one: adding two such integers adds all of their numbers at once, exactly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

BITS = 32
_HALF = 1 << (BITS - 1)
_MASK = (1 << BITS) - 1


def packed(numbers: Iterable[int]) -> int:
    """Each between −2³¹ and 2³¹ − 1, as must be the sums that are to be read."""
    result = 0
    for place, number in enumerate(numbers):
        result += number << (BITS * place)
    return result


def behind(whole: int, lanes: int) -> int:
    """The same numbers behind `lanes` others, which are nothing."""
    return whole << BITS * lanes


def parted(whole: int, lanes: int) -> tuple[int, int]:
    """The first `lanes` numbers, and those behind them."""
    half = 1 << (BITS * lanes - 1)
    first = ((whole + half) & ((half << 1) - 1)) - half
    return first, (whole - first) >> (BITS * lanes)


def middle(lanes: int) -> int:
    """What lifts that many numbers above nothing; `unpacked` takes it."""
    return packed([_HALF] * lanes)


def unpacked(whole: int, lanes: int, lift: int) -> Sequence[int]:
    """The numbers again. `lift` is `middle(lanes)`."""
    data = (whole + lift).to_bytes(lanes * BITS // 8, "little")
    return [each - _HALF for each in memoryview(data).cast("I")]
