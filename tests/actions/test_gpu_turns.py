"""Room on the GPU that actions share with models: they wait for it, over all processes, or are refused with the numbers."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest

from pointsman.actions.bound import Bound
from pointsman.actions.gpu_turns import Card, GpuTurns
from pointsman.actions.once import Once
from pointsman.app.gpu_card import GpuCard
from pointsman.config.admission_schema import Admission, Gpu
from pointsman.config.schema import Config
from pointsman.domain.action import ActionSpec
from pointsman.fleet.gpu import GpuMemory
from pointsman.ports.action import ActionFailed, Effect, Occasion
from pointsman.ports.clock import SystemClock
from pointsman.ports.ephemeral import Ephemeral
from pointsman.ports.job_store import StoreError
from pointsman.store.ephemeral.memory import MemoryEphemeral

CARD = Card("gpu-0", 8192, 6000)


class Drawn:
    """An action that takes so much, and ends when it is told to. `most` is how many of them ran at a time."""

    def __init__(self, megabytes: int, ended: asyncio.Event) -> None:
        self.spec = ActionSpec(name="draw", kind="image", gpu_memory=megabytes)
        self.ended = ended
        self.running = self.most = 0

    def check(self, parameters: dict[str, Any]) -> None:
        """Anything will do."""

    async def run(self, parameters: dict[str, Any], occasion: Occasion) -> Effect:
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            await self.ended.wait()
        finally:
            self.running -= 1
        return Effect("drawn")


def turns(card: Card | None = CARD, shared: Ephemeral | None = None) -> GpuTurns:
    async def read() -> Card | None:
        return card

    return GpuTurns(SystemClock(), read, shared)


def bound(inner: Drawn, gpu: GpuTurns) -> Bound:
    return Bound(inner, Once(None), gpu)  # type: ignore[arg-type]


def run(action: Bound, **more: Any) -> asyncio.Task[Effect]:
    return asyncio.create_task(action.run({}, Occasion(request_id="r", tongue="en", base_url="", **more)))


async def until(holds: Any) -> None:
    async with asyncio.timeout(20):
        while not holds():
            await asyncio.sleep(0.005)


async def test_what_does_not_fit_now_waits_its_turn() -> None:
    inner, gpu = Drawn(1000, asyncio.Event()), turns()
    tasks = [run(bound(inner, gpu)) for _ in range(5)]
    await until(lambda: inner.running == 2)
    await asyncio.sleep(0.05)
    assert inner.running == 2 and gpu.taken == 2000
    inner.ended.set()
    assert [(await task).text for task in tasks] == ["drawn"] * 5
    assert inner.most == 2 and gpu.taken == 0


async def test_what_never_fits_is_refused_with_the_numbers() -> None:
    inner, gpu = Drawn(3000, asyncio.Event()), turns()
    effect = await run(bound(inner, gpu))
    assert (effect.outcome, effect.error) == ("refused", "gpu_memory")
    assert all(number in effect.text for number in ("3000 MB", "8192 MB", "6000 MB"))
    chinese = await bound(inner, gpu).run({}, Occasion(request_id="r", tongue="zh", base_url=""))
    assert "显卡共有 8192 MB" in chinese.text


async def test_who_waits_too_long_is_told_and_a_job_tries_again() -> None:
    inner, gpu = Drawn(2000, asyncio.Event()), turns()
    gpu.wait = 0.1
    first = run(bound(inner, gpu))
    await until(lambda: inner.running == 1)
    effect = await run(bound(inner, gpu))
    assert (effect.outcome, effect.error) == ("failed", "gpu_busy")
    with pytest.raises(ActionFailed) as failed:
        async with gpu.hold("draw", 2000, "ann", 1.0):
            raise AssertionError("there is no room")
    assert failed.value.again
    inner.ended.set()
    assert (await first).text == "drawn"


async def test_a_rule_may_declare_another_figure() -> None:
    inner, gpu = Drawn(9000, asyncio.Event()), turns()
    task = run(bound(inner, gpu), gpu_memory=500)
    await until(lambda: gpu.taken == 500)
    inner.ended.set()
    await task


async def test_a_chain_holds_what_its_largest_step_takes() -> None:
    inner, gpu = Drawn(2000, asyncio.Event()), turns()
    inner.ended.set()
    async with gpu.hold("chain", 2000, "ann", 10.0):
        assert (await bound(inner, gpu).run({}, Occasion(request_id="r", tongue="en", base_url=""))).text == "drawn"
        assert gpu.taken == 2000


async def test_what_takes_none_and_a_machine_without_a_card_wait_for_nobody() -> None:
    for megabytes, card in ((0, CARD), (9000, None)):
        inner, gpu = Drawn(megabytes, asyncio.Event()), turns(card)
        tasks = [run(bound(inner, gpu)) for _ in range(5)]
        await until(lambda inner=inner: inner.running == 5)
        inner.ended.set()
        await asyncio.gather(*tasks)


async def test_processes_of_one_store_share_the_card() -> None:
    store = MemoryEphemeral()
    here, there = (Drawn(1500, asyncio.Event()) for _ in range(2))
    first = run(bound(here, turns(shared=store)))
    await until(lambda: here.running == 1)
    second = run(bound(there, turns(shared=store)))
    await asyncio.sleep(0.1)
    assert there.running == 0
    here.ended.set()
    there.ended.set()
    assert [(await first).text, (await second).text] == ["drawn", "drawn"]
    assert msgspec.msgpack.decode(await store.get("gpu/gpu-0") or b"") == {}


class Gone(MemoryEphemeral):
    async def get(self, key: str) -> bytes | None:
        raise StoreError("gone")


async def test_without_the_store_each_counts_for_itself() -> None:
    inner, gpu = Drawn(1500, asyncio.Event()), turns(shared=Gone())
    tasks = [run(bound(inner, gpu)) for _ in range(2)]
    await until(lambda: inner.running == 1)
    inner.ended.set()
    await asyncio.gather(*tasks)
    assert inner.most == 1


async def test_what_the_card_has_is_as_the_config_says_else_as_the_driver_does() -> None:
    told = GpuMemory("GPU-1", 24 << 30, 17 << 30)

    def card(ask: GpuMemory | None, **given: str) -> GpuCard:
        config = Config(admission=Admission(gpu=Gpu(**given)))
        return GpuCard(lambda: config, lambda: ask)

    assert await card(None).read() is None
    assert await card(told).read() == Card("GPU-1", 24576, 17408)
    assert await card(told, models="10GB").read() == Card("GPU-1", 24576, 10240)
    here = await card(told, memory="8GB", models="5GB").read()
    assert here is not None and (here.total, here.models, here.room) == (8192, 5120, 3072)


async def test_what_is_used_while_an_action_runs_is_not_the_models() -> None:
    used = [GpuMemory("GPU-1", 8 << 30, 5 << 30), GpuMemory("GPU-1", 8 << 30, 7 << 30)]
    card = GpuCard(Config, lambda: used.pop(0))
    card._at = -1e9
    assert await card.read() == Card("GPU-1", 8192, 5120)
    card._at = -1e9
    card.taken = lambda: 2048
    assert await card.read() == Card("GPU-1", 8192, 5120)
