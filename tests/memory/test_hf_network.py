"""config.json → layers and weights."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.networks import CONFIGS, DEEPSEEK_V3, GEMMA_3_27B, LLAMA_31_8B, QWEN25_05B
from pointsman.memory import Layer, Unreadable, kv_bytes
from pointsman.memory.hf_network import hf_network
from pointsman.memory.network import Weights

MIB = 1 << 20
SMALL: dict[str, Any] = {
    "model_type": "llama",
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "hidden_size": 256,
}


def windows(**keys: Any) -> list[int | None]:
    return [layer.window for layer in hf_network({**SMALL, **keys}).layers]


def test_windows() -> None:
    kinds = ["sliding_attention", "full_attention", "sliding_attention", "full_attention"]
    assert windows(layer_types=kinds, sliding_window=128) == [128, None, 128, None]
    assert windows(model_type="gemma2", sliding_window=64) == [64, None, 64, None]
    assert windows(model_type="gemma3_text", sliding_window=64, sliding_window_pattern=2) == [64, None, 64, None]
    assert windows(sliding_window=64, use_sliding_window=False) == [None] * 4
    assert windows(sliding_window=64, use_sliding_window=True, max_window_layers=3) == [None, None, None, 64]
    assert windows(sliding_window=None) == [None] * 4
    unknown = hf_network({**SMALL, "model_type": "mistral", "sliding_window": 4096})
    assert [layer.window for layer in unknown.layers] == [None] * 4 and "upper bound" in unknown.notes[0]


def test_recurrent_layers() -> None:
    linear = {
        "linear_conv_kernel_dim": 4,
        "linear_num_key_heads": 16,
        "linear_num_value_heads": 32,
        "linear_key_head_dim": 128,
        "linear_value_head_dim": 128,
    }
    found = hf_network({**SMALL, **linear, "full_attention_interval": 4})
    assert [layer.state for layer in found.layers] == [548_864] * 3 + [0]
    jamba = {"attn_layer_period": 4, "attn_layer_offset": 2, "mamba_d_state": 16, "mamba_d_conv": 4, "mamba_expand": 2}
    assert [layer.k > 0 for layer in hf_network({**SMALL, **jamba}).layers] == [False, False, True, False]
    conv = {"layer_types": ["conv", "conv", "full_attention", "other"], "conv_L_cache": 3}
    assert [(layer.k, layer.state) for layer in hf_network({**SMALL, **conv}).layers] == [
        (0, 512),
        (0, 512),
        (128, 0),
        (0, 0),
    ]
    both = {"model_type": "falcon_h1", "mamba_d_ssm": 512, "mamba_d_state": 16, "mamba_d_conv": 4, "mamba_n_groups": 1}
    assert all(layer.k and layer.state == 3 * (512 + 32) + 16 * 512 for layer in hf_network({**SMALL, **both}).layers)


def test_shared_and_global_heads() -> None:
    shared = hf_network({**SMALL, "num_kv_shared_layers": 1})
    assert [layer.k > 0 for layer in shared.layers] == [True] * 3 + [False]
    wide = {"layer_types": ["sliding_attention", "full_attention"] * 2, "sliding_window": 8, "head_dim": 64}
    found = hf_network({**SMALL, **wide, "global_head_dim": 128, "num_global_key_value_heads": 1})
    assert found.layers[:2] == (Layer(128, 128, 64, 64, 8), Layer(128, 128, 128, 128))


@pytest.mark.parametrize(
    ("config", "gib", "within"),
    [(LLAMA_31_8B, 14.96, 0.01), (QWEN25_05B, 0.92, 0.01), (DEEPSEEK_V3, 641.3, 0.03), (GEMMA_3_27B, 51.1 - 0.8, 0.01)],
)
def test_weights_from_the_config(config: dict[str, Any], gib: float, within: float) -> None:
    """Beside the sizes of the published files: 16.06 GB, 0.988 GB, 688.6 GB (with a layer that looks ahead), and 54.8 GB
    less the part for pictures."""
    found = hf_network(config)
    assert found.weights.source == "config" and "counted from its numbers" in found.notes[0]
    assert abs(found.weights.total / (1 << 30) / gib - 1) < within


def test_quantised_weights_are_smaller() -> None:
    plain = hf_network(LLAMA_31_8B).weights
    awq = hf_network({**LLAMA_31_8B, "quantization_config": {"quant_method": "awq", "bits": 4}}).weights
    assert awq.input == plain.input and 0.25 < sum(awq.layers) / sum(plain.layers) < 0.27


def test_weights_that_lie_there_count() -> None:
    found = hf_network(LLAMA_31_8B, Weights(other=7, source="index"))
    assert found.weights.total == 7 and not found.notes


BAD = {
    "no layers": ({}, "num_hidden_layers is 0"),
    "zero heads": ({"num_hidden_layers": 2, "num_attention_heads": 0, "hidden_size": 8}, "has no heads"),
    "no size": ({"num_hidden_layers": 2, "num_attention_heads": 2}, "size of a head is not known"),
    "negative": ({"num_hidden_layers": -1}, "num_hidden_layers is -1, no count"),
    "a text": ({**SMALL, "head_dim": "64"}, "head_dim is '64', no count"),
    "half a layer": ({**SMALL, "num_key_value_heads": 2.5}, "num_key_value_heads is 2.5, no count"),
    "short list": ({**SMALL, "layer_types": ["full_attention"]}, "does not say a word of each of 4 layers"),
}


@pytest.mark.parametrize("name", BAD)
def test_nonsense_is_named(name: str) -> None:
    config, words = BAD[name]
    with pytest.raises(Unreadable) as caught:
        hf_network(config)
    assert words in caught.value.message and caught.value.message.zh != str(caught.value.message)


values = st.none() | st.booleans() | st.integers(-5, 1 << 64) | st.text(max_size=3) | st.lists(st.text(max_size=3))
KEYS = sorted({key for config, _ in CONFIGS.values() for key in config})


@given(st.dictionaries(st.sampled_from(KEYS), values, max_size=6), st.sampled_from(sorted(CONFIGS)))
def test_any_config_gives_a_network_or_a_reason(changed: dict[str, Any], name: str) -> None:
    try:
        found = hf_network({**CONFIGS[name][0], **changed})
    except Unreadable as error:
        assert error.message and error.message.zh
    else:
        assert found.weights.total >= 0 and kv_bytes(found, 4096) >= 0
