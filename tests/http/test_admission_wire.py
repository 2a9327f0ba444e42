"""The gate and the breakers in a whole gateway, before scripted engines."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import httpx

from execution.engine import Engine, config, conversation, delta, event, replied, streamed, until
from running import running

SLOW = streamed(conversation("slow"), 0.6)


def limited(engine: Engine, sequences: int | None = 1, **more: Any) -> dict[str, Any]:
    limits = {} if sequences is None else {"limits": {"sequences": sequences, **more}}
    return {"models": {"light": {"backends": [engine.backend(**limits)]}}, "fallback": {"target": "light"}}


async def chat(client: httpx.AsyncClient, text: str = "x", **more: Any) -> httpx.Response:
    headers = more.pop("headers", {})
    body = {"model": "light", "messages": [{"role": "user", "content": text}], **more}
    return await client.post("/v1/chat/completions", json=body, headers=headers)


async def one_waits(client: httpx.AsyncClient) -> None:
    """Until one stands in the queue."""
    async with asyncio.timeout(30):
        while "pointsman_queue_waiting 1.0" not in (await client.get("/metrics")).text:
            await asyncio.sleep(0.01)


async def test_who_finds_no_place_waits_and_who_finds_the_queue_full_is_told(tmp_path: Path) -> None:
    async with Engine() as engine:
        go = asyncio.Event()
        engine.plays = [streamed(conversation("slow"), go), SLOW]
        sections = config(engine, **limited(engine), admission={"queue": 1})
        async with running(sections, tmp_path) as served, httpx.AsyncClient(base_url=served.base, timeout=30) as client:
            first = asyncio.create_task(chat(client))
            await until(lambda: engine.asked)
            second = asyncio.create_task(chat(client))
            await one_waits(client)
            third = await chat(client)
            assert third.status_code == 429 and third.json()["error"]["code"] == "queue_full"
            assert int(third.headers["retry-after"]) >= 1
            assert len(engine.asked) == 1, "the second one has not been sent"
            assert "pointsman_queue_waiting 1.0" in (await client.get("/metrics")).text
            await asyncio.sleep(0.1)
            go.set()
            replies = [await first, await second]
            assert [reply.status_code for reply in replies] == [200, 200]
            assert (
                float(replies[1].headers["x-pointsman-waited"]) > 0.1 and "x-pointsman-waited" not in replies[0].headers
            )
            metrics = (await client.get("/metrics")).text
            assert 'pointsman_turned_away_total{why="queue_full"} 1.0' in metrics
            assert "pointsman_queue_waiting 0.0" in metrics and "pointsman_target_inside" in metrics


async def test_where_nobody_may_wait(tmp_path: Path) -> None:
    async with Engine() as engine:
        go = asyncio.Event()
        engine.plays = [streamed(conversation("slow"), go)]
        sections = config(engine, **limited(engine), admission={"queue": 0})
        async with running(sections, tmp_path) as served, httpx.AsyncClient(base_url=served.base, timeout=30) as client:
            first = asyncio.create_task(chat(client))
            await until(lambda: engine.asked)
            for text, says in (("x", "no request may wait (admission.queue: 0)"), ("你在吗", "也不允许排队")):
                second = await chat(client, text)
                assert second.status_code == 429 and says in second.json()["error"]["message"]
            go.set()
            assert (await first).status_code == 200 and len(engine.asked) == 1


async def test_a_stream_that_ends_in_an_error_of_the_engine_was_not_served(tmp_path: Path) -> None:
    """llama.cpp, where requests under way fill its cache."""
    full = event({"error": {"code": 500, "message": "Context size has been exceeded.", "type": "server_error"}})
    async with Engine() as engine:
        engine.plays = [streamed(delta("some"), full)] * 2 + [streamed(delta("some"), full, b"data: [DONE]\n\n")]
        sections = config(engine, **limited(engine, None), admission={"breaker": {"least": 3}})
        async with running(sections, tmp_path) as served, httpx.AsyncClient(base_url=served.base, timeout=30) as client:
            for _ in range(3):
                reply = await chat(client, stream=True)
                assert reply.text.count('"error"') == 1 and "Context size" in reply.text
            metrics = (await client.get("/metrics")).text
    [counted] = [line for line in metrics.splitlines() if line.startswith("pointsman_requests_total{")]
    assert 'outcome="failed"' in counted and counted.endswith(" 3.0")
    assert re.search(r'^pointsman_target_breaker\{[^}]*state="open"[^}]*\} 1\.0$', metrics, re.MULTILINE), [
        line for line in metrics.splitlines() if "breaker" in line
    ]


async def test_who_waits_too_long_is_told_so(tmp_path: Path) -> None:
    async with Engine() as engine:
        go = asyncio.Event()
        engine.plays = [streamed(conversation("very slow"), go)]
        sections = config(engine, **limited(engine), admission={"wait": 0.3})
        async with running(sections, tmp_path) as served, httpx.AsyncClient(base_url=served.base, timeout=30) as client:
            first = asyncio.create_task(chat(client))
            await until(lambda: engine.asked)
            second = await chat(client)
            assert second.status_code == 503 and second.json()["error"]["code"] == "shed"
            assert second.headers["retry-after"]
            go.set()
            assert (await first).status_code == 200


async def test_a_stream_that_waits_hears_where_it_stands(tmp_path: Path) -> None:
    async with Engine() as engine:
        go = asyncio.Event()
        engine.plays = [streamed(conversation("slow"), go), streamed(conversation("next"))]
        sections = config(engine, **limited(engine), server={"heartbeat_after": 0.2})
        async with running(sections, tmp_path) as served, httpx.AsyncClient(base_url=served.base, timeout=30) as client:
            first = asyncio.create_task(chat(client))
            await until(lambda: engine.asked)
            waiting = asyncio.create_task(chat(client, stream=True))
            await one_waits(client)
            await asyncio.sleep(0.5)  # it is told after 0.2 s
            go.set()
            second = await waiting
            assert second.headers["x-pointsman-queue"].startswith("ahead=0")
            assert ": waiting; ahead=0" in second.text and "next" in second.text
            await first


async def test_who_hangs_up_gives_the_place_back(tmp_path: Path) -> None:
    async with Engine() as engine:
        engine.plays = [SLOW, streamed(conversation("served"))]
        sections = config(engine, **limited(engine))
        async with running(sections, tmp_path) as served, httpx.AsyncClient(base_url=served.base, timeout=30) as client:
            first = asyncio.create_task(chat(client))
            await asyncio.sleep(0.1)
            waiting = [asyncio.create_task(chat(client)) for _ in range(5)]
            await asyncio.sleep(0.1)
            for task in waiting:
                task.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)
            await first
            assert (await chat(client)).status_code == 200 and len(engine.asked) == 2
            assert served.app._serving.pipeline.gate.waiting == 0


async def test_what_can_never_fit_is_refused_with_the_numbers(tmp_path: Path) -> None:
    async with Engine() as engine:
        sections = config(engine, **limited(engine, 4, cells=100))
        async with running(sections, tmp_path) as served, httpx.AsyncClient(base_url=served.base, timeout=30) as client:
            reply = await chat(client, max_tokens=500)
            assert reply.status_code == 400 and reply.json()["error"]["code"] == "never_fits"
            assert "100" in reply.json()["error"]["message"] and engine.asked == []
            assert (await chat(client, max_tokens=5)).status_code == 200


async def test_a_negative_limit_of_the_reply_is_none(tmp_path: Path) -> None:
    """llama.cpp takes -1 for it; it must not make a request smaller than its prompt."""
    async with Engine() as engine:
        sections = config(engine, **limited(engine, 4, cells=1100))
        async with running(sections, tmp_path) as served, httpx.AsyncClient(base_url=served.base, timeout=30) as client:
            for limit in (-1, -(10**9)):
                reply = await chat(client, "long " * 200, max_tokens=limit)
                assert reply.status_code == 400 and reply.json()["error"]["code"] == "never_fits"
            assert (await chat(client, "x", max_tokens=-1)).status_code == 200


async def test_what_the_first_tier_can_never_hold_goes_to_the_next(tmp_path: Path) -> None:
    async with Engine("a") as one, Engine("b") as two:
        models = {
            "light": {"backends": [one.backend(limits={"cells": 100})]},
            "heavy": {"backends": [two.backend(limits={"cells": 1000})]},
        }
        routes = [{"name": "first", "target": "light", "priority": 1}]
        sections = config(one, models=models, routes=routes, fallback={"target": "heavy", "max_retries": 0})
        async with running(sections, tmp_path) as served, httpx.AsyncClient(base_url=served.base, timeout=30) as client:
            assert (await chat(client, model="auto", max_tokens=5)).status_code == 200 and len(one.asked) == 1
            assert (await chat(client, model="auto", max_tokens=500)).status_code == 200
            assert (len(one.asked), len(two.asked)) == (1, 1)
            reply = await chat(client, model="auto", max_tokens=5000)
            assert reply.status_code == 400 and reply.json()["error"]["code"] == "never_fits"
            assert "holds 1000" in reply.json()["error"]["message"] and (len(one.asked), len(two.asked)) == (1, 1)


async def test_replicas_share_what_one_cannot_hold(tmp_path: Path) -> None:
    async with Engine("a") as one, Engine("b") as two:
        one.plays, two.plays = [SLOW], [SLOW]
        models = {"light": {"backends": [one.backend(limits={"sequences": 1}), two.backend(limits={"sequences": 1})]}}
        sections = config(one, models=models, fallback={"target": "light"})
        async with running(sections, tmp_path) as served, httpx.AsyncClient(base_url=served.base, timeout=30) as client:
            replies = await asyncio.gather(chat(client), chat(client))
            assert [reply.status_code for reply in replies] == [200, 200]
            assert (len(one.asked), len(two.asked)) == (1, 1)


async def test_callers_share_the_queue(tmp_path: Path) -> None:
    async with Engine() as engine:
        engine.plays = [streamed(conversation("x"), 0.05)] * 40
        sections = config(engine, **limited(engine))
        async with running(sections, tmp_path) as served, httpx.AsyncClient(base_url=served.base, timeout=60) as client:
            order: list[str] = []

            async def asked(user: str) -> None:
                await chat(client, user=user)
                order.append(user)

            greedy = [asyncio.create_task(asked("greedy")) for _ in range(20)]
            await asyncio.sleep(0.1)
            await asked("modest")
            assert len(order) < 12, "forty calls of one do not keep the other waiting"
            await asyncio.gather(*greedy)


async def test_a_breaker_opens_and_closes(tmp_path: Path) -> None:
    async with Engine("a") as bad, Engine("b") as good:
        bad.plays = [replied(500, {"error": {"message": "CUDA out of memory"}})] * 5
        models = {"light": {"backends": [bad.backend(), good.backend()]}}
        sections = config(
            bad,
            models=models,
            fallback={"target": "light", "max_retries": 2},
            admission={"breaker": {"least": 5, "pause": 0.3}},
        )
        async with running(sections, tmp_path) as served, httpx.AsyncClient(base_url=served.base, timeout=30) as client:
            for _ in range(5):
                assert (await chat(client)).status_code == 200
            assert len(bad.asked) == 5 and len(good.asked) == 5
            states = {state.target[0]: state for state in served.app._serving.pipeline.snapshot().states}
            assert (states["a"].breaker, states["a"].cause, states["b"].breaker) == ("open", "out_of_memory", "closed")
            reply = await chat(client, headers={"x-pointsman-trace": "1"})
            choices = reply.json()["pointsman"]["decision"]["targets"]
            assert [choice["target"][0] for choice in choices] == ["b", "a"]
            assert "breaker open: out_of_memory" in choices[1]["why"] and len(bad.asked) == 5
            for _ in range(1500):
                if served.app._serving.pipeline.snapshot().states[0].breaker == "half_open":
                    break
                await asyncio.sleep(0.02)
            assert (await chat(client)).status_code == 200 and len(bad.asked) == 6, "one request tries it"
            assert served.app._serving.pipeline.snapshot().states[0].breaker == "closed"


async def test_a_limit_that_is_found_out(tmp_path: Path) -> None:
    """The engine tells nothing of its queue; its first bytes come late where it has more than it can do."""
    async with Engine() as engine:
        engine.play = streamed(0.02, conversation("x"), 0.3)
        sections = config(engine, **limited(engine, sequences="auto"))  # type: ignore[arg-type]
        async with running(sections, tmp_path) as served, httpx.AsyncClient(base_url=served.base, timeout=60) as client:
            (target,) = served.app._serving._adapters
            assert served.app._serving._auto.shown[target] == (4, "begun")
            replies = await asyncio.gather(*(chat(client) for _ in range(24)))
            assert [reply.status_code for reply in replies] == [200] * 24
            limit, why = served.app._serving._auto.shown[target]
            assert limit > 4 and why == "all_taken"
            text = (await client.get("/metrics")).text
            ready = (await client.get("/ready")).json()["targets"][0]["limit"]
            later = served.app._serving._auto.shown[target][0]  # it goes on looking meanwhile
            shown = [n for n in range(1, 200) if f'pointsman_target_limit{{target="{target}"}} {n}.0' in text]
            assert shown and limit <= shown[0] <= ready["sequences"] <= later and ready["why"] == "all_taken"
