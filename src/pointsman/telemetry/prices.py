"""What tokens take of a target, and what a request would have taken if everything had gone to the heavy model."""

from __future__ import annotations

from collections.abc import Callable

import msgspec


class Price(msgspec.Struct, frozen=True):
    """Of one token on a target: seconds to read it (`prefill`) and to write it (`decode`), as one request alone would take;
    bytes of KV cache in f16. `money` and `watts` are of a second of that work; None: nobody said."""

    prefill: float
    decode: float
    kv_bytes: float = 0.0
    money: float | None = None
    watts: float | None = None


class Prices(msgspec.Struct, frozen=True):
    """`heavy` is the target that everything would go to without rules and routing; None: there is none. `usual` gives the
    output tokens of a usual reply to that kind of task."""

    targets: dict[str, Price]
    heavy: str | None
    usual: Callable[[str | None], int]


FREE = Prices({}, None, lambda task: 0)
