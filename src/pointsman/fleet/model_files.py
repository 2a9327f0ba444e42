"""From what a person calls a model to the files that it lies in: a GGUF file (whole or in shards), or a folder in Hugging
Face's form."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec

from pointsman.domain.errors import Problem
from pointsman.domain.said import Said, said
from pointsman.fleet.builtin import PREFIX, find_model
from pointsman.memory.network import Unreadable

MAX_JSON = 64 << 20  # an index of 100,000 tensors takes 10 MB
MAX_SHARDS = 2048
INDEX = "model.safetensors.index.json"
_SHARD = re.compile(r"(.+)-(\d{5})-of-(\d{5})\.gguf")


def locate(model: str, path: str = "model") -> Path:
    """The .gguf file (of shards: as it was named, in a folder the first), or the config.json of a folder. Raises Problem,
    placed at `path`."""
    if model.startswith(PREFIX) or "\0" in model:
        return find_model(model, path=path)
    try:
        place = Path(model).expanduser()
        if not place.is_dir():
            return find_model(model, path=path)
        if (place / "config.json").is_file():
            return place / "config.json"
        firsts = [file for file in sorted(place.glob("*.gguf")) if (_shard(file) or (0, 1))[1] == 1]
    except (OSError, RuntimeError) as error:
        raise Problem(
            path, said('"{model}" cannot be read: {error}', "无法读取“{model}”：“{error}”", model=model, error=error)
        ) from None
    if len(firsts) == 1:
        return firsts[0]
    raise Problem(
        path,
        said('"{model}" is a folder', "“{model}”是一个文件夹", model=model),
        valid=", ".join(file.name for file in firsts[:5])
        or Said("a folder with a config.json, or a .gguf file", "带有 config.json 的文件夹，或一个 .gguf 文件"),
    )


def gguf_files(first: Path) -> list[Path]:
    """The file, or all of the shards that it is the first of. Raises Unreadable: it is not the first, or one is missing."""
    shard = _shard(first)
    if shard is None:
        return [first]
    count, at = shard
    base = _SHARD.fullmatch(first.name)
    if base is None or at != 1 or not 0 < count <= MAX_SHARDS:
        raise Unreadable(
            said(
                "it is shard {at} of {count}: name the first",
                "这是分片中的第 {at} 个，共 {count} 个：请给出第一个",
                at=at,
                count=count,
            )
        )
    files = [first]
    for number in range(2, count + 1):
        file = first.parent / f"{base[1]}-{number:05}-of-{count:05}.gguf"
        if not file.is_file():
            raise Unreadable(said("its shard {name} is missing", "缺少分片 {name}", name=file.name))
        files.append(file)
    return files


def safetensors_files(folder: Path) -> tuple[list[Path], int | None]:
    """The files that hold the folder's weights, whether or not they exist, and the bytes of all tensors where an index tells
    them. Raises Unreadable, OSError."""
    index = folder / INDEX
    if not index.is_file():
        found = sorted(folder.glob("model*.safetensors")) or sorted(folder.glob("*.safetensors"))
        return found[:MAX_SHARDS], None
    data = read_json(index)
    names = data.get("weight_map")
    listed = {name for name in names.values() if isinstance(name, str)} if isinstance(names, dict) else set()
    total = data.get("metadata", {}).get("total_size") if isinstance(data.get("metadata"), dict) else None
    told = total if isinstance(total, int) and not isinstance(total, bool) and total > 0 else None
    return [folder / Path(name).name for name in sorted(listed)[:MAX_SHARDS]], told


def read_json(path: Path) -> dict[str, Any]:
    """Raises Unreadable: too large, or no object of JSON. Raises OSError."""
    if path.stat().st_size > MAX_JSON:
        raise Unreadable(
            said("{name} is larger than {most:,} bytes", "{name} 超过 {most:,} 字节", name=path.name, most=MAX_JSON)
        )
    with path.open("rb") as file:
        text = file.read(MAX_JSON)
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise Unreadable(
            said("{name} is not JSON: {why}", "{name} 不是 JSON：“{why}”", name=path.name, why=error)
        ) from None


def _shard(file: Path) -> tuple[int, int] | None:
    """How many shards there are, and which it is."""
    named = _SHARD.fullmatch(file.name)
    return (int(named[3]), int(named[2])) if named else None
