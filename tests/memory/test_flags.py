"""Flags fit by the arithmetic of `fit` itself, and are the best that do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.networks import GEMMA_3_27B, LLAMA_31_8B
from pointsman.memory.estimate import Setup, estimate
from pointsman.memory.flags import F16, LONGEST, USEFUL, Launch, Wish, choose, llama_launch, ollama_launch
from pointsman.memory.hf_network import hf_network
from pointsman.memory.network import Unreadable
from pointsman.memory.rows import Types
from pointsman.memory.sizes import MIB
from pointsman.memory.verdict import Room
from pointsman.memory.vllm import VllmSetup, vllm_blocks
from pointsman.memory.vllm_flags import utilization, vllm_launch

GIB = 1024 * MIB
LLAMA = hf_network(LLAMA_31_8B)
GEMMA = hf_network(GEMMA_3_27B)


def value(found: Launch, name: str) -> str | None:
    return next(flag.value for flag in found.flags if flag.name == name)


@given(
    size=st.integers(1, 120),
    gpu=st.booleans(),
    parallel=st.none() | st.integers(1, 8),
    tokens=st.none() | st.integers(256, 16_384),
    types=st.none() | st.sampled_from([F16, Types("q8_0", "f16")]),
)
def test_what_is_said_to_fit_does(
    size: int, gpu: bool, parallel: int | None, tokens: int | None, types: Types | None
) -> None:
    room, wish = Room(size * GIB, gpu), Wish(parallel, tokens, types)
    found = choose(LLAMA, room, wish)
    total = estimate(LLAMA, found.setup, gpu=gpu).main.total
    assert found.found.main.total == total and found.spare == room.size - total
    assert parallel in (None, found.setup.parallel) and tokens in (None, found.tokens)
    assert types in (None, found.setup.types)
    if found.spare < 0:  # not even one sequence does, whatever its cache
        least = Setup((tokens or USEFUL) * (parallel or 1), parallel or 1, types=types or Types("q8_0", "q8_0"))
        assert estimate(LLAMA, least, gpu=gpu).main.total > room.size


def test_a_large_card_holds_four_long_ones() -> None:
    found = choose(LLAMA, Room(80 * GIB, True), Wish())
    assert (found.setup.parallel, found.tokens, found.setup.types, found.squeezed) == (4, LONGEST, F16, False)


def test_a_smaller_one_is_squeezed_in_order() -> None:
    seen = [
        (found.setup.types.k, found.setup.parallel, found.tokens)
        for size in (26, 22, 20, 18, 17)
        if (found := choose(LLAMA, Room(size * GIB, True), Wish())).spare >= 0
    ]
    assert seen[0][:2] == ("f16", 4) and all(tokens >= USEFUL for _, _, tokens in seen)
    rank = [("f16", 4), ("f16", 2), ("q8_0", 4), ("q8_0", 2), ("f16", 1), ("q8_0", 1)]
    places = [rank.index(each[:2]) for each in seen]
    assert places == sorted(places)


def test_layers_go_to_the_cpu_last() -> None:
    found = llama_launch(LLAMA, Room(8 * GIB, True), Wish(), "m.gguf", 16)
    assert found.fits and value(found, "-t") == "15"
    layers = value(found, "-ngl")
    assert layers is not None and 0 < int(layers) < 33
    [reason] = [flag.reason for flag in found.flags if flag.name == "-ngl"]
    assert "the CPU does the rest" in reason and "其余由 CPU 计算" in reason.zh


def test_llama_on_a_card_and_without() -> None:
    found = llama_launch(LLAMA, Room(24 * GIB, True), Wish(), "m.gguf", 16)
    assert value(found, "-ngl") == "all" and value(found, "-fa") == "on" and value(found, "-m") == "m.gguf"
    assert int(value(found, "-c") or 0) == found.tokens * found.parallel
    assert all(flag.reason.zh != flag.reason for flag in found.flags)
    without = llama_launch(LLAMA, Room(64 * GIB, False), Wish(), "m.gguf", 1)
    assert value(without, "-ngl") == "0" and value(without, "-t") == "1"
    nothing = llama_launch(LLAMA, Room(4 * GIB, False), Wish(), "m.gguf", 8)
    assert not nothing.fits and nothing.spare < 0


def test_ollama_tells_one_length_for_each() -> None:
    found = ollama_launch(LLAMA, Room(24 * GIB, True), Wish(2, 8192))
    assert value(found, "OLLAMA_CONTEXT_LENGTH") == "8192" and value(found, "OLLAMA_NUM_PARALLEL") == "2"
    assert value(found, "OLLAMA_MAX_LOADED_MODELS") == "1" and value(found, "OLLAMA_GPU_OVERHEAD") == str(GIB)
    with pytest.raises(Unreadable, match="one cache type"):
        ollama_launch(LLAMA, Room(24 * GIB, True), Wish(types=Types("q8_0", "f16")))


@given(
    size=st.integers(4, 160),
    parallel=st.none() | st.integers(1, 64),
    tokens=st.none() | st.integers(256, 65_536),
    used=st.none() | st.integers(0, 8),
    gemma=st.booleans(),
)
def test_vllm_holds_what_its_flags_say(
    size: int, parallel: int | None, tokens: int | None, used: int | None, gemma: bool
) -> None:
    network = GEMMA if gemma else LLAMA
    room = Room(size * GIB, True, used=None if used is None else used * GIB)
    found = vllm_launch(network, room, Wish(parallel, tokens), "m", None)
    share = float(value(found, "--gpu-memory-utilization") or 0)
    types = Types("fp8", "fp8") if value(found, "--kv-cache-dtype") == "fp8" else Types("bf16", "bf16")
    setup = VllmSetup(int(value(found, "--max-model-len") or 0), share, types)
    blocks = vllm_blocks(network, setup, room.size, context=room.context)
    many = int(value(found, "--max-num-seqs") or 0)
    assert 0 < share <= 0.9 and setup.ctx == found.tokens and many == found.parallel
    holds = blocks.count >= blocks.per_sequence * many
    assert found.fits == holds or abs(found.spare) < 64 * MIB  # blocks are whole, bytes are not
    assert parallel in (None, many) and tokens in (None, setup.ctx)


def test_vllm_leaves_what_others_have() -> None:
    assert utilization(Room(80 * GIB, True)) == 0.9
    assert utilization(Room(24 * GIB, True, used=8 * GIB)) == 0.62
    assert utilization(Room(24 * GIB, True, used=24 * GIB)) == 0.01


def test_vllm_names_the_type() -> None:
    found = vllm_launch(LLAMA, Room(80 * GIB, True), Wish(), "m", "bfloat16")
    [reason] = [flag.reason for flag in found.flags if flag.name == "--dtype"]
    assert "bfloat16" in reason and "float16" in reason.zh
    small = vllm_launch(LLAMA, Room(12 * GIB, True), Wish(), "m", None)
    assert not small.fits and "not even one" in small.flags[2].reason
