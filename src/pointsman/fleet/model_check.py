"""Whether a model's files are whole, as far as they say themselves what they should hold.

Every tensor must end before its file does: a download that broke off is named with the byte at which it did. What the
weights are worth shows in no structure; for that there are hashes (`file_hash.py`)."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from pointsman.config.others_words import why
from pointsman.domain.errors import Problem
from pointsman.domain.said import Said, said
from pointsman.fleet.gguf import GgufError, GgufMetadata, read_gguf
from pointsman.fleet.model_files import gguf_files, locate, safetensors_files
from pointsman.fleet.safetensors import SafetensorsError, read_safetensors
from pointsman.memory.network import Unreadable
from pointsman.memory.tensors import GGML, Tensor, size_of

_HEAD = 512
_OTHERS = (
    (
        b"version https://git-lfs",
        said("a pointer of Git LFS, without the file itself", "Git LFS 的指针，而不是文件本身"),
    ),
    (b"\x89PNG", said("a PNG picture", "PNG 图片")),
    (b"\xff\xd8\xff", said("a JPEG picture", "JPEG 图片")),
    (b"%PDF", said("a PDF document", "PDF 文档")),
    (b"PK\x03\x04", said("a ZIP archive, as PyTorch's checkpoints are", "ZIP 压缩包（PyTorch 的检查点就是这样）")),
    (b"\x1f\x8b", said("a gzip archive", "gzip 压缩包")),
    (b"\x80\x02", said("a pickle, which runs code when it is loaded", "pickle 文件，加载时会执行其中的代码")),
    (b"GGML", said("a GGML file, from before GGUF", "GGUF 之前的 GGML 文件")),
    (b"ggjt", said("a GGML file, from before GGUF", "GGUF 之前的 GGML 文件")),
    (b"lmgg", said("a GGML file, from before GGUF", "GGUF 之前的 GGML 文件")),
    (b"tjgg", said("a GGML file, from before GGUF", "GGUF 之前的 GGML 文件")),
)
_PAGE = said("a web page", "网页")
_EMPTY = said("empty", "空文件")


class BadModel(Exception):
    """`said` is one sentence that names the file: it is not there (`missing`), or not whole, or no model (`damaged`).
    `offset` is the byte at which that showed."""

    def __init__(self, fault: Literal["damaged", "missing"], message: Said, offset: int | None = None) -> None:
        super().__init__(str(message))
        self.fault = fault
        self.said = message
        self.offset = offset


class Checked(msgspec.Struct, frozen=True):
    """A model whose files are whole. `notes` say what could not be checked."""

    kind: Literal["gguf", "safetensors"]
    files: tuple[Path, ...]
    size: int
    tensors: int
    notes: tuple[Said, ...] = ()


def check_model(model: str) -> Checked:
    """Of `builtin:…`, a .gguf file (the first of its shards stands for all), a folder, or a config.json. Reads headers
    alone: blocking, tens of ms. Raises BadModel."""
    try:
        found = locate(model)
        if found.suffix == ".json":
            return _check_folder(found.parent)
        files = gguf_files(found)
    except Problem as error:
        raise BadModel("missing", _without_place(error)) from None
    except Unreadable as error:
        raise BadModel("missing", said("{model}: {why}", "{model}：{why}", model=model, why=error.message)) from None
    except OSError as error:
        raise _unread(model, error) from None
    return _together("gguf", [check_file(file) for file in files])


def check_file(path: Path, ending: str | None = None) -> Checked:
    """One file by itself, of the form that its name's ending says, or `ending`. Raises BadModel."""
    try:
        if (ending or path.suffix) == ".safetensors":
            return _check_safetensors(path)
        return _check_gguf(path)
    except OSError as error:
        raise _unread(str(path), error) from None


def no_model(head: bytes) -> Said | None:
    """What a file that begins with these bytes is, where that is known to be no model: `a web page`."""
    if not head:
        return _EMPTY
    for magic, what in _OTHERS:
        if head.startswith(magic):
            return what
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:16].lower()
    return _PAGE if start.startswith((b"<!doctype", b"<html", b"<head", b"<?xml")) else None


def _check_gguf(path: Path) -> Checked:
    size = path.stat().st_size
    try:
        metadata = read_gguf(path)
    except GgufError as error:
        if not error.damaged:
            return Checked("gguf", (path,), size, 0, (said("{it}: not checked", "{it}：未检查", it=error.message),))
        known = no_model(_head(path)) if error.offset == 0 else None
        raise _bad(path, _no(known, "GGUF") if known else error.message, error.offset) from None
    if not metadata.tensors:
        raise _bad(path, said("it holds no tensors", "其中没有张量"), metadata.start)
    last, end = _last(metadata)
    if end > size:
        cut = said(
            'the file ends at {size:,} bytes, its tensors (the last is "{name}") at {end:,}: '
            "damaged, or not fully downloaded ({missing:,} bytes are missing)",
            "文件到 {size:,} 字节就结束了，而张量（最后一个是“{name}”）要到 {end:,} 字节："
            "文件已损坏，或没有下载完整（缺 {missing:,} 字节）",
            size=size,
            name=last.name[:80] if last is not None else "",
            end=end,
            missing=end - size,
        )
        raise _bad(path, cut, size)
    return Checked("gguf", (path,), size, metadata.tensors, _unknown(metadata))


def _last(metadata: GgufMetadata) -> tuple[Tensor | None, int]:
    """The tensor that ends last, and the byte at which it does."""
    ends = [(metadata.start + tensor.offset + size_of(tensor), tensor) for tensor in metadata.table]
    end, last = max(ends, key=lambda pair: pair[0], default=(metadata.start, None))
    return last, end


def _unknown(metadata: GgufMetadata) -> tuple[Said, ...]:
    if metadata.tensors and not metadata.table:
        return (said("so many tensors that their ends were not checked", "张量太多，没有检查它们在哪里结束"),)
    kinds = sorted({tensor.type for tensor in metadata.table if tensor.type not in GGML})
    if not kinds:
        return ()
    listed = ", ".join(map(str, kinds))
    return (
        said(
            "tensors of types that are not known here ({kinds}): their ends were not checked",
            "有这里不认识的张量类型（{kinds}）：没有检查它们在哪里结束",
            kinds=listed,
        ),
    )


def _check_safetensors(path: Path) -> Checked:
    size = path.stat().st_size
    try:
        sizes = read_safetensors(path)
    except SafetensorsError as error:
        known = no_model(_head(path))
        raise _bad(path, _no(known, "safetensors") if known else error.message, error.offset) from None
    if not sizes:
        raise _bad(path, said("it holds no tensors", "其中没有张量"), 8)
    start = 8 + int.from_bytes(_head(path)[:8], "little")
    end = start + sum(sizes.values())
    if end != size:
        odd = said(
            "its tensors are {tensors:,} bytes, and {data:,} bytes lie behind the header",
            "张量共 {tensors:,} 字节，而头部之后有 {data:,} 字节",
            tensors=end - start,
            data=size - start,
        )
        raise _bad(path, odd, min(end, size))
    return Checked("safetensors", (path,), size, len(sizes))


def _check_folder(folder: Path) -> Checked:
    files, _ = safetensors_files(folder)
    if not files:
        none = said("{folder} holds no .safetensors files", "{folder} 里没有 .safetensors 文件", folder=folder)
        raise BadModel("missing", none)
    for file in files:
        if not file.is_file():
            raise BadModel(
                "missing", said("{folder}: {name} is missing", "{folder}：缺少 {name}", folder=folder, name=file.name)
            )
    return _together("safetensors", [check_file(file) for file in files])


def _together(kind: Literal["gguf", "safetensors"], parts: list[Checked]) -> Checked:
    return Checked(
        kind,
        tuple(file for part in parts for file in part.files),
        sum(part.size for part in parts),
        sum(part.tensors for part in parts),
        tuple(dict.fromkeys(note for part in parts for note in part.notes)),
    )


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_HEAD)


def _no(known: Said, kind: str) -> Said:
    return said("it is no {kind} file but {what}", "它不是 {kind} 文件，而是{what}", kind=kind, what=known)


def _bad(path: Path, message: Said, offset: int) -> BadModel:
    return BadModel("damaged", said("{path}: {why}", "{path}：{why}", path=path, why=message), offset)


def _unread(model: str, error: OSError) -> BadModel:
    message = said('"{model}" cannot be read: {why}', "无法读取“{model}”：{why}", model=model, why=why(error))
    return BadModel("missing" if isinstance(error, FileNotFoundError) else "damaged", message)


def _without_place(problem: Problem) -> Said:
    valid = said(" (valid: {it})", "（合法取值：{it}）", it=problem.valid) if problem.valid else ""
    return said("{it}{valid}", "{it}{valid}", it=problem.message, valid=valid)
