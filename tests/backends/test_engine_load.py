"""What engines say of their load, read from pages as they give them."""

from __future__ import annotations

from pointsman.backends.engine_load import read_load
from pointsman.ports.backend import EngineLoad

VLLM = """
# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="Qwen/Qwen2.5-7B-Instruct"} 12.0
vllm:num_requests_running{engine="1",model_name="Qwen/Qwen2.5-7B-Instruct"} 9.0
vllm:num_requests_waiting{engine="0",model_name="Qwen/Qwen2.5-7B-Instruct"} 3.0
vllm:num_requests_waiting{engine="1",model_name="Qwen/Qwen2.5-7B-Instruct"} 0.0
vllm:kv_cache_usage_perc{engine="0",model_name="Qwen/Qwen2.5-7B-Instruct"} 0.91
vllm:kv_cache_usage_perc{engine="1",model_name="Qwen/Qwen2.5-7B-Instruct"} 0.44
# TYPE vllm:num_preemptions_total counter
vllm:num_preemptions_total{engine="0",model_name="Qwen/Qwen2.5-7B-Instruct"} 2.0
vllm:num_preemptions_created{engine="0",model_name="Qwen/Qwen2.5-7B-Instruct"} 1.7e+09
"""
LLAMACPP = """
# HELP llamacpp:requests_processing Number of requests processing.
# TYPE llamacpp:requests_processing gauge
llamacpp:requests_processing 4
# HELP llamacpp:requests_deferred Number of requests deferred.
# TYPE llamacpp:requests_deferred gauge
llamacpp:requests_deferred 2
llamacpp:prompt_tokens_seconds nan
"""


def test_vllm_with_several_engines() -> None:
    assert read_load(VLLM) == EngineLoad(running=21, waiting=3, preemptions=2, kv_cache_usage=0.91)


def test_llamacpp() -> None:
    assert read_load(LLAMACPP) == EngineLoad(running=4, waiting=2)


def test_a_page_of_something_else() -> None:
    assert read_load("process_cpu_seconds_total 3.1\nvllm:num_requests_running NaN\n") is None
