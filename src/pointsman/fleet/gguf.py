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
from typing import BinaryIO

import msgspec

from pointsman.domain.target import ModelFacts

Scalar = int | float | bool | str

CHUNK = 1 << 20
MAX_PAIRS = 1 << 16
MAX_TENSORS = 1 << 18
MAX_KEY = 1 << 16
MAX_KEPT = 16 << 20  # bytes of text kept from one file: chat templates are up to 100 KB
MAX_KEPT_ITEMS = 4096  # longest array of numbers that is kept: per-layer numbers are up to a few hundred
MAX_READ = 256 << 20  # bytes read of one file; real metadata with the tensors' descriptions is under 20 MiB
MAX_WALKED = 8_000_000  # strings in arrays, about 1 s; the largest vocabularies with their merges have 1 million

_STRING, _ARRAY, _BOOL = 8, 9, 7
_NUMBERS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<B", 10: "<Q", 11: "<q", 12: "<d"}
_U64 = struct.Struct("<Q")


class GgufError(Exception):
    """The file cannot be read as GGUF. `offset` is the byte at which that showed. `damaged` is False where the file may
    be sound and only of a kind this reader does not know, so that an engine may still load it."""

    def __init__(self, message: str, offset: int, *, damaged: bool = True) -> None:
        super().__init__(f"{message} (at byte {offset:,})")
        self.offset = offset
        self.damaged = damaged


class GgufMetadata(msgspec.Struct, frozen=True):
    """`scalars` holds every pair that is not an array; `arrays` the short arrays of numbers, such as KV heads per
    layer. In `facts`, `context_length` is None: it is the process's, not the file's."""

    facts: ModelFacts
    scalars: dict[str, Scalar]
    arrays: dict[str, list[int | float | bool]]
    version: int
    tensors: int


def read_gguf(path: str | Path) -> GgufMetadata:
    """Blocking; 30 ms for SmolLM2, at most about 2 s and 64 MiB for a hostile file. Raises GgufError, OSError."""
    path = Path(path)
    if not stat.S_ISREG(path.stat().st_mode):  # opening a FIFO would hang
        raise GgufError("not a regular file", 0)
    with path.open("rb", buffering=0) as file:
        return parse_gguf(file, path.stat().st_size)


def parse_gguf(file: BinaryIO, size: int) -> GgufMetadata:
    """`read_gguf` of an open, seekable file of `size` bytes."""
    reader = _Reader(file, size)
    magic = reader.take(4, "the magic number")
    if magic != b"GGUF":
        raise GgufError(f"not a GGUF file: it starts with {magic!r} instead of b'GGUF'", 0)
    version = int(reader.number("<I", "the version"))
    if version not in (2, 3):
        swapped = version & 0xFFFF == 0 and version != 0
        what = "a big-endian GGUF file" if swapped else f"GGUF version {version}"
        raise GgufError(f"{what} is not supported (valid: 2, 3, little-endian)", 4, damaged=False)
    tensors = int(reader.number("<Q", "the number of tensors"))
    pairs = int(reader.number("<Q", "the number of pairs"))
    if tensors > MAX_TENSORS or pairs > MAX_PAIRS:
        raise GgufError(f"absurd counts: {tensors:,} tensors, {pairs:,} pairs of metadata", 8)
    scalars: dict[str, Scalar] = {}
    arrays: dict[str, list[int | float | bool]] = {}
    seen: set[str] = set()
    for _ in range(pairs):
        at = reader.at
        key = reader.text("a key", MAX_KEY)
        if key in seen:
            raise GgufError(f'key "{key[:80]}" stands twice', at)
        seen.add(key)
        kind = int(reader.number("<I", f'the type of "{key[:80]}"'))
        if kind == _STRING:
            scalars[key] = reader.text(f'the value of "{key[:80]}"', MAX_KEPT)
        elif kind == _ARRAY:
            items = reader.array(key[:80])
            if items is not None:
                arrays[key] = items
        elif kind in _NUMBERS:
            number = reader.number(_NUMBERS[kind], f'the value of "{key[:80]}"')
            scalars[key] = bool(number) if kind == _BOOL else number
        else:
            raise GgufError(f'"{key[:80]}" has unknown type {kind}', reader.at - 4, damaged=False)
    counted = _count_parameters(reader, tensors)
    return GgufMetadata(_facts(scalars, arrays, counted), scalars, arrays, version, tensors)


def _count_parameters(reader: _Reader, tensors: int) -> int:
    """Elements of all tensors, from their descriptions: name, u32 dimensions, u64 sizes, u32 type, u64 offset."""
    total = 0
    for index in range(tensors):
        reader.skip_text(f"the name of tensor {index}")
        at = reader.at
        dimensions = int(reader.number("<I", f"the dimensions of tensor {index}"))
        if dimensions > 8:
            raise GgufError(f"tensor {index} has {dimensions} dimensions", at)
        total += math.prod(
            struct.unpack(f"<{dimensions}Q", reader.take(8 * dimensions, f"the shape of tensor {index}"))
        )
        reader.take(12, f"the place of tensor {index}")
    return total


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

    def take(self, count: int, what: str) -> bytes:
        self._need(count, what)
        begin = self.at - self._start
        self.at += count
        return self._window[begin : begin + count]

    def number(self, form: str, what: str) -> int | float:
        value: int | float = struct.unpack(form, self.take(struct.calcsize(form), what))[0]
        return value

    def text(self, what: str, limit: int) -> str:
        at = self.at
        length = int(self.number("<Q", f"the length of {what}"))
        self._kept += length
        if length > limit or self._kept > MAX_KEPT:
            self._check(length, what, at)
            raise GgufError(f"{what} is {length:,} bytes long", at)
        return self.take(length, what).decode("utf-8", "replace")

    def skip_text(self, what: str) -> None:
        at = self.at
        length = int(self.number("<Q", f"the length of {what}"))
        self._check(length, what, at)
        self.at += length

    def array(self, key: str) -> list[int | float | bool] | None:
        """The items of a short array of numbers, else None; either way `at` is behind it."""
        at = self.at
        kind = int(self.number("<I", f'the item type of "{key}"'))
        count = int(self.number("<Q", f'the number of items of "{key}"'))
        if kind == _STRING:
            self._skip_strings(count, key, at)
            return None
        if kind not in _NUMBERS:
            raise GgufError(f'"{key}" is an array of unknown type {kind}', at, damaged=False)
        form = _NUMBERS[kind]
        length = count * struct.calcsize(form)
        what = f'"{key}", an array of {count:,} items,'
        self._check(length, what, at)
        if count > MAX_KEPT_ITEMS:
            self.at += length
            return None
        self._kept += 8 * count
        if self._kept > MAX_KEPT:
            raise GgufError("too much metadata", at)
        items = struct.unpack(f"<{count}{form[1]}", self.take(length, what))
        return [bool(item) for item in items] if kind == _BOOL else list(items)

    def _skip_strings(self, count: int, key: str, at: int) -> None:
        what = f'"{key}", an array of {count:,} strings,'
        self._walked += count
        self._check(8 * count, what, at)
        if self._walked > MAX_WALKED:
            raise GgufError(f"{what} is too long", at)
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

    def _check(self, count: int, what: str, at: int) -> None:
        if self.at + count > self._size:
            raise GgufError(
                f"the file ends inside {what} at {self._size:,} bytes: damaged, or not fully downloaded", at
            )

    def _need(self, count: int, what: str) -> None:
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
            raise GgufError("more metadata than any model has", self.at)
        if got < count:
            raise GgufError(f"the file shrank while {what} was read", self.at)
