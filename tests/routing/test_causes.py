"""Why a target failed, told by lines that engines wrote: out of memory, a load that failed, a time-out, and none of them."""

from __future__ import annotations

import pytest

from pointsman.domain.attempt import Attempt
from pointsman.routing.breaker import Breaker, explained, outcome_of
from pointsman.routing.causes import cause_of

LLAMACPP_MEMORY = [
    # SmolLM2 with a context of 60 million tokens on a CPU, xllamacpp 2026.10
    "0.30.458.117 E ggml_aligned_malloc: insufficient memory (attempted to allocate 1318359.38 MB)",
    "0.30.467.990 E ggml_backend_cpu_buffer_type_alloc_buffer: failed to allocate buffer of size 1382400000000",
    "0.31.452.372 E llama_init_from_model: failed to initialize the context: failed to allocate buffer for kv cache",
    # CUDA, as llama.cpp's issue 26297 and gpustack's 1269 have it
    "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 51748.72 MiB on device 1: cudaMalloc failed: out of memory",
    "ggml_gallocr_reserve_n_impl: failed to allocate CUDA1 buffer of size 54262464512",
    "graph_reserve: failed to allocate compute buffers",
    "llama_model_load: error loading model: unable to allocate backend buffer",
    "terminate called after throwing an instance of 'std::bad_alloc'",
    "the process of light ended: killed by SIGKILL (the system does that when memory runs out)",
]
LLAMACPP_LOAD = [
    # a file of which the end is missing, xllamacpp 2026.10
    "llama_model_load: error loading model: tensor 'token_embd.weight' data is not within the file bounds, model is "
    "corrupted or incomplete",
    "srv    load_model: failed to load model, '/models/cut.gguf'",
    "light did not load: value too large to convert to int32_t",
    "light was not ready after 300 s",
    "Loading model",
]
VLLM_MEMORY = [
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB",
    "RuntimeError: CUDA out of memory occurred when warming up sampler with 256 dummy requests.",
    "ValueError: Free memory on device (59.32/79.15 GiB) on startup is less than desired GPU memory utilization "
    "(0.9, 71.24 GiB).",
    "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization`.",
]
VLLM_LOAD = ["RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}"]
OLLAMA_MEMORY = [
    "model requires more system memory (12.3 GiB) than is available (7.1 GiB)",
    "llama runner process has terminated: cudaMalloc failed: out of memory",
    "llama runner process has terminated: CUDA error: out of memory",
    "llama runner process has terminated: signal: killed",
    "llama runner exited, you may not have enough available memory to run this model",
]
OLLAMA_LOAD = [
    "timed out waiting for llama runner to start - progress 0.00 - ",
    "llama runner process has terminated: error loading model: unknown model architecture",
]
NEITHER = [
    "EngineCore encountered an issue. See stack trace (above) for the root cause.",
    "Internal Server Error",
    "connection refused",
    "the room is full of zoom calls",
    "llama runner process has terminated: exit status 2",
    "",
]


@pytest.mark.parametrize("line", [*LLAMACPP_MEMORY, *VLLM_MEMORY, *OLLAMA_MEMORY])
def test_out_of_memory(line: str) -> None:
    assert cause_of(line) == "out_of_memory"


@pytest.mark.parametrize("line", [*LLAMACPP_LOAD, *VLLM_LOAD, *OLLAMA_LOAD])
def test_a_load_that_failed(line: str) -> None:
    assert cause_of(line) == "load"


@pytest.mark.parametrize("line", ["upstream request timeout", "Request timed out.", "context deadline exceeded"])
def test_a_time_out(line: str) -> None:
    assert cause_of(line) == "timeout"


@pytest.mark.parametrize("line", [*NEITHER, None])
def test_none_of_them(line: str | None) -> None:
    assert cause_of(line) is None


@pytest.mark.parametrize(
    ("status", "failure", "message", "cause"),
    [
        (500, "http", OLLAMA_MEMORY[0], "out_of_memory"),
        (500, "http", OLLAMA_LOAD[0], "load"),
        (500, "http", NEITHER[0], "error"),
        (504, "http", "Gateway Time-out", "timeout"),
        (504, "http", "bad gateway", "timeout"),
        (None, "first_byte_timeout", "no first byte of a reply within 30 s", "timeout"),
        (None, "idle_timeout", "nothing came for 60 s", "timeout"),
        (None, "connect", LLAMACPP_MEMORY[-1], "out_of_memory"),
        (None, "connect", LLAMACPP_LOAD[2], "load"),
        (None, "connect", "connection refused", "connect"),
        (None, "reset", "the connection broke", "broke_off"),
    ],
)
def test_an_attempt_is_told_apart(status: int | None, failure: str, message: str, cause: str) -> None:
    assert outcome_of(Attempt("m@a", 0.0, 1.0, status, failure, message)) == ("failure", cause)


def test_what_the_process_says_after_it_ended_explains_why_the_reply_broke_off() -> None:
    breaker = Breaker("open", cause="broke_off")
    assert explained(breaker, LLAMACPP_MEMORY[-1]).cause == "out_of_memory"
    assert explained(breaker, "connection refused") is breaker
    assert explained(breaker, None) is breaker
    known = Breaker("open", cause="timeout")
    assert explained(known, LLAMACPP_MEMORY[-1]) is known
