"""An engine forgets its prompts every so many calls, and says what it needs for it."""

import pytest
from backend_cases import case, chat

from pointsman.app.targets import unworkable
from pointsman.backends.cache_reset import Busy, CacheReset
from pointsman.config.schema import Backend, Config, Model
from twins import Fault, Recording, Twin

ERASED = [f"/slots/{slot}?action=erase" for slot in (0, 1)]


async def calls(backend, count: int) -> None:
    for _ in range(count):
        stream = await backend.open(chat())
        await stream.read()


async def test_llamacpp_erases_every_slot():
    async with Twin("llamacpp-2026.10.11549") as twin, case("llamacpp").backend(twin, reset_cache=3) as backend:
        await calls(backend, 3)
        assert not any(twin.asked(path) for path in ERASED)
        await calls(backend, 1)
        assert [len(twin.asked(path)) for path in ERASED] == [1, 1]
        await calls(backend, 3)
        assert [len(twin.asked(path)) for path in ERASED] == [2, 2]
        assert (await backend.probe()).problem is None


async def test_llamacpp_that_may_not_save_slots():
    async with Twin("llamacpp-2026.10.11549") as twin, case("llamacpp").backend(twin, reset_cache=1) as backend:
        twin.answer(Recording("POST", ERASED[0], status=501, body='{"error":{"code":501}}'))
        await calls(backend, 4)
        assert len(twin.asked(ERASED[0])) == 1, "it is asked once"
        state = await backend.probe()
        assert state.health == "up" and "--slot-save-path" in str(state.problem)


async def test_vllm_resets_its_prefix_cache_and_waits_for_the_requests_under_way():
    async with Twin("vllm-0.33.0") as twin, case("vllm").backend(twin, reset_cache=2) as backend:
        twin.fail("/reset_prefix_cache", Fault(status=409, body='{"detail":"Prefix cache reset failed."}'))
        twin.fail("/reset_prefix_cache", Fault(status=200, body='{"success":false}'))
        await calls(backend, 2)
        assert not twin.asked("/reset_prefix_cache")
        await calls(backend, 3)
        assert len(twin.asked("/reset_prefix_cache")) == 3, "twice in vain"
        await calls(backend, 1)
        assert len(twin.asked("/reset_prefix_cache")) == 3
        assert (await backend.probe()).problem is None


async def test_vllm_without_its_mode_for_development():
    async with Twin("vllm-0.33.0") as twin, case("vllm").backend(twin, reset_cache=1) as backend:
        twin.fail("/reset_prefix_cache", Fault(status=404), times=None)
        await calls(backend, 3)
        assert len(twin.asked("/reset_prefix_cache")) == 1
        assert "VLLM_SERVER_DEV_MODE=1" in str((await backend.probe()).problem)


@pytest.mark.parametrize("fault", [Fault(reset_before_head=True), Fault(hang="head")])
async def test_a_reset_that_fails_costs_no_call(fault: Fault, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("pointsman.backends.cache_reset.TIME", 0.05)
    async with Twin("vllm-0.33.0") as twin, case("vllm").backend(twin, reset_cache=1) as backend:
        twin.fail("/reset_prefix_cache", fault, times=1)
        await calls(backend, 2)
        assert (await backend.probe()).problem is None
        await calls(backend, 1)
        assert len(twin.asked("/reset_prefix_cache")) >= 2


async def test_off_by_default():
    async with Twin("vllm-0.33.0") as twin, case("vllm").backend(twin) as backend:
        await calls(backend, 5)
        assert not twin.asked("/reset_prefix_cache")


async def test_one_at_a_time():
    tries = 0

    async def reset() -> None:
        nonlocal tries
        tries += 1
        await cache.before_call()  # a call that comes meanwhile
        raise Busy

    cache = CacheReset(1, reset)
    for _ in range(3):
        await cache.before_call()
    assert tries == 2 and cache.done == 0


@pytest.mark.parametrize("engine", ["ollama", "openai", "trtllm"])
def test_an_engine_that_cannot_is_a_mistake_of_the_config(engine: str):
    backend = Backend(engine=engine, model="m", base_url="http://127.0.0.1:1", reset_cache=50)  # type: ignore[arg-type]
    [problem] = unworkable(Config(models={"light": Model(backends=[backend])}))
    assert problem.path == "models.light.backends[0].reset_cache" and problem.valid == "embedded, llamacpp, vllm"
