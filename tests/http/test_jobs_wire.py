"""Jobs over HTTP: submitted, followed, called off, told of; and requests whose target breaks off."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from execution.engine import (
    CHAT,
    Engine,
    assert_error,
    config,
    conversation,
    delta,
    replied,
    streamed,
    user,
)  # fmt: skip
from pointsman.domain.job import Submission
from pointsman.http.auth import hash_key
from pointsman.outbound.signing import key_of, verify
from pointsman.ports.action import Occasion
from running import Running, running

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
QUICK = {
    "lease": 1.0,
    "poll": 0.05,
    "failures": 2,
    "backoff": 0.05,
    "webhook_secret": SECRET,
    "webhook_hosts": ["127.0.0.1"],
}
ASYNC = {"prefer": "respond-async"}
REMOTE = {"x-forwarded-for": "203.0.113.7"}
GREETING = """
rules:
  - id: greeting
    when: {whole: [hi]}
    answer: Hello!
    examples: [hi]
    counter_examples: [hi there]
    boundary: [{text: hi you, takes: false}]
"""


@contextlib.asynccontextmanager
async def gateway(folder: Path, *engines: Engine, **more: Any) -> AsyncIterator[tuple[Running, httpx.AsyncClient]]:
    (folder / "rules.yaml").write_text(GREETING)
    sections = config(*engines, jobs=QUICK, rules={"packs": [], "files": ["rules.yaml"]}) | more
    async with running(sections, folder) as served, httpx.AsyncClient(base_url=served.base, timeout=30) as client:
        yield served, client


def chat(text: str = "tell me", **more: Any) -> dict[str, Any]:
    return {"endpoint": CHAT, "body": {"model": "auto", "messages": [{"role": "user", "content": text}]}, **more}


async def over(client: httpx.AsyncClient, job_id: str, **headers: str) -> dict[str, Any]:
    async with asyncio.timeout(30):
        while True:
            job: dict[str, Any] = (await client.get(f"/v1/jobs/{job_id}", headers=headers)).json()
            if job["state"] == "completed" or job["disposition"] == "dead":
                return job
            await asyncio.sleep(0.02)


async def path_of(client: httpx.AsyncClient, name: str) -> list[str]:
    trace = (await client.get(f"/v1/requests/{name}/trace")).json()
    assert [step["number"] for step in trace["path"]] == list(range(1, len(trace["path"]) + 1))
    return [step["event"] for step in trace["path"]]


async def test_a_rule_answers_a_job(tmp_path):
    async with Engine() as engine, gateway(tmp_path, engine) as (_, client):
        reply = await client.post("/v1/jobs", json=chat("hi"))
        assert reply.status_code == 202 and reply.headers["location"] == f"/v1/jobs/{reply.json()['id']}"
        job = await over(client, reply.json()["id"])
        assert (job["outcome"], job["result"]["status"]) == ("ok", 200)
        assert job["result"]["body"]["choices"][0]["message"]["content"] == "Hello!"
        assert job["result"]["headers"]["x-pointsman-rule"] == "greeting"
        assert engine.asked == []
        expected = ["submitted", "admitted", "matched", "dispatched", "ended"]
        assert await path_of(client, job["id"]) == await path_of(client, job["request_id"]) == expected
        trace = (await client.get(f"/v1/requests/{job['id']}/trace")).json()
        assert trace["decision"]["rule"] == "greeting" and trace["path"][2]["policy"] == trace["decision"]["policy"]


async def test_any_endpoint_answers_later_where_a_client_prefers_it(tmp_path):
    async with Engine() as engine, gateway(tmp_path, engine) as (_, client):
        reply = await client.post(CHAT, json=user(stream=True, stream_options={"include_usage": True}), headers=ASYNC)
        assert reply.status_code == 202 and reply.headers["preference-applied"] == "respond-async"
        job = await over(client, reply.json()["id"])
        assert job["result"]["body"]["choices"][0]["message"]["content"] == "hello"
        assert job["result"]["body"]["object"] == "chat.completion"
        assert await path_of(client, job["id"]) == ["submitted", "admitted", "missed", "dispatched", "ended"]
        waited = await client.post(CHAT, json=user(), headers={"prefer": "wait=20, respond-async"})
        assert waited.status_code == 200 and waited.json()["choices"][0]["message"]["content"] == "hello"
        assert (await client.get(f"/v1/jobs/{waited.headers['x-pointsman-job']}")).json()["outcome"] == "ok"
        assert (await client.post(CHAT, json=user(), headers={"prefer": "handling=strict"})).status_code == 200


async def test_one_key_makes_one_job(tmp_path):
    async with Engine() as engine, gateway(tmp_path, engine) as (_, client):
        key = {"idempotency-key": "order-1"}
        first = await client.post("/v1/jobs", json=chat("one"), headers=key)
        again = await client.post("/v1/jobs", json=chat("one"), headers=key)
        assert first.json()["id"] == again.json()["id"] and again.status_code == 202
        other = await client.post("/v1/jobs", json=chat("two"), headers=key)
        assert other.status_code == 409
        assert_error(other.json(), code="idempotency_key_reused")
        assert first.json()["id"] in other.json()["error"]["message"]
        await over(client, first.json()["id"])
        assert len(engine.asked) == 1
        later = await client.post(CHAT, json=user("one"), headers={**key, **ASYNC})
        assert later.status_code == 409, "another body under the same key, whatever endpoint it came by"
        bad = await client.post("/v1/jobs", json=chat(), headers={"idempotency-key": "a b"})
        assert_error(bad.json(), code="bad_request")


BAD = [
    ({}, "endpoint", "bad_request", ["endpoint", "action"]),
    ({"endpoint": CHAT, "action": "report", "body": {}}, "endpoint", "bad_request", []),
    ({"endpoint": "/v1/chat/completion", "body": {}}, "endpoint", "unknown_endpoint", [CHAT, "/v1/embeddings"]),
    ({"endpoint": CHAT}, "body", "bad_request", []),
    ({"endpoint": CHAT, "body": {"messages": []}}, "messages", "bad_request", []),
    (
        chat() | {"body": {"model": "nope", "messages": [{"role": "user", "content": "x"}]}},
        "model",
        "model_not_found",
        ["auto"],
    ),
    ({"action": "fly"}, "action", "unknown_action", ["report"]),
    ({"action": "report", "parameters": []}, "parameters", "bad_request", []),
    (chat(priority="urgent"), "priority", "bad_request", ["interactive", "batch"]),
    (chat(expires_after="soon"), "expires_after", "bad_request", ["2h"]),
    (chat(expires_after=7), "expires_after", "bad_request", []),
    (chat(webhok="x"), "webhok", "unknown_field", ["webhook"]),
    (chat(webhook="http://10.0.0.1/x"), "webhook", "webhook_refused", ["jobs.webhook_hosts"]),
    (chat(webhook="ftp://example.com"), "webhook", "webhook_refused", ["https://"]),
    (chat(webhook=5), "webhook", "bad_request", []),
]


@pytest.mark.parametrize(("body", "param", "code", "told"), BAD)
async def test_what_is_wrong_with_a_job_is_said_and_what_is_valid(tmp_path, body, param, code, told):
    async with Engine() as engine, gateway(tmp_path, engine) as (_, client):
        reply = await client.post("/v1/jobs", json=body)
        assert reply.status_code == (404 if code == "model_not_found" else 400), reply.text
        error = reply.json()["error"]
        assert (error["param"], error["code"]) == (param, code)
        for word in told:
            assert word in error["message"]
        chinese = (await client.post("/v1/jobs", json=body, headers={"accept-language": "zh"})).json()["error"][
            "message"
        ]
        assert any("\u4e00" <= c <= "\u9fff" for c in chinese)
        assert (await client.get("/v1/jobs")).json()["data"] == []


async def test_a_job_of_100_mb_is_refused_with_the_limit(tmp_path):
    async with Engine() as engine, gateway(tmp_path, engine) as (_, client):
        reply = await client.post("/v1/jobs", content=b"x" * (100 << 20), headers={"content-type": "application/json"})
        assert reply.status_code == 413
        assert_error(reply.json(), code="body_too_large")
        assert str(32 << 20) in reply.json()["error"]["message"]


async def test_jobs_are_their_callers(tmp_path):
    keys = [{"name": name, "hash": hash_key(f"k-{name}"), "admin": name == "boss"} for name in ("ann", "bob", "boss")]
    ann, bob, boss = ({**REMOTE, "authorization": f"Bearer k-{name}"} for name in ("ann", "bob", "boss"))
    async with Engine() as engine, gateway(tmp_path, engine, auth={"keys": keys}) as (served, client):
        job = (await client.post("/v1/jobs", json=chat(), headers=ann)).json()
        await over(client, job["id"], **boss)
        for path in (f"/v1/jobs/{job['id']}", f"/v1/jobs/{job['id']}/events", f"/v1/requests/{job['id']}/trace"):
            assert (await client.get(path, headers=bob)).status_code == 404
            assert (await client.get(path, headers=ann)).status_code == 200
        assert (await client.delete(f"/v1/jobs/{job['id']}", headers=bob)).status_code == 404
        assert [len((await client.get("/v1/jobs", headers=who)).json()["data"]) for who in (ann, bob, boss)] == [
            1,
            0,
            1,
        ]
        same = {"idempotency-key": "k"}
        mine = await client.post("/v1/jobs", json=chat("a"), headers=ann | same)
        theirs = await client.post("/v1/jobs", json=chat("b"), headers=bob | same)
        assert theirs.status_code == 202 and mine.json()["id"] != theirs.json()["id"]
        kept = (await served.app._serving.jobs.store.get(job["id"])).body
        assert b"k-ann" not in kept and b"Bearer" not in kept, "no key is ever kept"


async def test_a_running_job_is_called_off_and_the_engine_sees_it(tmp_path):
    async with Engine() as engine, gateway(tmp_path, engine) as (_, client):
        engine.play = streamed(delta("", role="assistant"), *[delta("x"), 0.05] * 400)
        job = (await client.post("/v1/jobs", json=chat())).json()
        async with asyncio.timeout(20):
            while not engine.asked:
                await asyncio.sleep(0.01)
        gone = (await client.delete(f"/v1/jobs/{job['id']}")).json()
        assert (gone["state"], gone["disposition"], gone["outcome"]) == ("completed", "cancelled", "cancelled")
        async with asyncio.timeout(20):
            await engine.asked[0].hung_up.wait()
        assert (await path_of(client, job["id"]))[-1] == "ended"
        assert (await client.delete(f"/v1/jobs/{job['id']}")).json() == gone
        assert (await client.delete("/v1/jobs/job_none")).status_code == 404


async def test_an_engine_that_is_down_is_tried_again_and_then_the_job_is_dead(tmp_path):
    async with (
        Engine() as engine,
        gateway(tmp_path, engine, fallback={"target": "medium", "max_retries": 0}) as (_, client),
    ):
        engine.plays = [replied(503, {"error": {"message": "busy"}}), streamed(conversation("better"))]
        job = await over(client, (await client.post("/v1/jobs", json=chat())).json()["id"])
        assert (job["outcome"], job["failures"]) == ("ok", 1)
        assert await path_of(client, job["id"]) == (
            ["submitted", "admitted", "missed", "dispatched", "failed", "sent_again", "dispatched", "ended"]
        )
        engine.play = replied(500, {"error": {"message": "broken"}})
        dead = await over(client, (await client.post("/v1/jobs", json=chat())).json()["id"])
        assert (dead["disposition"], dead["failures"], dead["outcome"]) == ("dead", 2, None)
        assert "broken" in dead["error"]["message"]
        engine.play = replied(400, {"error": {"message": "no such thing"}})
        failed = await over(client, (await client.post("/v1/jobs", json=chat())).json()["id"])
        assert (failed["outcome"], failed["failures"], failed["result"]["status"]) == ("failed", 0, 400)


async def test_events_follow_a_job_to_its_end(tmp_path):
    async with Engine() as engine, gateway(tmp_path, engine) as (_, client):
        engine.play = streamed(
            delta("", role="assistant"), 0.6, delta("late"), delta(finish="stop"), b"data: [DONE]\n\n"
        )
        job = (await client.post("/v1/jobs", json=chat())).json()
        reply = await client.get(f"/v1/jobs/{job['id']}/events")
        blocks = [block.removeprefix("data: ") for block in reply.text.split("\n\n") if block]
        assert reply.headers["content-type"].startswith("text/event-stream") and blocks[-1] == "[DONE]"
        states = [json.loads(block)["state"] for block in blocks[:-1]]
        assert states[-1] == "completed" and "execution" in states
        assert json.loads(blocks[-2])["result"]["body"]["choices"][0]["message"]["content"] == "late"


class Receiver:
    """Takes webhooks; answers each with the next of `statuses`, then 200."""

    def __init__(self, *statuses: int) -> None:
        self.engine = Engine()
        self.engine.plays = [replied(status, b"") for status in statuses]
        self.engine.play = replied(200, b"")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.engine.port}/hook"

    async def messages(self, count: int) -> list[dict[str, Any]]:
        """The first so many, their signatures checked."""
        async with asyncio.timeout(30):
            while len(self.engine.asked) < count:
                await asyncio.sleep(0.02)
        for asked in self.engine.asked:
            verify([key_of(SECRET)], asked.headers, asked.body, float(asked.headers["webhook-timestamp"]))
        return [json.loads(asked.body) for asked in self.engine.asked]


async def test_the_end_of_a_job_is_told(tmp_path):
    receiver = Receiver()
    async with Engine() as engine, receiver.engine, gateway(tmp_path, engine) as (_, client):
        job = (await client.post("/v1/jobs", json=chat("hi", webhook=receiver.url))).json()
        [message] = await receiver.messages(1)
        assert message["type"] == "job.completed" and message["data"]["id"] == job["id"]
        assert message["data"]["result"]["body"]["choices"][0]["message"]["content"] == "Hello!"
        engine.play = replied(400, {"error": {"message": "no"}})
        await client.post("/v1/jobs", json=chat("tell", webhook=receiver.url))
        assert (await receiver.messages(2))[1]["type"] == "job.failed"
        engine.play = streamed(delta("", role="assistant"), 30.0)
        hanging = (await client.post("/v1/jobs", json=chat("tell", webhook=receiver.url))).json()
        await client.delete(f"/v1/jobs/{hanging['id']}")
        assert (await receiver.messages(3))[2]["type"] == "job.cancelled"


async def test_webhooks_need_a_secret(tmp_path):
    async with Engine() as engine, gateway(tmp_path, engine, jobs={}) as (_, client):
        reply = await client.post("/v1/jobs", json=chat(webhook="https://example.com/x"))
        assert_error(reply.json(), code="no_webhook_secret")


async def test_what_was_acknowledged_is_done_after_a_restart(tmp_path):
    async with Engine() as engine:
        async with gateway(tmp_path, engine, jobs={"concurrency": 0}) as (_, client):
            job = (await client.post("/v1/jobs", json=chat())).json()
        assert engine.asked == []
        async with gateway(tmp_path, engine) as (_, client):
            done = await over(client, job["id"])
            assert done["outcome"] == "ok"
            assert (await client.get(f"/v1/requests/{done['request_id']}")).json()["state"] == "completed"


async def test_a_whole_reply_that_breaks_off_is_asked_of_the_next_target(tmp_path):
    async with Engine("a") as first, Engine("b") as second, gateway(tmp_path, first, second) as (_, client):

        async def dies(writer: asyncio.StreamWriter) -> None:
            await streamed(delta("", role="assistant"), delta("half of"))(writer)
            writer.transport.abort()
            await asyncio.sleep(60)

        first.plays = [dies]
        second.play = streamed(conversation("all of it"))
        reply = await client.post(CHAT, json=user())
        assert reply.status_code == 200 and reply.json()["choices"][0]["message"]["content"] == "all of it"
        assert reply.headers["x-pointsman-target"] == "b@b2"
        request_id = reply.headers["x-pointsman-request-id"]
        events = await until_logged(client, request_id)
        assert events == ["received", "admitted", "missed", "dispatched", "sent_again", "dispatched", "ended"]
        trace = (await client.get(f"/v1/requests/{request_id}/trace")).json()
        assert [(attempt["target"], attempt["broke"]) for attempt in trace["attempts"]] == [
            ("a@b1", True),
            ("b@b2", False),
        ]
        first.plays = [dies]
        job = await over(client, (await client.post("/v1/jobs", json=chat())).json()["id"])
        assert job["outcome"] == "ok" and job["failures"] == 0
        assert await path_of(client, job["id"]) == (
            ["submitted", "admitted", "missed", "dispatched", "sent_again", "dispatched", "ended"]
        )


async def test_a_stream_that_breaks_off_ends_with_an_error_that_names_the_request(tmp_path):
    async with Engine("a") as first, Engine("b") as second, gateway(tmp_path, first, second) as (_, client):

        async def dies(writer: asyncio.StreamWriter) -> None:
            await streamed(delta("", role="assistant"), delta("half of"))(writer)
            writer.transport.abort()
            await asyncio.sleep(60)

        first.plays = [dies]
        reply = await client.post(CHAT, json=user(stream=True))
        last = json.loads(reply.text.split("\n\n")[-2].removeprefix("data: "))
        assert last["error"]["request_id"] == reply.headers["x-pointsman-request-id"]
        assert "half of" in reply.text and second.asked == []


async def until_logged(client: httpx.AsyncClient, request_id: str) -> list[str]:
    async with asyncio.timeout(20):
        while True:
            if (await client.get(f"/v1/requests/{request_id}")).status_code == 200:
                events = await path_of(client, request_id)
                if events[-1] == "ended":
                    return events
            await asyncio.sleep(0.02)


async def test_a_request_under_way_is_known(tmp_path):
    async with Engine() as engine, gateway(tmp_path, engine) as (_, client):
        engine.play = streamed(delta("", role="assistant"), delta("a"), 30.0)
        async with client.stream("POST", CHAT, json=user(stream=True)) as reply:
            name = reply.headers["x-pointsman-request-id"]
            known = (await client.get(f"/v1/requests/{name}")).json()
            assert (known["state"], known["outcome"], known["target"]) == ("execution", None, "m@b1")
            assert (await path_of(client, name))[-1] == "dispatched"
        assert (await until_logged(client, name))[-1] == "ended"
        assert (await client.get(f"/v1/requests/{name}")).json()["outcome"] == "cancelled"
        assert (await client.get("/v1/requests/req_none")).status_code == 404


PLAN = {"report": "sales", "format": "csv", "period": {"start": "2026-01-01", "end": "2026-02-01", "grain": "month"}}


async def test_an_action_that_a_client_names_is_done_once(tmp_path):
    """A real report, made by two tries of one job: the second finds what the first published."""
    sections = demo_sections()
    async with Engine() as engine, gateway(tmp_path, engine, **sections) as (served, client):
        job = (await client.post("/v1/jobs", json={"action": "report", "parameters": {"plan": PLAN}})).json()
        done = await over(client, job["id"])
        assert done["outcome"] == "ok", done
        text = done["result"]["body"]["text"]
        link = text[text.index("/files/") :].split()[0]
        file = await client.get(link)
        assert file.status_code == 200 and file.content.count(b"\n") > 10
        assert await path_of(client, job["id"]) == ["submitted", "admitted", "matched", "dispatched", "ended"]
        runner = served.app._serving.pipeline.actions["report"]
        occasion = Occasion(request_id="req_x", tongue="en", base_url="http://x", effect=f"{job['id']}.1")
        again = await runner.run({"plan": PLAN}, occasion)
        assert again.text == text, "one effect for one name"
        for bad, param in (
            ({}, "parameters.plan"),
            ({"plan": PLAN | {"report": "sale"}}, "parameters.plan.report"),
            ({"plan": PLAN | {"format": "doc"}}, "parameters.plan.format"),
            ({"plan": PLAN | {"period": {**PLAN["period"], "grain": "eon"}}}, "parameters.plan.period.grain"),
            ({"plan": [PLAN]}, "parameters.plan"),
            ({"plan": PLAN | {"group_by": ["colour"]}}, "parameters.plan"),
            ({"plan": PLAN, "more": 1}, "parameters.more"),
        ):
            reply = await client.post("/v1/jobs", json={"action": "report", "parameters": bad})
            assert (reply.status_code, reply.json()["error"]["param"]) == (400, param), reply.text


def demo_sections() -> dict[str, Any]:
    return {
        "sources": {"demo": {"demo": True}},
        "reports": {
            "sales": {
                "source": "demo",
                "table": "sales",
                "time": "sold_on",
                "measures": {"amount": {"column": "amount", "title": "Amount"}},
            }
        },
    }


async def test_the_list_of_jobs(tmp_path):
    async with Engine() as engine, gateway(tmp_path, engine, jobs={"concurrency": 0}) as (served, client):
        made = [(await client.post("/v1/jobs", json=chat(f"{n}"))).json()["id"] for n in range(5)]
        parent = Submission(id="batch_0", queue="batch", kind="batch", caller="anonymous", created=1.0, body=b"")
        children = [
            Submission(
                id=f"job_0.{n}",
                queue="batch",
                kind="request",
                caller="anonymous",
                created=1.0,
                body=b"",
                parent="batch_0",
            )
            for n in range(30)
        ]
        hook = Submission(id="webhook_9", queue="webhook", kind="webhook", caller="anonymous", created=1.0, body=b"")
        await served.app._serving.jobs.store.submit([parent, *children, hook])
        first = (await client.get("/v1/jobs?limit=3")).json()
        assert [job["id"] for job in first["data"]] == made[:-4:-1] and first["has_more"] is True
        rest = (await client.get(f"/v1/jobs?limit=100&after={made[2]}")).json()
        assert [job["id"] for job in rest["data"]] == [made[1], made[0], "batch_0"] and rest["has_more"] is False
        assert [job["id"] for job in (await client.get("/v1/jobs?kind=batch")).json()["data"]] == ["batch_0"]
        assert (await client.get("/v1/jobs?phase=over")).json()["data"] == []
        for query, valid in (("phase=done", "waiting"), ("kind=chat", "batch"), ("limit=0", "100"), ("limit=x", "100")):
            wrong = await client.get(f"/v1/jobs?{query}")
            assert wrong.status_code == 400 and valid in wrong.json()["error"]["message"]


async def test_what_an_engine_says_is_the_reason(tmp_path):
    async with Engine() as engine, gateway(tmp_path, engine) as (_, client):
        engine.play = replied(400, {"error": {"message": "too many cooks"}})
        job = await over(client, (await client.post("/v1/jobs", json=chat())).json()["id"])
        assert "too many cooks" in job["error"]["message"] and job["result"]["status"] == 400
        assert "connection" not in job["result"]["headers"]


async def test_a_reply_that_was_waited_for_is_the_reply_that_a_client_would_have_got(tmp_path):
    async with Engine() as engine, gateway(tmp_path, engine) as (_, client):
        plain = await client.post(CHAT, json=user())
        waited = await client.post(CHAT, json=user(), headers={"prefer": 'respond-async, wait="20"'})
        wanted = {name for name in plain.headers if name not in ("date", "connection")}
        assert wanted <= set(waited.headers) and waited.headers["preference-applied"] == "respond-async"
        refused = await client.post(CHAT, json={"messages": []}, headers=ASYNC)
        assert refused.status_code == 400 and "preference-applied" not in refused.headers


async def test_the_same_content_is_the_same_however_it_is_laid_out(tmp_path):
    async with Engine() as engine, gateway(tmp_path, engine) as (_, client):
        key = {"idempotency-key": "k", "content-type": "application/json", **ASYNC}
        first = await client.post(
            CHAT, content=b'{"messages":[{"role":"user","content":"x"}],"top_p":1.0}', headers=key
        )
        again = b'{ "top_p": 1.0,\n"messages": [ {"content": "x", "role": "user"} ] }'
        assert (await client.post(CHAT, content=again, headers=key)).json()["id"] == first.json()["id"]
        other = again.replace(b"1.0", b"0.5")
        assert (await client.post(CHAT, content=other, headers=key)).status_code == 409


async def test_what_nothing_could_ever_do_is_not_kept(tmp_path):
    async with Engine() as engine, gateway(tmp_path, engine) as (_, client):
        body = {"endpoint": "/v1/embeddings", "body": {"model": "auto", "input": ["x"]}}
        reply = await client.post("/v1/jobs", json=body)
        assert reply.status_code >= 400 and "embedding" in reply.json()["error"]["message"].lower(), reply.text
        assert (await client.get("/v1/jobs")).json()["data"] == []
        urgent = await client.post(CHAT, json=user(), headers={**ASYNC, "x-pointsman-priority": "urgent"})
        assert urgent.status_code == 400 and "batch" in urgent.json()["error"]["message"]
        wrong = await client.get("/v1/jobs?after=nope")
        assert wrong.status_code == 400 and wrong.json()["error"]["param"] == "after"
