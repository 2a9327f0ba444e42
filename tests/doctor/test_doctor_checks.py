"""Judgement, by tables: what is seen → how it is judged. Every finding says all three things in both languages."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from doctor.facts_for_checks import CARD, GIB, MODEL, OURS, THEIRS, config, engine, file, machine, well
from pointsman.app.doctor.checks import precision
from pointsman.app.doctor.facts import (
    EngineLog,
    Extra,
    GatewayFacts,
    Holding,
    LogFacts,
    ModelNow,
    NotKnown,
    Recount,
    Repeated,
    StoreFacts,
    TargetFacts,
)
from pointsman.app.doctor.finding import Finding
from pointsman.app.doctor.order import PARTS, judged
from pointsman.domain.said import Said

CHECKS = {check.name: check for part in PARTS for check in part.checks}
RUNS = GatewayFacts("http://127.0.0.1:8900", True, True)
GONE = GatewayFacts("http://127.0.0.1:8900", False)
ONE, TWO = Holding(7, "engine", 3 * GIB), Holding(8, "engine", 3 * GIB)
BAD = Said("broken", "坏了")
WANTING = TargetFacts("x@h", "light", "x", "openai", "http://h/v1")
Q4 = TargetFacts("a@h", "light", "Qwen2.5:3b-instruct-q4_K_M", "ollama")
Q8 = TargetFacts("b@h", "light", "hub/qwen2.5-3b-instruct-Q8_0.gguf", "llamacpp")


def log(**changes: Any) -> LogFacts:
    return LogFacts(7, **changes)


def on_demand() -> TargetFacts:
    return msgspec.structs.replace(OURS, on_demand=True)


CASES: list[tuple[str, dict[str, Any], str, str]] = [
    ("weights", {"files": ()}, "ok", "no model file"),
    ("weights", {"files": (file(),)}, "ok", "in memory: 0"),
    ("weights", {"files": (file(ONE, TWO),)}, "wrong", "engine (pid 7, 3,072.0 MiB), engine (pid 8"),
    ("weights", {"files": (file(Holding(7, "engine", 6 * GIB)),)}, "note", "takes 6,144.0 MiB"),
    ("weights", {"files": (file(Holding(7, "engine", 6 * GIB), needs=None),)}, "ok", "twice: none"),
    ("weights", {"files": (file(Holding(7, "e", 9 * GIB, 3 * GIB), on_gpu=True),)}, "ok", "twice: none"),
    ("weights", {"files": (file(Holding(7, "e", GIB, 9 * GIB), on_gpu=True),)}, "note", "9,216.0 MiB"),
    ("kv_cache", {}, "ok", "2 × 4,096 tokens, a cache of 1,024.0 MiB"),
    ("kv_cache", {"files": (), "engines": {}}, "ok", "no engine tells"),
    ("kv_cache", {"files": (), "engines": {"v": engine(blocks=100, block=16, share=0.9)}}, "ok", "90% of the card"),
    ("kv_cache", {"files": (), "engines": {"v": engine(blocks=100, block=16, share=0.97)}}, "note", "97% of the card"),
    ("kv_cache", {"files": (), "engines": {"o": engine(loaded=4 * GIB, on_gpu=4 * GIB)}}, "ok", "on the GPU"),
    ("kv_cache", {"files": (), "engines": {"o": engine(loaded=4 * GIB, on_gpu=GIB)}}, "note", "1,024.0 MiB of it"),
    ("concurrency", {"engines": {THEIRS.name: engine(slots=None)}}, "note", THEIRS.name),
    ("concurrency", {"engines": {THEIRS.name: engine("down", None)}}, "ok", "has a limit"),
    ("concurrency", {"engines": {THEIRS.name: engine(slots=None)},
                     "gateway": msgspec.structs.replace(RUNS, limits={THEIRS.name: 3})}, "ok", "has a limit"),
    ("concurrency", {"engines": {THEIRS.name: engine(slots=None)},
                     "config": config(targets=(msgspec.structs.replace(THEIRS, sequences="auto"),))}, "ok", "limit"),
    ("concurrency", {"engines": {THEIRS.name: engine(slots=None)},
                     "config": config(targets=(msgspec.structs.replace(THEIRS, external=True),))}, "ok", "limit"),
    ("fragmentation", {"logs": (EngineLog("v", 0.0),)}, "ok", "(1)"),
    ("fragmentation", {"logs": (EngineLog("v", 0.0, "memory", "x", 2 * GIB, 3 * GIB),)}, "wrong", "3,072.0 MiB were held"),
    ("fragmentation", {"logs": (EngineLog("v", 0.0, "memory", "x", 2 * GIB, GIB),)}, "ok", "(1)"),
    ("out_of_memory", {"log": log(causes={"m@h": {"out_of_memory": 3, "timeout": 1}})}, "wrong", "3 times"),
    ("out_of_memory", {"log": log(causes={"m@h": {"timeout": 9}})}, "ok", "not run out"),
    ("out_of_memory", {"logs": (EngineLog("v", 0.0, "memory", "CUDA out of memory " * 99),)}, "wrong", "…"),
    ("out_of_memory", {"logs": (EngineLog("v", 0.0, "port", "in use"),)}, "ok", "not run out"),
    ("out_of_memory", {"gateway": msgspec.structs.replace(RUNS, problems=(Said("m: killed by SIGKILL", "m：被终止"),))},
     "wrong", "SIGKILL"),
    ("out_of_memory", {"gateway": msgspec.structs.replace(RUNS, problems=(BAD,))}, "ok", "not run out"),
    ("out_of_memory", {"machine": machine(killed=2)}, "note", "ended 2 processes"),
    ("precision", {"config": config(targets=(Q4, Q8))}, "note", "a@h q4_k, b@h q8_0"),
    ("precision", {"config": config(targets=(Q4, msgspec.structs.replace(Q8, tier="heavy")))}, "ok", "alike"),
    ("precision", {"config": config(targets=(Q4, THEIRS, OURS))}, "ok", "alike"),
    ("precision", {"config": config(targets=(THEIRS, msgspec.structs.replace(THEIRS, name="n"))),
                   "engines": {THEIRS.name: engine(cache_type="fp8"),
                               "n": engine(cache_type="auto", quant="bf16", target="n")}},
     "note", "KV fp8"),
    ("precision", {"config": config(targets=(THEIRS,)),
                   "engines": {"m (1)": engine(cache_type="fp8"), "m (2)": engine(quant="bf16")}}, "note", "m (1) KV fp8"),
    ("tokenizer", {}, "ok", f"{THEIRS.name} × 1.05"),
    ("tokenizer", {"log": log(ratios={"m@h": (3.0, 49)})}, "ok", "enough requests"),
    ("tokenizer", {"log": log(ratios={"m@h": (1.8, 50), "n@h": (1.0, 60)})}, "wrong", "1.80 times"),
    ("tokenizer", {"log": log(ratios={"m@h": (0.5, 50)})}, "wrong", "0.50 times"),
    ("cut_input", {}, "ok", "no arbiter heard"),
    ("cut_input", {"log": log(heard=100, cut=20)}, "ok", "20 of them shortened"),
    ("cut_input", {"log": log(heard=100, cut=80)}, "note", "80 of them shortened"),
    ("hidden_state", {}, "ok", "200 decisions"),
    ("hidden_state", {"recount": Recount(0, 0, 0)}, "ok", "no decision"),
    ("hidden_state", {"recount": Recount(0, 0, 5)}, "note", "not kept whole"),
    ("hidden_state", {"recount": Recount(90, 2, 5, ("req_1", "req_2"))}, "wrong", "2 of 92 decisions"),
    ("request_ids", {}, "ok", "500 requests"),
    ("request_ids", {"log": log(repeated=(Repeated("req_1", 3),))}, "note", "req_1 × 3"),
    ("memory_free", {}, "ok", "no model waits"),
    ("memory_free", {"files": (file(),)}, "ok", "would fit now"),
    ("memory_free", {"files": (file(),), "machine": machine(available=GIB)}, "wrong", "1,024.0 MiB are free in main"),
    ("memory_free", {"files": (file(),), "machine": machine(available=GIB), "config": config(targets=(on_demand(),))},
     "note", "needs 3,072.0 MiB"),
    ("memory_free", {"files": (file(on_gpu=True),), "machine": machine(available=GIB, cards=(CARD,))}, "ok", "fit now"),
    ("memory_free", {"files": (file(on_gpu=True, needs=21 * GIB),), "machine": machine(cards=(CARD,))}, "wrong", "GPU"),
    ("files", {}, "ok", "by their structure: 1"),
    ("files", {"files": (file(problem=BAD),)}, "wrong", "broken"),
    ("files", {"files": (file(sha256="a" * 64, expected="b" * 64),)}, "wrong", f"{MODEL} has SHA-256 aaaa"),
    ("files", {"files": (file(sha256="a" * 64, expected="a" * 64),)}, "ok", "is known: 1"),
    ("ports", {}, "ok", "answers at http://"),
    ("ports", {"gateway": GONE}, "ok", "is free"),
    ("ports", {"gateway": GONE, "machine": machine(owner=BAD)}, "wrong", "broken"),
    ("ports", {"machine": machine(owner=BAD)}, "ok", "answers at http://"),
    ("ports", {"gateway": GONE, "machine": machine(owners=(BAD,))}, "wrong", "broken"),
    ("ports", {"engines": {"o@h": engine("down", port_owner=BAD)}}, "wrong", "o@h: broken"),
    ("thrash", {"gateway": GONE}, "ok", "no gateway runs"),
    ("thrash", {"gateway": msgspec.structs.replace(RUNS, models=(ModelNow("m", "ready", 5, 5),))}, "ok", "loaded 5"),
    ("thrash", {"gateway": msgspec.structs.replace(RUNS, models=(ModelNow("m", "ready", 9, 8, 12.0),))},
     "note", "pushed out 8 times, 12 s each"),
    ("thrash", {"gateway": msgspec.structs.replace(RUNS, models=(ModelNow("m", "failed", problem=BAD),))},
     "wrong", "m: broken"),
    ("scale", {}, "ok", "no sign"),
    ("scale", {"gateway": GONE}, "ok", "no gateway runs"),
    ("scale", {"gateway": msgspec.structs.replace(RUNS, scale=(BAD,))}, "note", "broken"),
    ("config", {}, "ok", "10 rules"),
    ("config", {"config": config(problems=(BAD,) * 9)}, "wrong", "and 4 more"),
    ("l0_hits", {}, "ok", "75.0%"),
    ("l0_hits", {"log": log(asked=99, by_rules=1)}, "ok", "too few"),
    ("l0_hits", {"log": log(asked=200, by_rules=119)}, "wrong", "59.5%"),
    ("l0_hits", {"log": log(asked=200, by_rules=150, whole=False)}, "ok", "75.0% (as far as"),
    ("engines", {}, "ok", "is ready"),
    ("engines", {"gateway": GONE}, "ok", "no gateway runs"),
    ("engines", {"engines": {}, "gateway": msgspec.structs.replace(RUNS, ready=False)}, "ok", "not ready yet"),
    ("engines", {"engines": {"m@h": engine("down", problem="refused")}}, "wrong", "m@h: refused"),
    ("engines", {"engines": {"m@h": engine("up", problem=BAD)}}, "note", "m@h: broken"),
    ("engines", {"gateway": msgspec.structs.replace(RUNS, problems=(BAD,))}, "wrong", "broken"),
    ("engines", {"engines": {"m@h": engine()}, "gateway": msgspec.structs.replace(RUNS, problems=(Said("m@h: x", "y"),))},
     "ok", "is ready"),
    ("data_folder", {}, "ok", "can be written"),
    ("data_folder", {"machine": machine(unwritable=BAD)}, "wrong", "broken"),
    ("data_folder", {"machine": machine(disk_free=GIB)}, "note", "1.0 GiB of"),
    ("data_folder", {"machine": machine(disk_free=1 << 20)}, "wrong", "1 MiB of"),
    ("store", {}, "ok", "answers"),
    ("store", {"store": StoreFacts("redis://h", BAD)}, "note", "redis://h: broken"),
    ("store", {"store": StoreFacts("redis://h", dead=2)}, "note", "2 jobs were given up"),
    ("keys", {}, "ok", "this machine alone"),
    ("keys", {"config": config(host="0.0.0.0", public=True, keys=2)}, "ok", "one of 2 keys"),
    ("keys", {"config": config(host="0.0.0.0", public=True)}, "wrong", "without a key"),
    ("clock", {}, "ok", "17 minutes old"),
    ("clock", {"log": log()}, "ok", "no record yet"),
    ("clock", {"log": log(newest=1_000_600.0)}, "wrong", "10 minutes in the future"),
    ("extras", {}, "ok", "(-)"),
    ("extras", {"config": config(extras=(Extra("local", BAD, True),))}, "ok", "(local)"),
    ("extras", {"config": config(extras=(Extra("local", BAD, False),))}, "wrong", "local is not installed"),
]  # fmt: skip


def worst(findings: list[Finding]) -> Finding:
    order = ("ok", "unknown", "note", "wrong")
    return max(findings, key=lambda finding: order.index(finding.level))


@pytest.mark.parametrize(("name", "changes", "level", "words"), CASES)
def test_judgement(name: str, changes: dict[str, Any], level: str, words: str) -> None:
    findings = judged(CHECKS[name], well() | changes)
    found = worst(findings)
    assert found.level == level and any(words in finding.saw for finding in findings), findings
    for finding in findings:
        for text in (finding.saw, finding.means, finding.do):
            assert (text is None) == (finding.level == "ok" and text is not finding.saw)
            assert text is None or (isinstance(text, Said) and text.zh)


def test_every_check_has_a_case_and_is_well_by_default() -> None:
    assert {case[0] for case in CASES} == set(CHECKS)
    for check in CHECKS.values():
        assert [finding.level for finding in judged(check, well())] == ["ok"], check.name


@pytest.mark.parametrize("name", CHECKS)
def test_a_fact_that_is_wanting_is_said(name: str) -> None:
    check = CHECKS[name]
    for needed in check.needs:
        [found] = judged(check, well() | {needed: NotKnown(Said("it hangs", "卡住了"))})
        assert found.level == "unknown" and "it hangs" in found.saw and "卡住了" in found.saw.zh


@pytest.mark.parametrize(
    ("model", "quant", "base"),
    [
        ("qwen2.5:7b-instruct-q4_K_M", "q4_k_m", "qwen257binstruct"),
        ("Qwen/Qwen2.5-7B-Instruct-AWQ", "awq", "qwen257binstruct"),
        ("/m/Qwen2.5-7B-Instruct-Q8_0.gguf", "q8_0", "qwen257binstruct"),
        ("llama3", None, "llama3"),
        ("Meta-Llama-3.1-8B-Instruct-FP8", "fp8", "metallama318binstruct"),
        ("m-IQ4_XS.gguf", "iq4_xs", "m"),
    ],
)
def test_names_tell_quantisations(model: str, quant: str | None, base: str) -> None:
    assert precision.quant_in(model) == quant and precision.base_of(model) == base
