"""Bytes of tensors, and which of them belong to which layer."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Sequence

import msgspec

from pointsman.memory.network import Weights

GGML = {
    0: ("f32", 1, 4),
    1: ("f16", 1, 2),
    2: ("q4_0", 32, 18),
    3: ("q4_1", 32, 20),
    6: ("q5_0", 32, 22),
    7: ("q5_1", 32, 24),
    8: ("q8_0", 32, 34),
    9: ("q8_1", 32, 36),
    10: ("q2_K", 256, 84),
    11: ("q3_K", 256, 110),
    12: ("q4_K", 256, 144),
    13: ("q5_K", 256, 176),
    14: ("q6_K", 256, 210),
    15: ("q8_K", 256, 292),
    16: ("iq2_xxs", 256, 66),
    17: ("iq2_xs", 256, 74),
    18: ("iq3_xxs", 256, 98),
    19: ("iq1_s", 256, 50),
    20: ("iq4_nl", 32, 18),
    21: ("iq3_s", 256, 110),
    22: ("iq2_s", 256, 82),
    23: ("iq4_xs", 256, 136),
    24: ("i8", 1, 1),
    25: ("i16", 1, 2),
    26: ("i32", 1, 4),
    27: ("i64", 1, 8),
    28: ("f64", 1, 8),
    29: ("iq1_m", 256, 56),
    30: ("bf16", 1, 2),
    34: ("tq1_0", 256, 54),
    35: ("tq2_0", 256, 66),
    39: ("mxfp4", 32, 17),
}
"""Type in a GGUF file → (its name, elements of a block, bytes of a block)."""

_LAYER = re.compile(r"(?:^|\.)(?:blk|layers|h|blocks)\.(\d{1,5})\.")
_ASIDE = re.compile(r"^(?:v|a|mm)\.|(?:^|\.)(?:vision|visual|audio|image|multi_modal|mm_)")
_INPUT = re.compile(
    r"(?:^|\.)(?:token_embd|per_layer_token_embd|position_embd|token_types|embed_tokens|wte|wpe|word_embeddings)"
)
_OUTPUT = re.compile(r"^output\.|(?:^|\.)(?:lm_head|embed_out)\.")


class Tensor(msgspec.Struct, frozen=True, gc=False):
    """A tensor as a GGUF file describes it: `offset` counts from where the tensors begin."""

    name: str
    shape: tuple[int, ...]
    type: int
    offset: int


def sizes(tensors: Sequence[Tensor], data: int) -> list[int]:
    """Bytes of each, of which the file holds `data` together. Of a type that is not known here: what lies between it and
    the next."""
    starts = sorted({tensor.offset for tensor in tensors} | {data})
    after = dict(itertools.pairwise(starts))
    return [_size(tensor, after) for tensor in tensors]


def size_of(tensor: Tensor) -> int:
    """Bytes of a tensor, 0 of a type that is not known here."""
    if tensor.type not in GGML or not tensor.shape:
        return 0
    _, block, size = GGML[tensor.type]
    rows = math.prod(tensor.shape[1:])
    return -(-tensor.shape[0] // block) * size * rows


def _size(tensor: Tensor, after: dict[int, int]) -> int:
    if tensor.type not in GGML or not tensor.shape:
        return after.get(tensor.offset, tensor.offset) - tensor.offset
    return size_of(tensor)


def grouped(named: Iterable[tuple[str, int]], layers: int) -> Weights:
    """Weights by the place that a name (llama.cpp's or that of a Hugging Face model) tells, from names and bytes."""
    per = [0] * layers
    start = output = other = 0
    tied = True
    for name, size in named:
        aside = _ASIDE.search(name) is not None
        at = None if aside else _LAYER.search(name)
        if at is not None and int(at[1]) < layers:
            per[int(at[1])] += size
        elif not aside and _OUTPUT.search(name):
            output += size
            tied = False
        elif not aside and _INPUT.search(name):
            start += size
        else:
            other += size
    return Weights(tuple(per), start, output, other, tied=tied and start > 0)
