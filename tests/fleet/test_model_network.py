"""What people name as a model → its network: files, shards, folders, and what is none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fleet.gguf_writer import STRING, U32, gguf
from fleet.test_safetensors import written
from pointsman.domain.errors import Problem
from pointsman.fleet.model_network import read_model, read_tensors
from pointsman.memory import kv_bytes

MIB = 1 << 20
KEYS: list[tuple[str, int, Any]] = [
    ("general.architecture", STRING, "llama"),
    ("llama.context_length", U32, 2048),
    ("llama.block_count", U32, 2),
    ("llama.embedding_length", U32, 64),
    ("llama.attention.head_count", U32, 2),
    ("llama.attention.head_count_kv", U32, 1),
]
CONFIG = {
    "model_type": "llama",
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "hidden_size": 64,
    "intermediate_size": 128,
    "vocab_size": 10,
}


def folder(path: Path, config: object = CONFIG, **files: bytes) -> str:
    path.mkdir(exist_ok=True)
    (path / "config.json").write_text(config if isinstance(config, str) else json.dumps(config))
    for name, data in files.items():
        (path / name.replace("__", "-").replace("_", ".")).write_bytes(data)
    return str(path)


def test_the_builtin_model_to_the_byte() -> None:
    found = read_model("builtin:smollm2-135m")
    network = found.network
    assert found.kind == "gguf" and kv_bytes(network, 4096) == 90 * MIB
    assert round(network.weights.total / MIB, 2) == 92.10  # as llama.cpp prints it
    assert network.weights.tied and len(network.weights.layers) == 30 and len(set(network.weights.layers)) == 1
    assert (network.vocabulary, network.feed_forward, network.heads) == (49152, 1536, 9)


def test_a_small_file(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    whole = gguf(KEYS, [("token_embd.weight", (64, 10)), ("blk.1.attn_k.weight", (64, 32))])
    path.write_bytes(whole + bytes(-len(whole) % 32) + bytes(2560 + 8192))
    network = read_model(str(path)).network
    assert network.weights.input == 64 * 10 * 4 and network.weights.layers == (0, 64 * 32 * 4)
    assert read_model(str(tmp_path)).path == path  # the only one in its folder
    assert read_tensors(str(path), path="--mmproj") == 2560 + 8192


def test_shards_are_one_model(tmp_path: Path) -> None:
    for number, tensor in ((1, "blk.0.a.weight"), (2, "blk.1.a.weight")):
        data = gguf(KEYS if number == 1 else [("split.no", U32, 1)], [(tensor, (32, number))])
        (tmp_path / f"big-0000{number}-of-00002.gguf").write_bytes(data + bytes(512))
    first = str(tmp_path / "big-00001-of-00002.gguf")
    assert read_model(first).network.weights.layers == (128, 256)
    assert read_model(str(tmp_path)).path.name == "big-00001-of-00002.gguf"
    with pytest.raises(Problem, match="it is shard 2 of 2: name the first"):
        read_model(str(tmp_path / "big-00002-of-00002.gguf"))
    (tmp_path / "big-00002-of-00002.gguf").unlink()
    with pytest.raises(Problem, match=r"its shard big-00002-of-00002.gguf is missing"):
        read_model(first)


HEADER = {
    "model.embed_tokens.weight": {"data_offsets": [0, 100]},
    "model.layers.0.x": {"data_offsets": [100, 140]},
    "model.layers.1.x": {"data_offsets": [140, 200]},
    "lm_head.weight": {"data_offsets": [200, 300]},
}


def test_a_folder_by_its_tensors(tmp_path: Path) -> None:
    place = folder(tmp_path / "hf", model_safetensors=written(HEADER, 300))
    found = read_model(place)
    assert found.kind == "hf" and found.path.name == "config.json"
    weights = found.network.weights
    assert (weights.layers, weights.input, weights.output, weights.tied) == ((40, 60), 100, 100, False)
    assert weights.source == "tensors" and not found.network.notes
    assert read_model(str(tmp_path / "hf" / "config.json")).network == found.network


def test_a_folder_by_its_index(tmp_path: Path) -> None:
    names = {"a": "model-1.safetensors", "b": "../../outside.safetensors"}
    index = json.dumps({"metadata": {"total_size": 12_345}, "weight_map": names}).encode()
    place = folder(tmp_path / "hf", model_safetensors_index_json=index)
    weights = read_model(place).network.weights
    assert weights.total == 12_345 and weights.source == "index"


def test_a_folder_by_its_config_alone(tmp_path: Path) -> None:
    weights = read_model(folder(tmp_path / "hf")).network.weights
    assert weights.source == "config" and weights.layers == ((64 * 32 * 6 + 3 * 64 * 128) * 2,) * 2


BROKEN = {
    "not JSON": "{",
    "a list": "[]",
    "deep": "[" * 100_000,
    "no layers": "{}",
    "zero heads": json.dumps({**CONFIG, "num_attention_heads": 0}),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_configs_say_why(name: str, tmp_path: Path) -> None:
    with pytest.raises(Problem) as caught:
        read_model(folder(tmp_path / "hf", BROKEN[name]))
    assert "cannot be used: " in str(caught.value) and "不能用：" in caught.value.said.zh


def test_a_broken_tensor_file_says_where(tmp_path: Path) -> None:
    place = folder(tmp_path / "hf", model_safetensors=written(HEADER, 200))
    with pytest.raises(Problem, match=r'ends at 413 bytes.*"lm_head.weight"\) at 513.*\(at byte 413\)'):
        read_model(place)


def test_what_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "a.gguf").write_bytes(b"PK\3\4" + bytes(40))
    (tmp_path / "b.gguf").write_bytes(gguf(KEYS)[:50])
    (tmp_path / "zero.gguf").write_bytes(gguf([*KEYS[:4], ("llama.attention.head_count", U32, 0)]))
    for name, words in (
        ("none.gguf", "no file"),
        ("a.gguf", "not a GGUF file: it starts with b'PK"),
        ("b.gguf", "the file ends inside a key at 50 bytes: damaged, or not fully downloaded (at byte 32)"),
        ("zero.gguf", "has no heads: llama.attention.head_count is 0 or missing"),
        ("", "is a folder (valid: a.gguf, b.gguf, zero.gguf)"),
    ):
        with pytest.raises(Problem) as caught:
            read_model(str(tmp_path / name))
        assert words in str(caught.value) and caught.value.said.zh != str(caught.value)
    (tmp_path / "sub").mkdir()
    with pytest.raises(Problem, match=r"a folder with a config.json, or a .gguf file"):
        read_model(str(tmp_path / "sub"))
    with pytest.raises(Problem, match="zero byte"):
        read_model("a\0b")
    with pytest.raises(Problem, match="no builtin model"):
        read_model("builtin:nothing")
    with pytest.raises(Problem, match="not a GGUF file"):
        read_tensors(str(tmp_path / "a.gguf"), path="--mmproj")
