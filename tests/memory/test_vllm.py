"""Blocks of vLLM, counted and read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.networks import GEMMA_3_27B, LLAMA_31_8B
from pointsman.memory import Types, Unreadable
from pointsman.memory.hf_network import hf_network
from pointsman.memory.vllm import VllmSetup, read_metrics, vllm_blocks

GIB = 1 << 30
LLAMA = hf_network(LLAMA_31_8B)

# in the form of vLLM's /metrics; the figures are made up
METRICS = """\
# HELP vllm:cache_config_info Information of the LLMEngine CacheConfig
# TYPE vllm:cache_config_info gauge
vllm:cache_config_info{block_size="16",cache_dtype="auto",enable_prefix_caching="True",engine="0",\
gpu_memory_utilization="0.82",num_cpu_blocks="None",num_gpu_blocks="5730",sliding_window="None"} 1.0
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="m"} 3.0
vllm:kv_cache_usage_perc{engine="0",model_name="m"} 0.25
vllm:kv_cache_usage_perc{engine="1",model_name="m"} 0.5
"""


def test_a_running_one_tells_its_blocks() -> None:
    running = read_metrics(METRICS)
    assert (running.blocks, running.block, running.tokens) == (5730, 16, 91_680)
    assert running.used == 0.5 and running.free_tokens == 45_840
    assert running.utilization == 0.82 and running.cache_type == "auto"
    told = METRICS.replace("num_gpu_blocks=", 'kv_cache_size_tokens="80000",num_gpu_blocks=')
    assert read_metrics(told).tokens == 80_000


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "hold no vllm:cache_config_info"),
        ("llamacpp:requests_processing 0\n", "hold no vllm:cache_config_info"),
        (METRICS.replace('"5730"', '"None"'), "does not tell its blocks (num_gpu_blocks=None"),
        (METRICS.replace('"16"', '"0"'), "does not tell its blocks"),
        (METRICS.replace('"16"', '"１６"'), "does not tell its blocks"),
    ],
)
def test_what_is_no_vllm_says_so(text: str, words: str) -> None:
    with pytest.raises(Unreadable) as caught:
        read_metrics(text)
    assert words in caught.value.message and caught.value.message.zh != str(caught.value.message)


@given(st.text(max_size=60), st.integers(0, len(METRICS)))
def test_any_text_is_read_or_refused(noise: str, at: int) -> None:
    try:
        running = read_metrics(METRICS[:at] + noise + METRICS[at:])
    except Unreadable:
        return
    assert running.blocks > 0 and 0 <= running.free_tokens <= running.tokens


def test_the_share_of_the_card_whatever_the_model() -> None:
    blocks = vllm_blocks(LLAMA, VllmSetup(8192), 24 * GIB, context=300 << 20)
    assert blocks.budget == int(24 * GIB * 0.9) and blocks.weights == LLAMA.weights.total
    assert blocks.kv == blocks.budget - blocks.weights - blocks.activation - (300 << 20)
    token = 32 * 2 * 8 * 128 * 2  # bytes: layers, K and V, heads, numbers, bf16
    assert blocks.count == blocks.kv // (16 * token) and blocks.per_sequence == 512
    assert blocks.tokens == blocks.count * 16
    half = vllm_blocks(LLAMA, VllmSetup(8192, types=Types("fp8", "fp8")), 24 * GIB, context=300 << 20)
    assert half.count in (2 * blocks.count, 2 * blocks.count + 1)


def test_weights_that_are_too_large_leave_nothing() -> None:
    blocks = vllm_blocks(LLAMA, VllmSetup(8192), 8 * GIB, context=0)
    assert blocks.kv == blocks.count == blocks.tokens == 0


def test_windows_need_fewer_blocks() -> None:
    network = hf_network(GEMMA_3_27B)  # 10 layers that keep all, 52 with a window of 1024
    blocks = vllm_blocks(network, VllmSetup(32_768), 80 * GIB, context=0)
    full, kept = 32_768 // 16, -(-(1023 + 2048) // 16) + 1
    assert blocks.per_sequence == full + 6 * kept  # six groups of ten hold the 52
    assert blocks.concurrency > 2 * blocks.kv / (62 * 2 * 16 * 128 * 2 * 32_768)


@pytest.mark.parametrize(
    ("setup", "words"),
    [
        (VllmSetup(8192, 0.0), "gpu_memory_utilization is 0.0"),
        (VllmSetup(8192, 1.5), "at most 1"),
        (VllmSetup(8192, float("nan")), "gpu_memory_utilization is nan"),
        (VllmSetup(0), "ctx is 0"),
        (VllmSetup(-4), "ctx is -4"),
    ],
)
def test_what_cannot_be(setup: VllmSetup, words: str) -> None:
    with pytest.raises(Unreadable, match=words):
        vllm_blocks(LLAMA, setup, 24 * GIB, context=0)
