"""What a request's text means, as an embedding model has it: a vector of whole numbers, or why there is none."""

from __future__ import annotations

from array import array

import msgspec

from pointsman.domain.intent import Failure

SCALE = 512
"""One, in coordinates."""
_MOST = 127


class Meaning(msgspec.Struct, frozen=True, kw_only=True):
    """`embedder` names the model that was asked. `vector` holds a signed byte for each coordinate, in SCALEths: with it a
    decision can be computed again without the model. `failure`: why it is empty. `took_ms`: milliseconds, with waiting."""

    embedder: str
    vector: bytes = b""
    failure: Failure | None = None
    took_ms: float = 0.0


def coordinates(vector: array[float]) -> bytes:
    """Of a vector of unit length, each rounded to a SCALEth; none is further from nothing than 127 of them."""
    return array("b", [min(max(round(each * SCALE), -_MOST), _MOST) for each in vector]).tobytes()
