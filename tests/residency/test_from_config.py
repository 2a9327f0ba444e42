"""What a config says of models that come and go: what is wrong with it, and the plan that it becomes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from pipeline.policies import ask
from pointsman.app.build import Built, build
from pointsman.app.engines import Engines
from pointsman.app.residence import Residency
from pointsman.config.load import load
from pointsman.domain.errors import Problems
from pointsman.domain.residence import Demand, Residence
from pointsman.domain.said import Said
from pointsman.domain.target import BackendState, Snapshot
from pointsman.fleet.drivers.llamacpp_router import RouterDriver
from pointsman.fleet.drivers.ollama import OllamaDriver
from pointsman.fleet.drivers.process import ProcessDriver
from pointsman.fleet.drivers.vllm_sleep import SleepDriver
from pointsman.pipeline.decide import decide
from pointsman.pipeline.residence.plan import Plan
from pointsman.ports.clock import SystemClock
from pointsman.telemetry.metrics import Metrics

MODEL = "builtin:smollm2-135m"


def backend(name: str, engine: str = "embedded", model: str = MODEL, **more: Any) -> dict[str, Any]:
    own = {"engine": engine, "model": model, "name": name, **more}
    return own | ({} if engine == "embedded" else {"base_url": "http://127.0.0.1:9/v1"})


def built(folder: Path, **config: Any) -> Built:
    path = folder / "pointsman.yaml"
    path.write_text(yaml.safe_dump({"rules": {"packs": []}, **config}, sort_keys=False), encoding="utf-8")
    return build(load(path, None, {}))


def models(*backends: dict[str, Any]) -> dict[str, Any]:
    return {f"m{number}": {"backends": [each]} for number, each in enumerate(backends)}


class Nowhere:
    """A floor with nobody on it."""

    def demands(self, targets: Iterable[str]) -> Mapping[str, Demand]:
        return dict.fromkeys(targets, Demand())

    def tell(self, residences: Mapping[str, Residence]) -> None:
        pass

    async def emptied(self, target: str) -> None:
        pass


@pytest.fixture
async def residency() -> AsyncIterator[Residency]:
    made = Residency(SystemClock(), Nowhere(), Metrics())
    yield made
    await made.close()


def plan_of(residency: Residency, setup: Built, folder: Path) -> Plan:
    engines = Engines(folder / "engines", lambda name: None).made(setup.config)
    processes = {name: engine.process for name, engine in engines.items()}
    return residency.made(setup.config, setup.policy.document, processes).plan


async def test_without_a_word_models_are_always_there(tmp_path: Path, residency: Residency) -> None:
    far = backend("d", "ollama", "x")
    assert plan_of(residency, built(tmp_path, models=models(backend("a"), far)), tmp_path).units == ()


async def test_a_budget_is_for_all_that_the_gateway_starts(tmp_path: Path, residency: Residency) -> None:
    small = backend("b", context=512, slots=1)
    setup = built(tmp_path, models=models(backend("a"), small, backend("c", "ollama", "x")), memory={"budget": "1GB"})
    plan = plan_of(residency, setup, tmp_path)
    assert [unit.name for unit in plan.units] == [f"{MODEL}@a", f"{MODEL}@b"]
    assert all(unit.start for unit in plan.units)
    first, second = (unit.memory or 0 for unit in plan.units)
    assert 1 << 26 < second < first < 1 << 30  # by the file, contexts and slots
    assert plan.rules.budget == 1 << 30


async def test_each_engine_has_its_driver(tmp_path: Path, residency: Residency) -> None:
    when = {"when": "demand", "idle": "10m", "drain": 5, "memory": "2GB"}
    names = ("embedded", "ollama", "llamacpp", "vllm")
    backends = [backend(engine, engine, MODEL if engine == "embedded" else "x", load=when) for engine in names]
    plan = plan_of(residency, built(tmp_path, models=models(*backends)), tmp_path)
    kinds = [type(plan.drivers[unit.name]) for unit in plan.units]
    assert kinds == [ProcessDriver, OllamaDriver, RouterDriver, SleepDriver]
    assert {(unit.start, unit.idle) for unit in plan.units} == {(False, 600.0)}
    assert set(plan.drains.values()) == {5.0}


async def test_groups(tmp_path: Path, residency: Residency) -> None:
    setup = built(
        tmp_path,
        models=models(
            backend("a", load={"group": "rag", "idle": "1m", "memory": "1GB"}),
            backend("b", load={"group": "code"}),
            backend("c", load={"group": "rag", "idle": "5m", "memory": "2GB", "when": "demand"}),
            backend("d", load={"group": "code", "pin": True}),
        ),
        memory={"budget": "8GB", "groups": {"rag": "together", "code": "exclusive"}},
    )
    rag, code, pinned = plan_of(residency, setup, tmp_path).units
    assert (rag.name, rag.models) == ("rag", (f"{MODEL}@a", f"{MODEL}@c"))
    assert (rag.memory, rag.idle, rag.start, rag.exclusive) == (3 << 30, 300.0, True, None)
    assert code.exclusive == pinned.exclusive == "code" and pinned.pinned and not code.pinned


async def test_who_arbitrates_is_pinned_while_an_entry_uses_it(tmp_path: Path, residency: Residency) -> None:
    demand = {"when": "demand"}
    both = models(backend("a", load=demand), backend("b", load=demand))
    plain = plan_of(residency, built(tmp_path, models=both), tmp_path)
    assert [unit.pinned for unit in plain.units] == [False, False]
    intents = {"sell": {"about": {"en": "Sales figures", "zh": "销售数据"}}}
    auto = {"auto": {"arbiter": "m1"}}
    hearing = built(tmp_path, models=both, entries=auto, arbiter={"intents": intents, "shipped": False})
    assert [unit.pinned for unit in plan_of(residency, hearing, tmp_path).units] == [False, True]


WRONG = [
    (models(backend("a", "openai", "x", load={})), {}, "models.m0.backends[0].load", "cannot be told to load"),
    (models(backend("a", load={"group": "g"})), {}, "models.m0.backends[0].load.group", "no group g"),
    (
        models(backend("a", load={"memory": "3GB"})),
        {"memory": {"budget": "2GB"}},
        "models.m0.backends[0].load.memory",
        "3GB never fits: memory.budget is 2GB",
    ),
    (
        models(backend("a", load={"when": "demand"})),
        {"admission": {"queue": 0}},
        "models.m0.backends[0].load.when",
        "admission.queue is 0",
    ),
    (models(backend("a", load={"restart": "0 25 * * *"})), {}, "models.m0.backends[0].load.restart", "the hour"),
]


@pytest.mark.parametrize(("given", "more", "path", "why"), WRONG)
def test_what_cannot_be(tmp_path: Path, given: dict[str, Any], more: dict[str, Any], path: str, why: str) -> None:
    with pytest.raises(Problems) as refused:
        built(tmp_path, models=given, **more)
    [problem] = refused.value.problems
    assert problem.path == path and why in problem.message
    assert isinstance(problem.message, Said) and problem.message.zh != problem.message


def test_one_that_is_in_memory_wins_over_an_equal_one_that_is_not(tmp_path: Path) -> None:
    pair = [backend("a", load={"when": "demand"}), backend("b", load={"when": "demand"})]
    setup = built(tmp_path, models={"light": {"backends": pair}}, entries={"auto": {"policy": "interactive"}})
    cold = BackendState(f"{MODEL}@a", "up", load_seconds=12.0, resident=False)
    warm = BackendState(f"{MODEL}@b", "up", load_seconds=12.0, resident=True)
    decision = decide(ask("What is a fruit?"), setup.policy, Snapshot.of([cold, warm]))
    first, second = decision.targets
    assert first.target == f"{MODEL}@b" and second.latency == pytest.approx((first.latency or 0) + 12.0, abs=0.1)
    assert second.why.endswith("; not in memory, loads in 12 s") and "memory" not in decision.reason
    both_cold = Snapshot.of([cold, BackendState(f"{MODEL}@b", "up", load_seconds=3.0, resident=False)])
    decision = decide(ask("What is a fruit?"), setup.policy, both_cold)
    assert decision.targets[0].target == f"{MODEL}@b"
    assert decision.reason.endswith(f"; {MODEL}@b is not in memory and is loaded first (about 3 s)")
