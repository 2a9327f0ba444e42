"""What the index and the sums need of the requests of a batch, column by column.

Most fields take few values, and few combinations of these: a request has the number of its combination, so that what is done
to fields is done once for each combination, and not for each request."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Sequence
from itertools import chain, repeat
from operator import attrgetter, itemgetter
from typing import Any

import msgspec

from pointsman.store.log_columns import checks_of, joined
from pointsman.store.log_filters import FEATURES, KEPT, LABELS
from pointsman.store.log_row import Brief, Head

Kind = tuple[str | None, ...]
"""A value of each of `KIND`."""
_PLAIN = tuple([name for name in KEPT if name != "id" and name not in LABELS and name not in FEATURES])
KIND = (*_PLAIN, *LABELS, *FEATURES)
"""The fields that requests have in common with others: all that chapters have columns of but the id."""
_NUMBERS = ("received", "id", "input_tokens", "output_tokens", "cached_tokens", "total_ms", "ttft_ms", "queued_ms")
_NEEDED = (*_NUMBERS, *_PLAIN, *LABELS.values(), "features")
_LABELS_AT = len(_NUMBERS) + len(_PLAIN)
needed_of = itemgetter(*map(Head.__struct_fields__.index, _NEEDED))
"""The fields of a head, in its order → those that an outline is made of."""
_numbers_of = attrgetter(*_NUMBERS)


class Outline(msgspec.Struct, frozen=True, gc=False):
    """Each list has an item a request: when it came, a checksum of its id, which of the `kinds` it is; its tokens; and
    milliseconds, each None where nobody counted, or that was not reached."""

    received: Sequence[float]
    checks: array[int]
    kinds: Sequence[Kind]
    codes: Sequence[int]
    input_tokens: Sequence[int | None]
    output_tokens: Sequence[int | None]
    cached_tokens: Sequence[int | None]
    total_ms: Sequence[float | None]
    ttft_ms: Sequence[float | None]
    queued_ms: Sequence[float | None]

    @property
    def count(self) -> int:
        return len(self.received)


def sums_of(briefs: Sequence[Brief], fields: Collection[str]) -> Outline:
    """An outline for sums by these fields, in less time: it has no checksums, and kinds are told apart by nothing else.
    `fields` are of `KIND`, labels and features not among them."""
    received, _, *figures = zip(*map(_numbers_of, briefs), strict=True) if briefs else [()] * len(_NUMBERS)
    by = [map(attrgetter(field), briefs) if field in fields else repeat(None) for field in KIND]
    kinds: dict[Kind, int] = {}
    codes = [kinds.setdefault(kind, len(kinds)) for kind, _ in zip(zip(*by, strict=False), received, strict=False)]
    return Outline(received, array("I"), list(kinds), codes, *figures)


def outline_of(needed: Sequence[Any], features: Sequence[str]) -> Outline:
    """Of what `needed_of` gave of each request, one after the other; `features` are the names of theirs, in their order."""
    columns = [needed[place :: len(_NEEDED)] for place in range(len(_NEEDED))]
    received, ids, *figures = columns[: len(_NUMBERS)]
    plain, those = columns[len(_NUMBERS) : _LABELS_AT], columns[-1]
    labels = [map(joined, these) if any(these) else repeat(None) for these in columns[_LABELS_AT:-1]]
    told = [_told(those, features.index(name)) if name in features else repeat(None) for name in FEATURES]
    kinds: dict[Kind, int] = {}
    codes = [kinds.setdefault(kind, len(kinds)) for kind in zip(*plain, *labels, *told, strict=False)]
    return Outline(received, checks_of(ids), list(kinds), codes, *figures)


def together(outlines: Sequence[Outline]) -> Outline:
    """The requests of all of them, one outline after the other."""
    if len(outlines) == 1:
        return outlines[0]
    kinds: dict[Kind, int] = {}
    codes: list[int] = []
    checks = array("I")
    for one in outlines:
        numbers = [kinds.setdefault(kind, len(kinds)) for kind in one.kinds]
        codes += map(numbers.__getitem__, one.codes)
        checks += one.checks
    return Outline(
        _chained(one.received for one in outlines),
        checks,
        list(kinds),
        codes,
        _chained(one.input_tokens for one in outlines),
        _chained(one.output_tokens for one in outlines),
        _chained(one.cached_tokens for one in outlines),
        _chained(one.total_ms for one in outlines),
        _chained(one.ttft_ms for one in outlines),
        _chained(one.queued_ms for one in outlines),
    )


def _told(features: Iterable[Sequence[Any] | None], place: int) -> list[str | None]:
    """One feature of each request."""
    return [None if each is None or each[place] is None else str(each[place]) for each in features]


def _chained(columns: Iterable[Sequence[Any]]) -> list[Any]:
    return list(chain.from_iterable(columns))
