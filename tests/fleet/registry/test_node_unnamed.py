"""`pointsman node` without `--model`, as the docs have it, beside the engines as they were recorded: it finds out what they
serve, and says of it that it is ready; of another model as well, where an engine began anew with that one."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from fleet.fake_engines import cards
from fleet.fake_engines import engine as faked
from pointsman.fleet.registry.stored import StoredRegistry
from pointsman.store.ephemeral.by_url import open_ephemeral
from running import Process
from twins.twin import Twin

_VLLM = {"/health": {}, "/version": {"version": "0.33.0"}, "/metrics": (200, "vllm:num_requests_running 0\n")}


@pytest.mark.parametrize(
    ("recorded", "engine"), [("vllm-0.33.0", "vllm"), ("ollama-0.32.9", "ollama"), ("trtllm-1.2.1", "trtllm")]
)
async def test_it_finds_out_what_the_engine_serves(tmp_path: Path, recorded: str, engine: str) -> None:
    async with Twin(recorded) as twin:
        url = twin.base_url.removesuffix("/v1") + "/v1"
        arguments = ["--engine", engine, "--base-url", url, "--name", "n", "--data-dir", str(tmp_path)]
        node = Process([*arguments, "--language", "en", "--drain", "0"], verb="node")
        try:
            await asyncio.to_thread(node.wait_for, "node n at")
            store = open_ephemeral("sqlite:///jobs.sqlite", tmp_path)
            (report,) = await StoredRegistry(store).all()
            await store.close()
            assert twin.engine.model in [model.name for model in report.models]
            assert {model.state for model in report.models} == {"ready"}
            assert report.problem is None and report.engine == engine
        finally:
            await asyncio.to_thread(node.stop)
        assert not any("WARNING" in line for line in node.lines), node.lines


async def test_an_engine_that_began_anew_with_another_model(tmp_path: Path) -> None:
    answers = _VLLM | cards("vllm", "first")
    with faked(answers) as port:
        arguments = ["--engine", "vllm", "--base-url", f"http://127.0.0.1:{port}/v1", "--name", "n"]
        node = Process([*arguments, "--data-dir", str(tmp_path), "--language", "en", "--drain", "0"], verb="node")
        try:
            await asyncio.to_thread(node.wait_for, "node n at .*: first")
            answers |= cards("vllm", "second")
            store = open_ephemeral("sqlite:///jobs.sqlite", tmp_path)
            async with asyncio.timeout(30):
                while True:
                    (report,) = await StoredRegistry(store).all()
                    if [(model.name, model.state) for model in report.models] == [("second", "ready")]:
                        break
                    await asyncio.sleep(0.1)
            await store.close()
        finally:
            await asyncio.to_thread(node.stop)
