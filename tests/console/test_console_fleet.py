"""What the page *Models & nodes* is told of a gateway's models, and what becomes of an operator's word."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pointsman.app.console_models import ConsoleFleet
from pointsman.config.load import load
from pointsman.console.models.failures import Failures
from pointsman.domain.errors import PointsmanError
from pointsman.domain.residence import Residence
from pointsman.domain.said import Said, said
from pointsman.domain.target import BackendState, Load
from pointsman.ports.model_driver import LoadFailure
from pointsman.telemetry.counts import Counts

CONFIG = """
memory: {budget: 8GB}
models:
  light:
    backends:
      - {engine: ollama, model: small, name: a, base_url: "http://127.0.0.1:9", load: {when: demand, memory: 2GB}}
  heavy:
    backends: [{engine: openai, model: far, name: b, base_url: "http://127.0.0.1:9/v1"}]
"""


class Board:
    def of(self, target: str) -> Residence | None:
        return Residence(target, "ready") if target == "small@a" else None


def fleet(folder: Path, manage: Any) -> ConsoleFleet:
    (folder / "pointsman.yaml").write_text(CONFIG, encoding="utf-8")
    config = load(folder / "pointsman.yaml", None, {}).config
    setup: Any = SimpleNamespace(config=config, policy=SimpleNamespace(targets={"small@a": 1, "far@b": 2}))

    async def counts() -> Counts:
        return Counts.begun()

    gate = SimpleNamespace(
        waiting=3, loads=lambda names: {"far@b": Load(2, 0.5)}, capacity=lambda name: SimpleNamespace(sequences=4)
    )
    pipeline: Any = SimpleNamespace(gate=gate, snapshot=lambda: SimpleNamespace(state=BackendState))
    spoken = lambda: [BackendState("far@b", "down", problem=Said("nobody answers", "无人应答"))]  # noqa: E731
    state: Any = SimpleNamespace(counts=counts)
    board: Any = Board()
    return ConsoleFleet(lambda: setup, state, pipeline, board, manage, Failures(folder / "failed"), spoken)


async def failed(desk: ConsoleFleet) -> list[str | None]:
    return [None if model.failed is None else model.failed.why.en for model in (await desk.seen()).models]


async def nothing(verb: str, target: str) -> Residence:
    return Residence(target)


def test_sizes_and_loads_are_told(tmp_path: Path) -> None:
    seen = asyncio.run(fleet(tmp_path, nothing).seen())
    small, far = seen.models
    assert (small.memory, small.verbs, seen.budget, seen.waiting) == (2 << 30, ("unload", "pin"), 8 << 30, 3)
    assert (small.source, far.source) == ("config", None)
    assert isinstance(far.state.problem, Said) and far.state.problem.zh == "无人应答"
    assert (far.memory, far.verbs, far.load.in_flight, far.holds) == (None, (), 2, 4)


def test_what_comes_to_nothing_is_shown_until_it_is_asked_again(tmp_path: Path) -> None:
    async def go() -> None:
        fails = True

        async def manage(verb: str, target: str) -> Residence:
            if fails:
                raise LoadFailure("refused", said("no room", "放不下"))
            return Residence(target, "ready")

        desk, other = fleet(tmp_path, manage), fleet(tmp_path, manage)  # of two workers
        await desk.manage("load", "small@a")
        assert await failed(desk) == await failed(other) == ["no room", None]
        fails = False
        await other.manage("load", "small@a")
        assert await failed(desk) == await failed(other) == [None, None]

    asyncio.run(go())


def test_what_takes_long_goes_on_after_the_answer_and_ends_with_the_gateway(tmp_path: Path) -> None:
    async def go() -> None:
        ended: list[str] = []

        async def manage(verb: str, target: str) -> Residence:
            try:
                await asyncio.Event().wait()
            finally:
                ended.append(target)
            return Residence(target)

        desk = fleet(tmp_path, manage)
        await desk.manage("unload", "small@a")
        assert not ended
        await desk.close()
        assert ended == ["small@a"]

    asyncio.run(go())


@pytest.mark.parametrize(("target", "status"), [("nobody", 404), ("far@b", 409)])
def test_what_cannot_be_asked(tmp_path: Path, target: str, status: int) -> None:
    with pytest.raises(PointsmanError) as raised:
        asyncio.run(fleet(tmp_path, nothing).manage("load", target))
    assert raised.value.status == status
