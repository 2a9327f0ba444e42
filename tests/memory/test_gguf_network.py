"""Metadata of GGUF files → layers."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.networks import GGUF, gguf_keys
from pointsman.memory import Layer, Network, Unreadable, kv_bytes
from pointsman.memory.gguf_network import gguf_network
from pointsman.memory.tensors import GGML, Tensor, grouped, sizes

MIB = 1 << 20
SMALL = {"block_count": 6, "embedding_length": 256, "attention__head_count": 4, "attention__head_count_kv": 2}


def network(architecture: str = "llama", arrays: dict[str, Any] | None = None, **keys: Any) -> Network:
    return gguf_network(gguf_keys(architecture, **{**SMALL, **keys}), arrays or {})


def windows(found: Network) -> list[int | None]:
    return [layer.window for layer in found.layers]


def test_plain_heads_are_the_last_resort() -> None:
    assert network().layers == (Layer(128, 128, 64, 64),) * 6
    sized = network(attention__key_length=96, attention__value_length=32).layers[0]
    assert (sized.k, sized.v, sized.k_head, sized.v_head) == (192, 64, 96, 32)
    alone = gguf_keys("gpt2", block_count=2, embedding_length=768, attention__head_count=12)
    assert gguf_network(alone, {}).layers == (Layer(768, 768, 64, 64),) * 2


def test_heads_by_layer() -> None:
    keys = gguf_keys("llama", **{key: value for key, value in SMALL.items() if key != "attention__head_count_kv"})
    found = gguf_network(keys, {"llama.attention.head_count_kv": [2, 0, 1, 2, 2, 2]})
    assert [layer.k for layer in found.layers] == [128, 0, 64, 128, 128, 128]
    with pytest.raises(Unreadable, match="has 2 numbers for 6 layers"):
        gguf_network(keys, {"llama.attention.head_count_kv": [2, 0]})


@pytest.mark.parametrize(
    ("architecture", "pattern", "expected"),
    [
        ("gemma3", None, [9, 9, 9, 9, 9, None]),
        ("gemma2", None, [9, None] * 3),
        ("cohere2", None, [9, 9, 9, None, 9, 9]),
        ("smallthinker", None, [None, 9, 9, 9, None, 9]),
        ("gpt-oss", None, [9, None] * 3),
        ("phi3", None, [None] * 6),
        ("gemma3", 3, [9, 9, None, 9, 9, None]),
        ("gemma4", [True, True, False, True, False, False], [9, 9, None, 9, None, None]),
        ("anything", 0, [9] * 6),
    ],
)
def test_windows(architecture: str, pattern: Any, expected: list[int | None]) -> None:
    keys: dict[str, Any] = {"attention__sliding_window": 9}
    name = f"{architecture}.attention.sliding_window_pattern"
    if isinstance(pattern, int):
        keys["attention__sliding_window_pattern"] = pattern
    arrays = {name: pattern} if isinstance(pattern, list) else {}
    found = network(architecture, arrays, **keys)
    assert windows(found) == expected and not found.notes


def test_an_unknown_pattern_is_an_upper_bound_and_says_so() -> None:
    found = network("newcomer", attention__sliding_window=9)
    assert windows(found) == [None] * 6
    assert "upper bound" in found.notes[0] and "上限" in found.notes[0].zh


def test_llama_4_has_its_window_in_the_code() -> None:
    assert windows(network("llama4")) == [8192, 8192, 8192, None, 8192, 8192]


def test_sizes_of_heads_in_windows() -> None:
    found = network(
        "gemma4",
        {"gemma4.attention.sliding_window_pattern": [True, False] * 3},
        attention__sliding_window=9,
        attention__key_length=512,
        attention__value_length=512,
        attention__key_length_swa=256,
        attention__value_length_swa=128,
    )
    assert [(layer.k_head, layer.v_head) for layer in found.layers[:2]] == [(256, 128), (512, 512)]


def test_layers_that_use_anothers_cache_keep_nothing() -> None:
    assert [layer.k > 0 for layer in network("gemma3n", attention__shared_kv_layers=2).layers] == [True] * 4 + [
        False
    ] * 2
    assert [layer.k > 0 for layer in network("glm4moe", nextn_predict_layers=1).layers] == [True] * 5 + [False]


def test_mla_keeps_no_values_and_indexers_keep_keys() -> None:
    keys: dict[str, Any] = {
        "attention__head_count_kv": 1,
        "attention__key_length": 576,
        "attention__value_length": 512,
        "attention__key_length_mla": 192,
        "attention__value_length_mla": 128,
        "attention__indexer__key_length": 128,
    }
    assert network("deepseek2", **keys).layers[0] == Layer(576, 0, 576, 0)
    assert network("deepseek32", **keys).layers[0] == Layer(576, 0, 576, 0, index=128)


def test_an_old_file_of_deepseek_is_without_mla() -> None:
    old = network("deepseek2", attention__head_count_kv=4, attention__key_length=192, attention__value_length=128)
    assert old.layers[0] == Layer(768, 512, 192, 128)


def test_qwen3_next_has_a_state_in_three_of_four_layers() -> None:
    """llama.cpp: 75.38 MiB of recurrent state for one sequence."""
    found = network(
        "qwen3next",
        block_count=48,
        embedding_length=2048,
        attention__head_count=16,
        attention__key_length=256,
        attention__value_length=256,
        ssm__conv_kernel=4,
        ssm__inner_size=4096,
        ssm__group_count=16,
        ssm__state_size=128,
    )
    assert [layer.state > 0 for layer in found.layers] == [True, True, True, False] * 12
    states = 4 * sum(layer.state for layer in found.layers)
    assert round(states / MIB, 2) == 75.38
    assert kv_bytes(found, 32_768, 2) - kv_bytes(found, 32_768, 1) == states


def test_recurrent_models() -> None:
    mamba = gguf_keys(
        "mamba2",
        block_count=2,
        embedding_length=768,
        attention__head_count=0,
        ssm__conv_kernel=4,
        ssm__inner_size=1536,
        ssm__group_count=1,
        ssm__state_size=128,
    )
    found = gguf_network(mamba, {})
    assert found.layers == (Layer(state=3 * (1536 + 256) + 128 * 1536),) * 2
    rwkv = gguf_keys("rwkv7", block_count=1, embedding_length=768, attention__head_count=0, wkv__head_size=64)
    assert gguf_network(rwkv, {}).layers[0].state == 2 * 768 + 768 * 64
    conv = gguf_keys("lfm2", block_count=2, embedding_length=1024, attention__head_count=16, shortconv__l_cache=3)
    both = gguf_network(conv, {"lfm2.attention.head_count_kv": [0, 8]})
    assert both.layers == (Layer(state=2048), Layer(512, 512, 64, 64))


def test_tensors_tell_which_layers_have_a_state() -> None:
    keys = gguf_keys(
        "falcon-h1", **SMALL, ssm__conv_kernel=4, ssm__inner_size=512, ssm__group_count=1, ssm__state_size=16
    )
    tensors = [Tensor(f"blk.{at}.ssm_in.weight", (256, 8), 1, 0) for at in range(5)]
    found = gguf_network(keys, {}, tensors, 4096)
    assert [layer.state > 0 for layer in found.layers] == [True] * 5 + [False]
    assert all(layer.k for layer in found.layers)


def test_experts_count_where_they_are_computed() -> None:
    found = network(
        "qwen3moe", feed_forward_length=1000, expert_used_count=8, expert_feed_forward_length=768, expert_count=128
    )
    assert found.feed_forward == 8 * 768


BAD: dict[str, tuple[dict[str, Any], dict[str, Any], str, str]] = {
    "no architecture": ({}, {}, "names no architecture", "没有写架构"),
    "no layers": (gguf_keys("llama"), {}, "llama.block_count is 0 (valid: 1 to 4096)", "合法取值"),
    "too many": (gguf_keys("llama", block_count=10**9), {}, "block_count is 1000000000", "block_count 是"),
    "zero heads": (gguf_keys("llama", block_count=2, attention__head_count=0), {}, "has no heads", "没有注意力头"),
    "no size": (
        gguf_keys("llama", block_count=2, attention__head_count=4),
        {},
        "size of a head is not known",
        "不知道每个头",
    ),
    "negative": (
        gguf_keys("llama", block_count=2, attention__head_count=-4),
        {},
        "head_count is -4, no count",
        "不是个数",
    ),
    "a text": (gguf_keys("llama", block_count="x"), {}, "block_count is 'x', no count", "不是个数"),
    "negative in a list": (
        gguf_keys("llama", block_count=2, attention__head_count=4, embedding_length=64),
        {"llama.attention.head_count_kv": [4, -1]},
        "some that are no counts",
        "不是个数",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_nonsense_is_named(name: str) -> None:
    scalars, arrays, en, zh = BAD[name]
    with pytest.raises(Unreadable) as caught:
        gguf_network(scalars, arrays)
    assert en in caught.value.message and zh in caught.value.message.zh


values = st.none() | st.booleans() | st.integers(-5, 1 << 64) | st.text(max_size=3) | st.floats()
KEYS = sorted({key for keys in GGUF.values() for key in keys} | {"llama.ssm.inner_size", "llama.wkv.head_size"})


@given(
    st.dictionaries(st.sampled_from(KEYS), values, max_size=8),
    st.dictionaries(st.sampled_from(KEYS), st.lists(values, max_size=40), max_size=3),
    st.sampled_from(sorted(GGUF)),
)
def test_any_metadata_gives_a_network_or_a_reason(changed: dict[str, Any], arrays: dict[str, Any], name: str) -> None:
    scalars = {key: value for key, value in {**GGUF[name], **changed}.items() if value is not None}
    try:
        found = gguf_network(scalars, arrays)
    except Unreadable as error:
        assert error.message and error.message.zh
    else:
        assert 0 < len(found.layers) <= 4096 and kv_bytes(found, 4096) > 0


def test_tensors_are_sized_by_type_or_by_their_place() -> None:
    table = [
        Tensor("a", (64, 3), 8, 0),  # q8_0: 2 blocks of 34 bytes a row
        Tensor("b", (100,), 0, 224),
        Tensor("c", (5, 5), 99, 640),  # a type that is not known
        Tensor("d", (256, 2), 12, 704),
    ]
    assert sizes(table, 1000) == [204, 400, 64, 288]
    assert sizes([Tensor("z", (5,), 99, 96)], 100) == [4]
    assert sizes([Tensor("z", (5,), 99, 500)], 100) == [0]
    assert all(size * 8 / block >= 1 for _, block, size in GGML.values())


def test_tensors_by_their_place() -> None:
    named = [
        ("blk.0.attn_k.weight", 1),
        ("blk.1.ffn_up.weight", 2),
        ("token_embd.weight", 4),
        ("output_norm.weight", 8),
        ("model.layers.1.mlp.up_proj.weight", 16),
        ("model.embed_tokens.weight", 32),
        ("vision_tower.encoder.layers.0.fc.weight", 64),
        ("blk.9.attn_k.weight", 128),
    ]
    weights = grouped(named, 2)
    assert (weights.layers, weights.input, weights.output, weights.other) == ((1, 18), 36, 0, 200)
    assert weights.tied and weights.total == 255
    untied = grouped([*named, ("lm_head.weight", 256), ("output.weight", 512)], 2)
    assert not untied.tied and untied.output == 768
