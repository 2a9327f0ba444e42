"""Facts of a gateway that is well, for tests that change one thing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pointsman.app.doctor.facts import (
    Card,
    ConfigFacts,
    EngineFacts,
    FileFacts,
    GatewayFacts,
    Holding,
    LogFacts,
    MachineFacts,
    Recount,
    StoreFacts,
    TargetFacts,
)
from pointsman.domain.target import BackendState, ModelFacts

GIB = 1 << 30
MODEL = "/models/qwen2.5-3b-q4_k_m.gguf"
OURS = TargetFacts("q@embedded", "light", MODEL, "embedded", ours=True, local=True)
THEIRS = TargetFacts("m@h:8000", "heavy", "m", "vllm", "http://h:8000/v1")


def config(**changes: Any) -> ConfigFacts:
    values: dict[str, Any] = {
        "path": Path("pointsman.yaml"),
        "problems": (),
        "rules": 10,
        "cases": 40,
        "targets": (OURS, THEIRS),
        "host": "127.0.0.1",
        "port": 8900,
        "keys": 0,
        "public": False,
        "data_dir": Path("/data"),
        "store": "jobs.sqlite",
    }
    return ConfigFacts(**(values | changes))


def engine(
    health: str = "up", slots: int | None = 4, problem: Any = None, target: str = "m@h:8000", **more: Any
) -> EngineFacts:
    state = BackendState(target, health, ModelFacts(slots=slots), problem)  # type: ignore[arg-type]
    return EngineFacts(state, **more)


def file(*holders: Holding, **changes: Any) -> FileFacts:
    values: dict[str, Any] = {
        "weights": 2 * GIB,
        "needs": 3 * GIB,
        "cache": GIB,
        "slots": 2,
        "context": 4096,
        "quant": "q4_K",
        "holders": holders,
    }
    return FileFacts(MODEL, **(values | changes))


def machine(**changes: Any) -> MachineFacts:
    values: dict[str, Any] = {
        "available": 16 * GIB,
        "disk": 100 * GIB,
        "disk_free": 50 * GIB,
        "now": 1_000_000.0,
    }
    return MachineFacts(**(values | changes))


CARD = Card("GPU-1", 24 * GIB, 4 * GIB)


def well() -> dict[str, Any]:
    """Every fact, and nothing that is wrong."""
    return {
        "config": config(),
        "gateway": GatewayFacts("http://127.0.0.1:8900", True, True),
        "log": LogFacts(7, requests=500, newest=999_000.0, asked=400, by_rules=300, ratios={THEIRS.name: (1.05, 90)}),
        "recount": Recount(200, 0, 0),
        "engines": {THEIRS.name: engine()},
        "files": (file(Holding(7, "engine", 3 * GIB)),),
        "machine": machine(),
        "logs": (),
        "store": StoreFacts("jobs.sqlite"),
    }
