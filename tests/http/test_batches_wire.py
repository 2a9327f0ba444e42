"""`/v1/batches` on the wire: the official client from its file to its file, what is refused, whose batches they are."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest

from execution.engine import CHAT, Asked, Engine, Play, assert_error, config, replied
from pointsman.http.auth import hash_key
from pointsman.outbound.signing import key_of, verify
from running import Running, running

JOBS = {"lease": 1.0, "poll": 0.05, "failures": 2, "backoff": 0.05, "concurrency": 4}
ANN, BOB, ROOT = ({"x-forwarded-for": "203.0.113.7", "authorization": f"Bearer {key}"} for key in ("a", "b", "r"))
KEYS = [
    {"name": "ann", "hash": hash_key("a")},
    {"name": "bob", "hash": hash_key("b")},
    {"name": "root", "hash": hash_key("r"), "admin": True},
]


class Clerk(Engine):
    """Answers with what was asked; `gate` holds it up; it refuses what says so."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()
        self.gate.set()

    @property
    def play(self) -> Play:  # type: ignore[override]
        return partial(self._answer, self.asked[-1])

    @play.setter
    def play(self, _: Play) -> None:
        """It has one of its own."""

    async def _answer(self, asked: Asked, writer: asyncio.StreamWriter) -> None:
        await self.gate.wait()
        text = asked.fields["messages"][-1]["content"]
        if text == "refuse":
            error = {"error": {"message": "no", "type": "invalid_request_error", "code": "no"}}
            await replied(400, error)(writer)
            return
        message = {"role": "assistant", "content": f"of {text}"}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        whole = {
            "id": "c",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [choice],
            "usage": usage,
        }
        if asked.fields.get("stream"):
            chunk = {
                "id": "c",
                "object": "chat.completion.chunk",
                "created": 1,
                "model": "m",
                "choices": [{"index": 0, "delta": message, "finish_reason": "stop"}],
            }
            data = b"data: " + json.dumps(chunk).encode() + b"\n\ndata: [DONE]\n\n"
            await replied(200, data, type="text/event-stream")(writer)
            return
        await replied(200, whole)(writer)


@contextlib.asynccontextmanager
async def gateway(folder: Path, **more: Any) -> AsyncIterator[tuple[Running, httpx.AsyncClient, Clerk]]:
    async with Clerk() as engine:
        sections = config(engine, auth={"keys": KEYS}, jobs=JOBS) | more
        async with running(sections, folder) as served, httpx.AsyncClient(base_url=served.base, timeout=30) as client:
            try:
                yield served, client, engine
            finally:
                engine.gate.set()


def official(served: Running) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(base_url=served.base + "/v1", api_key="any", max_retries=0, timeout=30)


def line(name: str, text: str = "", **changes: Any) -> bytes:
    body = {"model": "medium", "messages": [{"role": "user", "content": text or name}]}
    return json.dumps({"custom_id": name, "method": "POST", "url": CHAT, "body": body} | changes).encode()


async def sent(client: httpx.AsyncClient, *lines: bytes, **headers: str) -> str:
    files = {"file": ("in.jsonl", b"\n".join(lines))}
    reply = await client.post("/v1/files", files=files, data={"purpose": "batch"}, headers=headers)
    return str(reply.json()["id"])


def wish(file_id: str, **changes: Any) -> dict[str, Any]:
    return {"input_file_id": file_id, "endpoint": CHAT, "completion_window": "24h"} | changes


async def until(client: httpx.AsyncClient, batch_id: str, *statuses: str, **headers: str) -> dict[str, Any]:
    async with asyncio.timeout(30):
        while True:
            batch: dict[str, Any] = (await client.get(f"/v1/batches/{batch_id}", headers=headers)).json()
            if batch["status"] in statuses:
                return batch
            await asyncio.sleep(0.02)


async def content(client: httpx.AsyncClient, file_id: str | None) -> list[dict[str, Any]]:
    assert file_id is not None
    text = (await client.get(f"/v1/files/{file_id}/content")).text
    return [json.loads(row) for row in text.splitlines()]


async def test_the_official_client_from_its_file_to_its_file(tmp_path):
    async with gateway(tmp_path) as (served, http, _), official(served) as client:
        lines = [line(f"contract-{n}") for n in range(20)] + [line("odd", "refuse")]
        file = await client.files.create(file=("contracts.jsonl", b"\n".join(lines)), purpose="batch")
        made = await client.batches.create(
            input_file_id=file.id, endpoint=CHAT, completion_window="24h", metadata={"night": "1"}
        )
        assert (made.object, made.status, made.endpoint, made.input_file_id) == ("batch", "validating", CHAT, file.id)
        assert made.metadata == {"night": "1"} and made.expires_at == made.created_at + 86_400
        await until(http, made.id, "completed")
        batch = await client.batches.retrieve(made.id)
        assert batch.request_counts is not None and batch.errors is None
        counts = batch.request_counts
        assert (counts.total, counts.completed, counts.failed) == (21, 20, 1)
        moments = (batch.created_at, batch.in_progress_at, batch.finalizing_at, batch.completed_at)
        assert all(moments) and list(moments) == sorted(moments)  # type: ignore[type-var]
        assert batch.output_file_id is not None and batch.error_file_id is not None
        output = await client.files.content(batch.output_file_id)
        rows = [json.loads(row) for row in output.text.splitlines()]
        assert [row["custom_id"] for row in rows] == [f"contract-{n}" for n in range(20)]
        for row in rows:
            assert (row["response"]["status_code"], row["error"]) == (200, None)
            assert row["response"]["body"]["choices"][0]["message"]["content"] == f"of {row['custom_id']}"
            assert row["response"]["request_id"].startswith("req_")
        [error] = await content(http, batch.error_file_id)
        assert (error["custom_id"], error["response"]["status_code"]) == ("odd", 400)
        assert [one.id async for one in client.batches.list()] == [made.id]
        kept = {one.id: one.purpose async for one in client.files.list()}
        assert kept == {file.id: "batch", batch.output_file_id: "batch_output", batch.error_file_id: "batch_output"}


async def test_the_official_client_cancels_and_gets_what_was_done(tmp_path):
    async with gateway(tmp_path) as (served, http, engine), official(served) as client:
        file_id = await sent(http, *[line(f"r{n}") for n in range(12)])
        engine.gate.clear()
        made = await client.batches.create(input_file_id=file_id, endpoint=CHAT, completion_window="24h")
        async with asyncio.timeout(20):
            while engine.open < 3 or len(engine.asked) < 3:  # of four places one is left to others
                await asyncio.sleep(0.01)
        gone = await client.batches.cancel(made.id)
        assert gone.status in ("cancelling", "cancelled") and gone.cancelling_at
        batch = await until(http, made.id, "cancelled")
        assert (await client.batches.cancel(made.id)).status == "cancelled"
        assert batch["request_counts"] == {"total": 12, "completed": 0, "failed": 12} and batch["cancelled_at"]
        rows = await content(http, batch["error_file_id"])
        assert {row["error"]["code"] for row in rows} == {"batch_cancelled"} and len(rows) == 12
        async with asyncio.timeout(20):  # running requests are called off down to the engine
            while engine.open > 1:
                await asyncio.sleep(0.01)
        engine.gate.set()


async def test_one_that_is_over_cannot_be_cancelled(tmp_path):
    async with gateway(tmp_path) as (_, client, _):
        file_id = await sent(client, line("a"))
        batch_id = (await client.post("/v1/batches", json=wish(file_id))).json()["id"]
        await until(client, batch_id, "completed")
        reply = await client.post(f"/v1/batches/{batch_id}/cancel")
        assert (reply.status_code, reply.json()["error"]["code"]) == (409, "batch_over")
        assert (await client.get(f"/v1/batches/{batch_id}/cancel")).headers["allow"] == "POST"


async def test_a_batch_cancelled_as_a_job_delivers_all_the_same(tmp_path):
    async with gateway(tmp_path) as (_, client, engine):
        engine.gate.clear()
        file_id = await sent(client, *[line(f"r{n}") for n in range(8)])
        batch_id = (await client.post("/v1/batches", json=wish(file_id))).json()["id"]
        await until(client, batch_id, "in_progress")
        reply = await client.delete(f"/v1/jobs/{batch_id}")
        assert reply.status_code == 200 and reply.json()["kind"] == "batch"
        batch = await until(client, batch_id, "cancelled")
        assert len(await content(client, batch["error_file_id"])) == 8


async def test_an_input_that_is_wrong_is_told_line_by_line(tmp_path):
    lines = [
        line("a"),
        b"{",
        line("b", method="GET"),
        b"",
        line("a"),
        line("c", url="/v1/embeddings"),
        line("d", body=[]),
    ]
    async with gateway(tmp_path) as (served, client, engine), official(served) as openai_client:
        file_id = await sent(client, *lines)
        made = await openai_client.batches.create(input_file_id=file_id, endpoint=CHAT, completion_window="24h")
        await until(client, made.id, "failed")
        batch = await openai_client.batches.retrieve(made.id)
        assert batch.failed_at and batch.errors is not None and batch.errors.object == "list"
        told = [(error.line, error.code, error.param) for error in batch.errors.data or []]
        assert told == [
            (2, "invalid_json", None),
            (3, "invalid_method", "method"),
            (5, "duplicate_custom_id", "custom_id"),
            (6, "mismatched_url", "url"),
            (7, "invalid_body", "body"),
        ]
        chinese = (await client.get(f"/v1/batches/{made.id}", headers={"accept-language": "zh"})).json()
        assert "这一行不是有效的 JSON" in chinese["errors"]["data"][0]["message"]
        assert not engine.asked and batch.output_file_id is None


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty_file"),
        (b"\r\n\r\n", "empty_file"),
        (b"\xff\xfe" + line("a").decode().encode("utf-16-le"), "invalid_json"),
    ],
)
async def test_a_file_without_requests_fails(tmp_path, data, code):
    async with gateway(tmp_path) as (_, client, _):
        file_id = await sent(client, data)
        batch_id = (await client.post("/v1/batches", json=wish(file_id))).json()["id"]
        batch = await until(client, batch_id, "failed")
        assert batch["errors"]["data"][0]["code"] == code


async def test_files_of_windows_are_read(tmp_path):
    async with gateway(tmp_path) as (_, client, _):
        file_id = await sent(client, b"\xef\xbb\xbf" + line("a") + b"\r", line("b") + b"\r", b"\r")
        batch_id = (await client.post("/v1/batches", json=wish(file_id))).json()["id"]
        batch = await until(client, batch_id, "completed")
        assert [row["custom_id"] for row in await content(client, batch["output_file_id"])] == ["a", "b"]


async def test_what_cannot_be_a_batch_is_refused_at_once(tmp_path):
    async with gateway(tmp_path) as (_, client, _):
        file_id = await sent(client, line("a"), **ANN)
        cases: list[tuple[Any, int, str, str | None, str]] = [
            (wish("file-none"), 404, "file_not_found", "input_file_id", "file-none"),
            (wish(7), 400, "bad_request", "input_file_id", "purpose=batch"),
            (wish(file_id, endpoint="/v1/chat"), 400, "bad_request", "endpoint", CHAT),
            (wish(file_id, endpoint=None), 400, "bad_request", "endpoint", "/v1/embeddings"),
            (wish(file_id, completion_window="soon"), 400, "bad_request", "completion_window", "24h"),
            (wish(file_id, completion_window=None), 400, "bad_request", "completion_window", "24h"),
            (wish(file_id, completion_window="59m"), 400, "bad_request", "completion_window", "1h"),
            (wish(file_id, completion_window="8d"), 400, "bad_request", "completion_window", "7d"),
            (wish(file_id, metadata=[]), 400, "bad_request", "metadata", "16"),
            (wish(file_id, metadata={"a": 1}), 400, "bad_request", "metadata", "512"),
            (wish(file_id, metadata={str(n): "" for n in range(17)}), 400, "bad_request", "metadata", "16"),
            (wish(file_id, output_expires_after={"seconds": 1}), 400, "bad_request", "output_expires_after", "3600"),
            (wish(file_id, input_file="x"), 400, "unknown_field", "input_file", 'did you mean "input_file_id"'),
            ([], 400, "invalid_json", None, "JSON object"),
        ]
        for body, status, code, param, about in cases:
            reply = await client.post("/v1/batches", json=body, headers=ANN)
            error = reply.json()["error"]
            assert (reply.status_code, error["code"], error["param"]) == (status, code, param), reply.text
            assert about in error["message"]
            assert_error(reply.json())
        assert (await client.get("/v1/batches", headers=ANN)).json()["data"] == []


async def test_only_a_file_that_was_sent_for_a_batch_can_be_its_input(tmp_path):
    async with gateway(tmp_path) as (_, client, _):
        file_id = await sent(client, line("a"))
        batch_id = (await client.post("/v1/batches", json=wish(file_id, completion_window="90m"))).json()["id"]
        output = (await until(client, batch_id, "completed"))["output_file_id"]
        reply = await client.post("/v1/batches", json=wish(output))
        assert (reply.status_code, reply.json()["error"]["code"]) == (400, "invalid_purpose")
        assert "batch_output" in reply.json()["error"]["message"]


async def test_a_batch_is_its_callers_and_an_admins(tmp_path):
    async with gateway(tmp_path) as (_, client, _):
        file_id = await sent(client, line("a"), **ANN)
        reply = await client.post("/v1/batches", json=wish(file_id), headers=BOB)
        assert (reply.status_code, reply.json()["error"]["code"]) == (404, "file_not_found")
        batch_id = (await client.post("/v1/batches", json=wish(file_id), headers=ANN)).json()["id"]
        batch = await until(client, batch_id, "completed", **ANN)
        for path in (f"/v1/batches/{batch_id}", f"/v1/files/{batch['output_file_id']}"):
            assert [(await client.get(path, headers=who)).status_code for who in (ANN, ROOT, BOB)] == [200, 200, 404]
        assert (await client.post(f"/v1/batches/{batch_id}/cancel", headers=BOB)).status_code == 404
        assert (await client.get("/v1/batches", headers=BOB)).json()["data"] == []
        assert (await client.get("/v1/batches/batch_none", headers=ANN)).json()["error"]["code"] == "batch_not_found"
        child = f"job_{batch_id.removeprefix('batch_')}.1"
        assert (await client.get(f"/v1/batches/{child}", headers=ANN)).status_code == 404


async def test_batches_are_listed_page_by_page(tmp_path):
    async with gateway(tmp_path) as (served, http, _), official(served) as client:
        file_id = await sent(http, line("a"))
        ids = [(await http.post("/v1/batches", json=wish(file_id))).json()["id"] for _ in range(5)]
        assert [batch.id async for batch in client.batches.list(limit=2)] == ids[::-1]
        for query in ("limit=0", "limit=101"):
            assert (await http.get(f"/v1/batches?{query}")).status_code == 400


async def test_an_idempotency_key_makes_one_batch(tmp_path):
    async with gateway(tmp_path) as (_, client, _):
        file_id = await sent(client, line("a"))
        headers = {"idempotency-key": "night-1"}
        first, again = [await client.post("/v1/batches", json=wish(file_id), headers=headers) for _ in range(2)]
        assert first.json()["id"] == again.json()["id"]
        other = await client.post("/v1/batches", json=wish(file_id, completion_window="2d"), headers=headers)
        assert (other.status_code, other.json()["error"]["code"]) == (409, "idempotency_key_reused")


async def test_the_input_of_a_batch_that_is_not_over_cannot_be_deleted(tmp_path):
    async with gateway(tmp_path) as (_, client, engine):
        engine.gate.clear()
        file_id = await sent(client, line("a"))
        batch_id = (await client.post("/v1/batches", json=wish(file_id))).json()["id"]
        reply = await client.delete(f"/v1/files/{file_id}")
        assert (reply.status_code, reply.json()["error"]["code"]) == (409, "file_in_use")
        assert batch_id in reply.json()["error"]["message"]
        engine.gate.set()
        await until(client, batch_id, "completed")
        assert (await client.delete(f"/v1/files/{file_id}")).status_code == 200


async def test_a_batch_goes_on_after_the_gateway_was_stopped(tmp_path):
    async with gateway(tmp_path) as (_, client, engine):
        engine.gate.clear()
        file_id = await sent(client, *[line(f"r{n}") for n in range(10)])
        batch_id = (await client.post("/v1/batches", json=wish(file_id))).json()["id"]
        await until(client, batch_id, "in_progress")
    async with gateway(tmp_path) as (_, client, _):
        batch = await until(client, batch_id, "completed")
        assert batch["request_counts"] == {"total": 10, "completed": 10, "failed": 0}
        rows = await content(client, batch["output_file_id"])
        assert [row["custom_id"] for row in rows] == [f"r{n}" for n in range(10)]


async def test_its_path_can_be_followed(tmp_path):
    async with gateway(tmp_path) as (_, client, _):
        file_id = await sent(client, line("a"))
        batch_id = (await client.post("/v1/batches", json=wish(file_id))).json()["id"]
        await until(client, batch_id, "completed")
        trace = (await client.get(f"/v1/requests/{batch_id}/trace")).json()
        events = [step["event"] for step in trace["path"]]
        assert events[:4] == ["submitted", "admitted", "matched", "dispatched"] and events[-1] == "ended"
        assert "parked" in events and "unparked" in events


SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


async def test_its_end_is_told_to_who_wanted_to_know(tmp_path):
    signed = {**JOBS, "webhook_secret": SECRET, "webhook_hosts": ["127.0.0.1"]}
    async with Engine() as receiver, gateway(tmp_path, jobs=signed) as (_, client, _):
        receiver.play = replied(200, {})
        file_id = await sent(client, line("a"))
        url = f"http://127.0.0.1:{receiver.port}/hook"
        batch_id = (await client.post("/v1/batches", json=wish(file_id, webhook=url))).json()["id"]
        async with asyncio.timeout(30):
            while not receiver.asked:
                await asyncio.sleep(0.02)
        told = receiver.asked[0]
        verify([key_of(SECRET)], told.headers, told.body, float(told.headers["webhook-timestamp"]))
        assert told.fields["type"] == "batch.completed"
        data = told.fields["data"]
        assert (data["object"], data["id"], data["status"]) == ("batch", batch_id, "completed")
        assert data["output_file_id"] and data["request_counts"] == {"total": 1, "completed": 1, "failed": 0}
        for webhook, code in (("http://10.0.0.1/x", "webhook_refused"), (5, "bad_request")):
            reply = await client.post("/v1/batches", json=wish(file_id, webhook=webhook))
            error = reply.json()["error"]
            assert (reply.status_code, error["code"], error["param"]) == (400, code, "webhook")
