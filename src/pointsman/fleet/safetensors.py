"""Names and sizes of the tensors in a safetensors file, from its header alone, for files that nobody vouches for.

Source of the format: https://github.com/huggingface/safetensors. A u64 (little-endian) says how long the JSON that follows
is: name → {dtype, shape, data_offsets: [begin, end)}, offsets counted from behind the JSON."""

from __future__ import annotations

import stat
from pathlib import Path

import msgspec

from pointsman.domain.said import Said, said

MAX_HEADER = 64 << 20  # the largest models have some 10 MB


class SafetensorsError(Exception):
    """The file cannot be read as safetensors. `offset` is the byte at which that showed."""

    def __init__(self, message: Said, offset: int) -> None:
        self.message = said("{it} (at byte {at:,})", "{it}（第 {at:,} 字节处）", it=message, at=offset)
        super().__init__(self.message)
        self.offset = offset


class _Entry(msgspec.Struct, frozen=True):
    data_offsets: tuple[int, int]


def read_safetensors(path: str | Path) -> dict[str, int]:
    """Name → bytes, of each tensor. Blocking. Raises SafetensorsError, OSError."""
    path = Path(path)
    about = path.stat()
    if not stat.S_ISREG(about.st_mode):  # opening a FIFO would hang
        raise SafetensorsError(Said("not a regular file", "不是普通文件"), 0)
    with path.open("rb") as file:
        first = file.read(8)
        length = int.from_bytes(first, "little")
        if len(first) < 8:
            raise SafetensorsError(
                said("the file ends after {size} bytes", "文件只有 {size} 字节", size=len(first)), len(first)
            )
        if length > MAX_HEADER:
            wrong = said(
                "no safetensors file: a header of {n:,} bytes", "不是 safetensors 文件：头部长达 {n:,} 字节", n=length
            )
            raise SafetensorsError(wrong, 0)
        header = file.read(length)
    if len(header) < length:
        short = said(
            "the file ends inside its header at {size:,} bytes: damaged, or not fully downloaded",
            "文件到 {size:,} 字节就结束了，而头部还没有完：文件已损坏，或没有下载完整",
            size=about.st_size,
        )
        raise SafetensorsError(short, about.st_size)
    return _sizes(header, about.st_size - 8 - length)


def _sizes(header: bytes, data: int) -> dict[str, int]:
    try:
        raw = msgspec.json.decode(header, type=dict[str, msgspec.Raw])
        entries = {
            name: msgspec.json.decode(entry, type=_Entry).data_offsets
            for name, entry in raw.items()
            if name != "__metadata__"
        }
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        wrong = said("the header is not what it should be: {why}", "头部不合格式：“{why}”", why=error)
        raise SafetensorsError(wrong, 8) from None
    for name, (begin, end) in entries.items():
        if not 0 <= begin <= end:
            nowhere = said(
                '"{name}" lies at {begin:,} to {end:,}: damaged',
                "“{name}”位于 {begin:,} 到 {end:,}：文件已损坏",
                name=name[:80],
                begin=begin,
                end=end,
            )
            raise SafetensorsError(nowhere, 8)
    last = max(entries, key=lambda name: entries[name][1], default="")
    if entries and entries[last][1] > data:
        start = 8 + len(header)
        cut = said(
            'the file ends at {size:,} bytes, its tensors (the last is "{name}") at {end:,}: '
            "damaged, or not fully downloaded",
            "文件到 {size:,} 字节就结束了，而张量（最后一个是“{name}”）要到 {end:,} 字节：文件已损坏，或没有下载完整",
            size=start + data,
            name=last[:80],
            end=start + entries[last][1],
        )
        raise SafetensorsError(cut, start + data)
    return {name: end - begin for name, (begin, end) in entries.items()}
