"""From what a person calls a model to its network."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from pointsman.domain.errors import Problem
from pointsman.domain.said import said
from pointsman.fleet.builtin import find_model
from pointsman.fleet.gguf import GgufError, GgufMetadata, read_gguf
from pointsman.fleet.model_files import gguf_files, locate, read_json, safetensors_files
from pointsman.fleet.safetensors import SafetensorsError, read_safetensors
from pointsman.memory.gguf_network import gguf_network
from pointsman.memory.hf_network import hf_network
from pointsman.memory.network import Network, Unreadable, Weights
from pointsman.memory.tensors import grouped

_LAYERS = 4096


class ModelNetwork(msgspec.Struct, frozen=True):
    """`path` is where its numbers were read."""

    network: Network
    kind: Literal["gguf", "hf"]
    path: Path


def read_model(model: str, *, path: str = "model") -> ModelNetwork:
    """Of `builtin:…`, a .gguf file (the first of its shards stands for all), a folder, or a config.json. Blocking, tens of
    ms. Raises Problem, placed at `path`: no such file, damaged, or not enough told."""
    found = locate(model, path)
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


def _read_shards(first: Path) -> Network:
    files = gguf_files(first)
    if len(files) == 1:
        metadata = read_gguf(first)
        return gguf_network(metadata.scalars, metadata.arrays, metadata.table, metadata.data)
    return _joined([read_gguf(file) for file in files])


def _joined(parts: list[GgufMetadata]) -> Network:
    """The tensors of each part begin behind those of the parts before it."""
    table, start = [], 0
    for part in parts:
        table += [msgspec.structs.replace(tensor, offset=tensor.offset + start) for tensor in part.table]
        start += part.data
    return gguf_network(parts[0].scalars, parts[0].arrays, table, start)


def _read_folder(config: Path) -> Network:
    data = read_json(config)
    return hf_network(data, _weights(config.parent))


def _weights(folder: Path) -> Weights | None:
    """By the headers of the files; where some are missing, the sum that their index tells; None without either."""
    files, told = safetensors_files(folder)
    if files and all(file.is_file() for file in files):
        sizes = [item for file in files for item in read_safetensors(file).items()]
        found = grouped(sizes, _LAYERS)
        last = max((at for at, size in enumerate(found.layers) if size), default=-1)
        return msgspec.structs.replace(found, layers=found.layers[: last + 1])
    return Weights(other=told, source="index") if told else None
