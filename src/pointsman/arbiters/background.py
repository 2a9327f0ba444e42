"""Texts of general talk with models, for telling what is outside any set: not the texts, but what heads see of them, their
vectors (8 bits a number) and the hashes of their pieces. Where they are from: docs/arbiter/training.md, NOTICE."""

from __future__ import annotations

import itertools
import zlib
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy

from pointsman.arbiter.sparse import Floats

MODEL = "multilingual-e5-small/"
"""Whose vectors these are."""
_FILE = "background.bin"


class Background(NamedTuple):
    """`vectors`: one line a text; `counts`: its pieces, each once."""

    vectors: Floats
    counts: tuple[dict[int, int], ...]
    hash: str


@cache
def background() -> Background:
    packed = files("pointsman.arbiters").joinpath(_FILE).read_bytes()
    data = zlib.decompress(packed)
    texts, width, total = numpy.frombuffer(data, numpy.uint32, 3).tolist()
    at = 12
    scales = numpy.frombuffer(data, numpy.float32, texts, at)
    at += 4 * texts
    numbers = numpy.frombuffer(data, numpy.int8, texts * width, at).reshape(texts, width)
    at += texts * width
    starts = numpy.frombuffer(data, numpy.uint32, texts + 1, at).tolist()
    at += 4 * (texts + 1)
    pieces = numpy.frombuffer(data, numpy.uint32, total, at).tolist()
    vectors: Floats = (numbers * scales[:, None]).astype(numpy.float32)
    counts = tuple(dict.fromkeys(pieces[a:b], 1) for a, b in itertools.pairwise(starts))
    return Background(vectors, counts, f"{zlib.crc32(packed):08x}")
