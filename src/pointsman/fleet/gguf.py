"""Reader of a GGUF file's metadata (versions 2 and 3, little-endian), for files that nobody vouches for.

Source of the format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. Header: magic, u32 version, u64
tensors, u64 pairs; then the pairs (key, u32 type, value), then one description per tensor. Strings carry a u64
length. Long arrays (the vocabulary) are walked over, never built. Buffered reads, no mmap: a file that shrinks while
it is mapped kills the process with SIGBUS."""

from __future__ import annotations

import math
import stat
import struct
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from pointsman.domain.said import Said, in_zh, said
from pointsman.domain.target import ModelFacts
from pointsman.memory.tensors import Tensor

Scalar = int | float | bool | str
What = tuple[Any, ...]
"""What is being read: both templates and their slots, put together only where it goes wrong (`_say`); a slot may be a
What itself."""

CHUNK = 1 << 20
MAX_PAIRS = 1 << 16
MAX_TENSORS = 1 << 18
MAX_TABLE = 1 << 14  # descriptions of tensors that are kept: the largest models have some 2,000
MAX_KEY = 1 << 16
MAX_NAME = 1 << 10  # of a tensor: ggml itself has room for 64 bytes
MAX_ALIGNMENT = 1 << 20
MAX_KEPT = 16 << 20  # bytes of text kept from one file: chat templates are up to 100 KB
MAX_KEPT_ITEMS = 4096  # longest array of numbers that is kept: per-layer numbers are up to a few hundred
MAX_READ = 256 << 20  # bytes read of one file; real metadata with the tensors' descriptions is under 20 MiB
MAX_WALKED = 8_000_000  # strings in arrays, about 1 s; the largest vocabularies with their merges have 1 million

_STRING, _ARRAY, _BOOL = 8, 9, 7
_NUMBERS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<B", 10: "<Q", 11: "<q", 12: "<d"}
_U64 = struct.Struct("<Q")
_PLACE = struct.Struct("<IQ")


class GgufError(Exception):
    """The file cannot be read as GGUF. `offset` is the byte at which that showed. `damaged` is False where the file may
    be sound and only of a kind this reader does not know, so that an engine may still load it."""

    def __init__(self, message: Said, offset: int, *, damaged: bool = True) -> None:
        self.message = said("{it} (at byte {at:,})", "{it}（第 {at:,} 字节处）", it=message, at=offset)
        super().__init__(self.message)
        self.offset = offset
        self.damaged = damaged


class GgufMetadata(msgspec.Struct, frozen=True):
    """`scalars` holds every pair that is not an array; `arrays` the short arrays of numbers, such as KV heads per
    layer. In `facts`, `context_length` is None: it is the process's, not the file's. `table` describes the tensors (none
    where there are too many to be a model's), which begin at byte `start` and are `data` bytes together; all are bounds of
    what a file may say, checked against nothing (`model_check.py` does)."""

    facts: ModelFacts
    scalars: dict[str, Scalar]
    arrays: dict[str, list[int | float | bool]]
    version: int
    tensors: int
    table: tuple[Tensor, ...] = ()
    data: int = 0
    start: int = 0


def read_gguf(path: str | Path) -> GgufMetadata:
    """Blocking; 30 ms for SmolLM2, at most about 2 s and 64 MiB for a hostile file. Raises GgufError, OSError."""
    path = Path(path)
    if not stat.S_ISREG(path.stat().st_mode):  # opening a FIFO would hang
        raise GgufError(Said("not a regular file", "不是普通文件"), 0)
    with path.open("rb", buffering=0) as file:
        return parse_gguf(file, path.stat().st_size)


def parse_gguf(file: BinaryIO, size: int) -> GgufMetadata:
    """`read_gguf` of an open, seekable file of `size` bytes."""
    reader = _Reader(file, size)
    magic = reader.take(4, ("the magic number", "魔数"))
    if magic != b"GGUF":
        what = said(
            "not a GGUF file: it starts with {magic!r} instead of b'GGUF'",
            "不是 GGUF 文件：开头是 {magic!r} 而不是 b'GGUF'",
            magic=magic,
        )
        raise GgufError(what, 0)
    version = int(reader.number("<I", ("the version", "版本号")))
    if version not in (2, 3):
        swapped = version & 0xFFFF == 0 and version != 0
        kind_of = Said("a big-endian GGUF file", "大端序的 GGUF 文件")
        what = kind_of if swapped else said("GGUF version {version}", "GGUF 版本 {version} ", version=version)
        unknown = said(
            "{what} is not supported (valid: 2, 3, little-endian)", "不支持{what}（合法取值：2、3，小端序）", what=what
        )
        raise GgufError(unknown, 4, damaged=False)
    tensors = int(reader.number("<Q", ("the number of tensors", "张量的个数")))
    pairs = int(reader.number("<Q", ("the number of pairs", "元数据的条数")))
    if tensors > MAX_TENSORS or pairs > MAX_PAIRS:
        absurd = said(
            "absurd counts: {tensors:,} tensors, {pairs:,} pairs of metadata",
            "数目不合理：{tensors:,} 个张量，{pairs:,} 条元数据",
            tensors=tensors,
            pairs=pairs,
        )
        raise GgufError(absurd, 8)
    scalars: dict[str, Scalar] = {}
    arrays: dict[str, list[int | float | bool]] = {}
    seen: set[str] = set()
    for _ in range(pairs):
        at = reader.at
        key = reader.text(("a key", "一个键"), MAX_KEY)
        shown = key[:80]
        if key in seen:
            raise GgufError(said('key "{key}" stands twice', "键“{key}”出现了两次", key=shown), at)
        seen.add(key)
        value_of = ('the value of "{}"', "“{}”的值", shown)
        kind = int(reader.number("<I", ('the type of "{}"', "“{}”的类型", shown)))
        if kind == _STRING:
            scalars[key] = reader.text(value_of, MAX_KEPT)
        elif kind == _ARRAY:
            items = reader.array(shown)
            if items is not None:
                arrays[key] = items
        elif kind in _NUMBERS:
            number = reader.number(_NUMBERS[kind], value_of)
            scalars[key] = bool(number) if kind == _BOOL else number
        else:
            unknown = said('"{key}" has unknown type {kind}', "“{key}”的类型 {kind} 未知", key=shown, kind=kind)
            raise GgufError(unknown, reader.at - 4, damaged=False)
    counted, table = _read_table(reader, tensors)
    alignment = scalars.get("general.alignment", 32)
    step = alignment if isinstance(alignment, int) and 0 < alignment <= MAX_ALIGNMENT else 32
    start = -(-reader.at // step) * step
    facts = _facts(scalars, arrays, counted)
    return GgufMetadata(facts, scalars, arrays, version, tensors, table, max(0, size - start), start)


def _read_table(reader: _Reader, tensors: int) -> tuple[int, tuple[Tensor, ...]]:
    """Elements of all tensors, and their descriptions: name, u32 dimensions, u64 sizes, u32 type, u64 offset."""
    total = 0
    table: list[Tensor] = []
    kept = tensors <= MAX_TABLE
    for index in range(tensors):
        named = ("the name of tensor {}", "张量 {} 的名字", index)
        name = reader.text(named, MAX_NAME) if kept else None
        if name is None:
            reader.skip_text(named)
        at = reader.at
        dimensions = int(reader.number("<I", ("the dimensions of tensor {}", "张量 {} 的维数", index)))
        if dimensions > 8:
            many = said("tensor {it} has {n} dimensions", "张量 {it} 有 {n} 个维度", it=index, n=dimensions)
            raise GgufError(many, at)
        shape = reader.take(8 * dimensions, ("the shape of tensor {}", "张量 {} 的形状", index))
        sizes = struct.unpack(f"<{dimensions}Q", shape)
        total += math.prod(sizes)
        kind, offset = _PLACE.unpack(reader.take(12, ("the place of tensor {}", "张量 {} 的位置", index)))
        if name is not None:
            table.append(Tensor(name, sizes, kind, offset))
    return total, tuple(table)


def _facts(scalars: dict[str, Scalar], arrays: dict[str, list[int | float | bool]], counted: int) -> ModelFacts:
    architecture = scalars.get("general.architecture")
    prefix = architecture if isinstance(architecture, str) else ""

    def whole(key: str) -> int | None:
        """A positive number, of an array per layer the largest; None where the file has none or nonsense."""
        value = scalars.get(key)
        numbers = arrays.get(key, []) if value is None else [value]
        found = [n for n in numbers if isinstance(n, int) and not isinstance(n, bool) and 0 < n < 1 << 63]
        return max(found, default=None)

    heads = whole(f"{prefix}.attention.head_count")
    embedding = whole(f"{prefix}.embedding_length")
    head_size = whole(f"{prefix}.attention.key_length")
    if head_size is None and heads and embedding and embedding % heads == 0:
        head_size = embedding // heads
    parameters = whole("general.parameter_count") or counted
    return ModelFacts(
        trained_context=whole(f"{prefix}.context_length"),
        layers=whole(f"{prefix}.block_count"),
        heads=heads,
        kv_heads=whole(f"{prefix}.attention.head_count_kv") or heads,
        head_size=head_size,
        embedding_size=embedding,
        parameters=parameters if 0 < parameters < 1 << 63 else None,
        architecture=prefix or None,
    )


def _say(what: What) -> Said:
    en, zh, *slots = what
    parts = [_say(slot) if isinstance(slot, tuple) else slot for slot in slots]
    return Said(en.format(*parts), zh.format(*map(in_zh, parts)))


class _Reader:
    """A window of about 1 MiB that moves over the file. `at` is the offset in the file of the next byte."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._size = size
        self._window = b""
        self._start = 0  # offset of the window in the file
        self.at = 0
        self._read = 0
        self._kept = 0
        self._walked = 0

    def take(self, count: int, what: What) -> bytes:
        self._need(count, what)
        begin = self.at - self._start
        self.at += count
        return self._window[begin : begin + count]

    def number(self, form: str, what: What) -> int | float:
        value: int | float = struct.unpack(form, self.take(struct.calcsize(form), what))[0]
        return value

    def text(self, what: What, limit: int) -> str:
        at = self.at
        length = int(self.number("<Q", ("the length of {}", "{}的长度", what)))
        self._kept += length
        if length > limit or self._kept > MAX_KEPT:
            self._check(length, what, at)
            long = said("{what} is {length:,} bytes long", "{what}长达 {length:,} 字节", what=_say(what), length=length)
            raise GgufError(long, at)
        return self.take(length, what).decode("utf-8", "replace")

    def skip_text(self, what: What) -> None:
        at = self.at
        length = int(self.number("<Q", ("the length of {}", "{}的长度", what)))
        self._check(length, what, at)
        self.at += length

    def array(self, key: str) -> list[int | float | bool] | None:
        """The items of a short array of numbers, else None; either way `at` is behind it."""
        at = self.at
        kind = int(self.number("<I", ('the item type of "{}"', "“{}”的元素类型", key)))
        count = int(self.number("<Q", ('the number of items of "{}"', "“{}”的元素个数", key)))
        if kind == _STRING:
            self._skip_strings(count, key, at)
            return None
        if kind not in _NUMBERS:
            text = said(
                '"{key}" is an array of unknown type {kind}', "数组“{key}”的类型 {kind} 未知", key=key, kind=kind
            )
            raise GgufError(text, at, damaged=False)
        form = _NUMBERS[kind]
        length = count * struct.calcsize(form)
        what = ('"{}", an array of {:,} items,', "“{}”（{:,} 个元素的数组）", key, count)
        self._check(length, what, at)
        if count > MAX_KEPT_ITEMS:
            self.at += length
            return None
        self._kept += 8 * count
        if self._kept > MAX_KEPT:
            raise GgufError(Said("too much metadata", "元数据过多"), at)
        items = struct.unpack(f"<{count}{form[1]}", self.take(length, what))
        return [bool(item) for item in items] if kind == _BOOL else list(items)

    def _skip_strings(self, count: int, key: str, at: int) -> None:
        what = ('"{}", an array of {:,} strings,', "“{}”（{:,} 个字符串的数组）", key, count)
        self._walked += count
        self._check(8 * count, what, at)
        if self._walked > MAX_WALKED:
            raise GgufError(said("{what} is too long", "{what}过长", what=_say(what)), at)
        unpack = _U64.unpack_from
        while count:
            self._need(8, what)
            window, begin = self._window, self.at - self._start
            last = len(window) - 8
            while count and begin <= last:
                begin += 8 + unpack(window, begin)[0]
                count -= 1
            self.at = self._start + begin
            self._check(0, what, at)

    def _check(self, count: int, what: What, at: int) -> None:
        if self.at + count > self._size:
            text = said(
                "the file ends inside {what} at {size:,} bytes: damaged, or not fully downloaded",
                "文件到 {size:,} 字节就结束了，而{what}还没有完：文件已损坏，或没有下载完整",
                what=_say(what),
                size=self._size,
            )
            raise GgufError(text, at)

    def _need(self, count: int, what: What) -> None:
        """Makes `count` bytes at `at` lie in the window."""
        self._check(count, what, self.at)
        if self._start <= self.at and self.at + count <= self._start + len(self._window):
            return
        wanted = max(count, CHUNK)
        self._file.seek(self.at)
        parts, got = [], 0
        while got < wanted and (part := self._file.read(wanted - got)):
            parts.append(part)
            got += len(part)
        self._window, self._start = b"".join(parts), self.at
        self._read += got
        if self._read > MAX_READ:
            raise GgufError(Said("more metadata than any model has", "元数据比任何模型的都多"), self.at)
        if got < count:
            text = said("the file shrank while {what} was read", "读取{what}时文件变短了", what=_say(what))
            raise GgufError(text, self.at)
