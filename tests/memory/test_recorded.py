"""The estimate beside what llama.cpp printed when it loaded two models in seventy ways (recorded/llama_cpp.jsonl)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memory.networks import GEMMA_3_270M, SMOLLM2_135M
from pointsman.fleet.engine_memory import EngineMemory, read_engine_memory
from pointsman.memory import Network, Types, kv_bytes, tokens_per_sequence
from pointsman.memory.compute import compute_bytes, output_bytes
from pointsman.memory.gguf_network import gguf_network

FILE = Path(__file__).parent / "recorded" / "llama_cpp.jsonl"
RECORDED = [json.loads(line) for line in FILE.read_text().splitlines()]
NETWORKS = {"smollm2-135m": gguf_network(SMOLLM2_135M, {}), "gemma3-270m": gguf_network(GEMMA_3_270M, {})}
HUNDREDTH = (1 << 20) / 100  # what the lines are rounded to


def of(way: dict[str, Any]) -> tuple[Network, EngineMemory]:
    found = read_engine_memory(way["lines"])
    assert found is not None
    return NETWORKS[way["model"]], found


def told(way: dict[str, Any]) -> str:
    return "-".join(str(way[key]) for key in ("model", "ctx", "parallel", "unified", "kv_type", "ubatch", "flash"))


@pytest.mark.parametrize("way", RECORDED, ids=told)
def test_kv_to_the_last_hundredth(way: dict[str, Any]) -> None:
    network, found = of(way)
    estimate = kv_bytes(
        network,
        way["ctx"],
        way["parallel"],
        way["unified"],
        Types(way["kv_type"], way["kv_type"]),
        ubatch=way["ubatch"],
        swa_full=way["swa_full"],
    )
    assert abs(estimate - found.kv) <= 2 * HUNDREDTH
    assert f"n_ctx_seq = {tokens_per_sequence(way['ctx'], way['parallel'], way['unified'])}" in way["lines"][0]
    assert abs(output_bytes(network, way["parallel"]) - found.output) <= HUNDREDTH


@pytest.mark.parametrize("way", RECORDED, ids=told)
def test_the_compute_buffer(way: dict[str, Any]) -> None:
    network, found = of(way)
    estimate = compute_bytes(
        network,
        way["ctx"],
        way["parallel"],
        way["unified"],
        Types(way["kv_type"], way["kv_type"]),
        ubatch=way["ubatch"],
        flash=way["flash"],
        swa_full=way["swa_full"],
    )
    least = 0.91 if way["parallel"] == 7 else 0.98  # many rows of a large vocabulary overlap with the rest
    assert least <= estimate / found.compute <= (1.02 if way["flash"] else 1.25)


def test_all_that_was_asked_for_is_recorded() -> None:
    for model in NETWORKS:
        ways = {(each["parallel"], each["unified"], each["kv_type"]) for each in RECORDED if each["model"] == model}
        assert {(n, u, kind) for n in (1, 4) for u in (False, True) for kind in ("f16", "q8_0")} <= ways
