"""Writes small GGUF files for the tests: the obvious counterpart of the reader."""

from __future__ import annotations

import struct
from typing import Any

U8, I8, U16, I16, U32, I32, F32, BOOL, STRING, ARRAY, U64, I64, F64 = range(13)
FORMS = {U8: "B", I8: "b", U16: "H", I16: "h", U32: "I", I32: "i", F32: "f", BOOL: "?", U64: "Q", I64: "q", F64: "d"}


def text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def value(kind: int, content: Any) -> bytes:
    if kind == STRING:
        return text(content)
    if kind == ARRAY:
        item_kind, items = content
        return struct.pack("<IQ", item_kind, len(items)) + b"".join(value(item_kind, item) for item in items)
    return struct.pack("<" + FORMS[kind], content)


def gguf(
    pairs: list[tuple[str, int, Any]],
    tensors: list[tuple[str, tuple[int, ...]]] = [],  # noqa: B006, never changed
    *,
    version: int = 3,
) -> bytes:
    out = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(pairs))
    for key, kind, content in pairs:
        out += text(key) + struct.pack("<I", kind) + value(kind, content)
    for name, shape in tensors:
        out += text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, 0)
    return out


LLAMA: list[tuple[str, int, Any]] = [
    ("general.architecture", STRING, "llama"),
    ("llama.context_length", U32, 8192),
    ("llama.block_count", U32, 2),
    ("llama.embedding_length", U32, 64),
    ("llama.attention.head_count", U32, 4),
    ("llama.attention.head_count_kv", ARRAY, (I32, [2, 0, 1])),
    ("tokenizer.ggml.tokens", ARRAY, (STRING, ["a", "", "好", "x" * 300])),
    ("tokenizer.ggml.scores", ARRAY, (F32, [0.5] * 5000)),
    ("llama.rope.freq_base", F32, 10000.0),
    ("some.flag", BOOL, True),
    ("some.flags", ARRAY, (BOOL, [True, False])),
    ("some.big", U64, 2**63 + 1),
    ("some.small", I8, -3),
    ("some.double", F64, 0.25),
    ("some.text", STRING, "后" * 10),
]
TENSORS: list[tuple[str, tuple[int, ...]]] = [("token_embd.weight", (64, 4)), ("blk.0.norm", (64,))]
SMALL = gguf(LLAMA, TENSORS)
