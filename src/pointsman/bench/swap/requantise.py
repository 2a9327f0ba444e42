"""A model once more, in another quantisation: Q4_1 tensors of a GGUF file as Q8_0, all else as it is."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import said

_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
_STRING, _ARRAY = 8, 9
_Q4_1, _Q8_0 = 3, 8
_BLOCK = 32
_BYTES = {0: (1, 4), 1: (1, 2), _Q4_1: (_BLOCK, 20), _Q8_0: (_BLOCK, 34)}
"""Elements of a block, and its bytes, of the types that such a file may hold."""
_ALIGNMENT = 32


def requantised(source: Path, to: Path) -> None:
    """Raises PointsmanError for a file that holds tensors of other types, OSError."""
    data = source.read_bytes()
    head, tensors, begin = _read(data, source)
    out, infos, bodies, offset = bytearray(), bytearray(), [], 0
    for name, shape, kind, at in tensors:
        count = 1
        for size in shape:
            count *= size
        block, width = _BYTES[kind]
        body = data[begin + at : begin + at + count // block * width]
        if kind == _Q4_1:
            kind, body = _Q8_0, _as_q8_0(body)
        infos += _text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, offset)
        body += bytes(-len(body) % _ALIGNMENT)
        bodies.append(body)
        offset += len(body)
    out += head + infos
    out += bytes(-len(out) % _ALIGNMENT)
    with to.open("wb") as file:
        file.write(out)
        for body in bodies:
            file.write(body)


def _as_q8_0(body: bytes) -> bytes:
    """Blocks of 32: a scale, a least value, and 4 bits each (the low halves come first) → a scale, and 8 bits each."""
    import numpy as np

    blocks = np.frombuffer(body, dtype=[("d", "<f2"), ("m", "<f2"), ("q", "u1", 16)])
    nibbles = np.concatenate([blocks["q"] & 15, blocks["q"] >> 4], axis=1).astype(np.float32)
    values = nibbles * blocks["d"].astype(np.float32)[:, None] + blocks["m"].astype(np.float32)[:, None]
    scale = np.abs(values).max(axis=1) / 127.0
    made: Any = np.zeros(len(values), dtype=[("d", "<f2"), ("q", "i1", _BLOCK)])
    made["d"] = scale
    divisor = np.where(scale > 0, scale, 1.0)[:, None]
    made["q"] = np.clip(np.rint(values / divisor), -127, 127)
    return bytes(made.tobytes())


def _read(data: bytes, source: Path) -> tuple[bytes, list[tuple[bytes, tuple[int, ...], int, int]], int]:
    """All before the list of tensors; (name, shape, type, offset) of each; where their data begin."""
    magic, _, count, pairs = struct.unpack_from("<4sIQQ", data)
    if magic != b"GGUF":
        raise PointsmanError(said("{file} is no GGUF file", "{file} 不是 GGUF 文件", file=source.name))
    at = 24
    for _ in range(pairs):
        at = _after_text(data, at)
        at = _after_value(data, at + 4, struct.unpack_from("<I", data, at)[0])
    head = data[:at]
    tensors = []
    for _ in range(count):
        end = _after_text(data, at)
        name = data[at + 8 : end]
        (dimensions,) = struct.unpack_from("<I", data, end)
        *shape, kind, offset = struct.unpack_from(f"<{dimensions}QIQ", data, end + 4)
        at = end + 4 + 8 * dimensions + 12
        if kind not in _BYTES:
            en = "{file} holds tensors of type {kind}; only F32, F16, Q4_1 and Q8_0 can be written anew"
            zh = "{file} 含有类型 {kind} 的张量；只能改写 F32、F16、Q4_1、Q8_0"
            raise PointsmanError(said(en, zh, file=source.name, kind=kind))
        tensors.append((name, tuple(shape), kind, offset))
    return head, tensors, at + -at % _ALIGNMENT


def _after_text(data: bytes, at: int) -> int:
    length: int = struct.unpack_from("<Q", data, at)[0]
    return at + 8 + length


def _after_value(data: bytes, at: int, kind: int) -> int:
    if kind == _STRING:
        return _after_text(data, at)
    if kind != _ARRAY:
        return at + _SIZES[kind]
    item, count = struct.unpack_from("<IQ", data, at)
    at += 12
    if item in _SIZES:
        return at + _SIZES[item] * int(count)
    for _ in range(count):
        at = _after_value(data, at, item)
    return at


def _text(name: bytes) -> bytes:
    return struct.pack("<Q", len(name)) + name
