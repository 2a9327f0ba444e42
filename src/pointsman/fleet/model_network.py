"""From what a person calls a model to its network: a GGUF file (whole or in shards), or a folder in Hugging Face's form."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal

import msgspec

from pointsman.domain.errors import Problem
from pointsman.domain.said import Said, said
from pointsman.fleet.builtin import PREFIX, find_model
from pointsman.fleet.gguf import GgufError, GgufMetadata, read_gguf
from pointsman.fleet.safetensors import SafetensorsError, read_safetensors
from pointsman.memory.gguf_network import gguf_network
from pointsman.memory.hf_network import hf_network
from pointsman.memory.network import Network, Unreadable, Weights
from pointsman.memory.tensors import grouped

MAX_JSON = 64 << 20  # an index of 100,000 tensors takes 10 MB
MAX_SHARDS = 2048
_SHARD = re.compile(r"(.+)-(\d{5})-of-(\d{5})\.gguf")
_LAYERS = 4096


class ModelNetwork(msgspec.Struct, frozen=True):
    """`path` is where its numbers were read."""

    network: Network
    kind: Literal["gguf", "hf"]
    path: Path


def read_model(model: str, *, path: str = "model") -> ModelNetwork:
    """Of `builtin:…`, a .gguf file (the first of its shards stands for all), a folder, or a config.json. Blocking, tens of
    ms. Raises Problem, placed at `path`: no such file, damaged, or not enough told."""
    found = _locate(model, path)
    try:
        if found.suffix == ".json":
            return ModelNetwork(_read_folder(found), "hf", found)
        return ModelNetwork(_read_shards(found), "gguf", found)
    except OSError as error:
        raise Problem(
            path, said('"{model}" cannot be read: {why}', "无法读取“{model}”：“{why}”", model=model, why=error.strerror)
        ) from None
    except (GgufError, SafetensorsError, Unreadable) as error:
        raise Problem(
            path,
            said('"{model}" cannot be used: {why}', "“{model}”不能用：{why}", model=model, why=error.message),
        ) from None


def read_tensors(model: str, *, path: str) -> int:
    """Bytes of all tensors of a GGUF file, of whatever network: a projector (mmproj). Raises Problem."""
    found = find_model(model, path=path)
    try:
        return read_gguf(found).data
    except OSError as error:
        raise Problem(
            path, said('"{model}" cannot be read: {why}', "无法读取“{model}”：“{why}”", model=model, why=error.strerror)
        ) from None
    except GgufError as error:
        raise Problem(
            path, said('"{model}" cannot be used: {why}', "“{model}”不能用：{why}", model=model, why=error.message)
        ) from None


def _locate(model: str, path: str) -> Path:
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


def _shard(file: Path) -> tuple[int, int] | None:
    """How many shards there are, and which it is."""
    named = _SHARD.fullmatch(file.name)
    return (int(named[3]), int(named[2])) if named else None


def _read_shards(first: Path) -> Network:
    metadata = read_gguf(first)
    shard = _shard(first)
    if shard is None:
        return gguf_network(metadata.scalars, metadata.arrays, metadata.table, metadata.data)
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
    parts = [metadata]
    for number in range(2, count + 1):
        name = f"{base[1]}-{number:05}-of-{count:05}.gguf"
        if not (first.parent / name).is_file():
            raise Unreadable(said("its shard {name} is missing", "缺少分片 {name}", name=name))
        parts.append(read_gguf(first.parent / name))
    return _joined(parts)


def _joined(parts: list[GgufMetadata]) -> Network:
    """The tensors of each part begin behind those of the parts before it."""
    table, start = [], 0
    for part in parts:
        table += [msgspec.structs.replace(tensor, offset=tensor.offset + start) for tensor in part.table]
        start += part.data
    return gguf_network(parts[0].scalars, parts[0].arrays, table, start)


def _read_folder(config: Path) -> Network:
    data = _json(config)
    return hf_network(data, _weights(config.parent))


def _json(path: Path) -> dict[str, Any]:
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


def _weights(folder: Path) -> Weights | None:
    """By the headers of the files; where some are missing, the sum that their index tells; None without either."""
    index = folder / "model.safetensors.index.json"
    told: int | None = None
    if index.is_file():
        data = _json(index)
        names = data.get("weight_map")
        listed = {name for name in names.values() if isinstance(name, str)} if isinstance(names, dict) else set()
        files = [folder / Path(name).name for name in sorted(listed)[:MAX_SHARDS]]
        total = data.get("metadata", {}).get("total_size") if isinstance(data.get("metadata"), dict) else None
        told = total if isinstance(total, int) and not isinstance(total, bool) and total > 0 else None
    else:
        files = (
            sorted(folder.glob("model*.safetensors"))[:MAX_SHARDS] or sorted(folder.glob("*.safetensors"))[:MAX_SHARDS]
        )
    if files and all(file.is_file() for file in files):
        sizes = [item for file in files for item in read_safetensors(file).items()]
        found = grouped(sizes, _LAYERS)
        last = max((at for at, size in enumerate(found.layers) if size), default=-1)
        return msgspec.structs.replace(found, layers=found.layers[: last + 1])
    return Weights(other=told, source="index") if told else None
