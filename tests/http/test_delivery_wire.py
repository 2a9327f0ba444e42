"""Delivery over the wire: a report asked for in a chat, or as a job, arrives at a real mail server and at a receiver."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import io
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from pypdf import PdfReader

from mail_server import ITS_OWN_WARNINGS, Box, mail_server
from pointsman.domain.errors import Problems
from pointsman.outbound.signing import key_of, verify
from running import Running, running

pytestmark = ITS_OWN_WARNINGS
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
CHAT = "/v1/chat/completions"
RULES = """
rules:
  - id: weekly_for_the_board
    priority: 900
    when: {all: [{any: [导出]}, {any: [老板]}]}
    action: export_pdf
    parameters: {deliver: [board]}
    examples: [导出报表发给老板]
    counter_examples: [老板好]
    boundary: [{text: 导出, takes: false}]
"""


class Receiver:
    """Takes signed POSTs."""

    def __init__(self) -> None:
        self.port = 0
        self.got: list[tuple[dict[str, str], bytes]] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        lines = [line.partition(": ") for line in head.split("\r\n")[1:] if line]
        headers = {name.lower(): value for name, _, value in lines}
        body = await reader.readexactly(int(headers["content-length"]))
        self.got.append((headers, body))
        writer.write(b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    def verified(self) -> list[dict[str, Any]]:
        for headers, body in self.got:
            verify([key_of(SECRET)], headers, body, float(headers["webhook-timestamp"]))
        return [json.loads(body) for _, body in self.got]


@contextlib.asynccontextmanager
async def receiving() -> AsyncIterator[Receiver]:
    receiver = Receiver()
    server = await asyncio.start_server(receiver.serve, "127.0.0.1", 0)
    receiver.port = server.sockets[0].getsockname()[1]
    try:
        yield receiver
    finally:
        server.close()
        await server.wait_closed()


def sections(box: Box, receiver: Receiver, **more: Any) -> dict[str, Any]:
    mail = {
        "host": "127.0.0.1",
        "port": box.port,
        "tls": "off",
        "from": "报表 <reports@example.com>",
        "to": ["财务部 <finance@example.com>"],
        "subject": {"zh": "【报表】{title}", "en": "Report: {title}"},
    }
    return {
        "server": {"timezone": "UTC"},
        "models": {"light": {"backends": [{"engine": "openai", "model": "m", "base_url": "http://127.0.0.1:9/v1"}]}},
        "rules": {"packs": ["builtin:report-export"], "files": ["rules.yaml"]},
        "sources": {"demo": {"demo": True}},
        "jobs": {"poll": 0.05, "webhook_secret": SECRET},
        "delivery": {
            "finance": {"mail": mail, "words": ["财务", "accounting"]},
            "board": {
                "webhook": {"url": f"http://127.0.0.1:{receiver.port}/in", "content": "5MB"},
                "words": ["董事会"],
                "roles": ["chief"],
            },
        },
        **more,
    }


@contextlib.asynccontextmanager
async def gateway(folder: Path, **more: Any) -> AsyncIterator[tuple[Running, httpx.AsyncClient, Box, Receiver]]:
    (folder / "rules.yaml").write_text(RULES, encoding="utf-8")
    async with (
        mail_server() as box,
        receiving() as receiver,
        running(sections(box, receiver, **more), folder, settle=0.5) as served,
        httpx.AsyncClient(base_url=served.base, timeout=60) as client,
    ):
        yield served, client, box, receiver


async def ask(client: httpx.AsyncClient, *texts: str) -> str:
    messages = [{"role": "user" if n % 2 == 0 else "assistant", "content": text} for n, text in enumerate(texts)]
    reply = await client.post(CHAT, json={"model": "auto", "messages": messages})
    assert reply.status_code == 200, reply.text
    text: str = reply.json()["choices"][0]["message"]["content"]
    return text


async def over(client: httpx.AsyncClient, job_id: str) -> dict[str, Any]:
    async with asyncio.timeout(60):
        while True:
            job: dict[str, Any] = (await client.get(f"/v1/jobs/{job_id}")).json()
            if job["state"] == "completed" or job["disposition"] == "dead":
                return job
            await asyncio.sleep(0.02)


def delivery_in(text: str) -> str:
    return next(
        word.strip("()（）") for word in text.replace("（", " ").replace("(", " ").split() if "delivery_" in word
    )


def pages(content: bytes) -> str:
    return "".join(page.extract_text() for page in PdfReader(io.BytesIO(content)).pages)


@pytest.mark.parametrize(
    ("question", "subject", "says"),
    [
        ("把上周销售报表导出为PDF，发给财务", "【报表】销售报表", "正在发送到“finance”"),
        ("export last week's sales as PDF and send it to accounting", "Report: Sales", "Being sent to “finance”"),
    ],
)
async def test_a_report_asked_for_in_a_chat_is_mailed(tmp_path: Path, question: str, subject: str, says: str) -> None:
    async with gateway(tmp_path) as (_, client, box, _):
        text = await ask(client, question)
        assert says in text and "/files/" in text
        job = await over(client, delivery_in(text))
        assert (job["kind"], job["outcome"]) == ("delivery", "ok")
        [message] = box.messages
        assert message["Subject"].startswith(subject)
        [file] = message.iter_attachments()
        assert file.get_filename() == message["Subject"].partition("】" if "】" in subject else ": ")[2] + ".pdf"
        assert file.get_content()[:5] == b"%PDF-" and pages(file.get_content())
        body = message.get_body()
        assert body is not None and "/files/" in body.get_content()
        listed = (await client.get("/v1/jobs?kind=delivery")).json()["data"]
        assert [each["id"] for each in listed] == [job["id"]]


async def test_a_channel_named_before_the_question_back_is_remembered(tmp_path: Path) -> None:
    async with gateway(tmp_path) as (_, client, box, _):
        first = "把销售报表导出为PDF，发给财务"
        question = await ask(client, first)
        assert "?" in question or "？" in question
        text = await ask(client, first, question, "上周")
        await over(client, delivery_in(text))
        assert len(box.letters) == 1


@pytest.mark.parametrize(
    "question", ["把上周销售报表导出为PDF，发给董事会", "把上周销售报表导出为PDF，发给 eve@evil.example"]
)
async def test_nobody_is_written_to_who_is_not_for_this_caller(tmp_path: Path, question: str) -> None:
    async with gateway(tmp_path) as (_, client, box, receiver):
        await client.post(CHAT, json={"model": "auto", "messages": [{"role": "user", "content": question}]})
        assert (await client.get("/v1/jobs?kind=delivery")).json()["data"] == []
        assert box.letters == [] and receiver.got == []


async def test_a_job_is_delivered_where_its_submitter_says(tmp_path: Path) -> None:
    async with gateway(tmp_path) as (_, client, box, _):
        body = {"model": "auto", "messages": [{"role": "user", "content": "把上周销售报表导出为PDF"}]}
        reply = await client.post("/v1/jobs", json={"endpoint": CHAT, "body": body, "deliver": "finance"})
        job = await over(client, reply.json()["id"])
        assert job["outcome"] == "ok"
        delivery = job["result"]["headers"]["x-pointsman-delivery"]
        assert (await over(client, delivery))["outcome"] == "ok"
        assert len(box.messages) == 1 and len(list(box.messages[0].iter_attachments())) == 1
        path = (await client.get(f"/v1/requests/{job['id']}/trace")).json()["path"]
        [step] = [step for step in path if step["event"] == "stepped"]
        assert (step["channel"], step["delivery"]) == ("finance", delivery)
        plan = {
            "report": "sales",
            "format": "csv",
            "period": {"start": "2026-01-05", "end": "2026-01-06", "grain": "day"},
            "language": "zh",
        }
        asked = {"action": "report", "parameters": {"plan": plan}, "deliver": ["finance"]}
        reply = await client.post("/v1/jobs", json=asked, headers={"accept-language": "zh"})
        job = await over(client, reply.json()["id"])
        assert (await over(client, job["result"]["headers"]["x-pointsman-delivery"]))["outcome"] == "ok"
        [file] = box.messages[1].iter_attachments()
        assert file.get_content_type() == "text/csv" and "2026-01-05" in box.messages[1]["Subject"]


async def test_a_rule_may_say_to_whom(tmp_path: Path) -> None:
    async with gateway(tmp_path) as (_, client, _, receiver):
        text = await ask(client, "导出上周销售报表发给老板")
        assert "board" in text, text
        await over(client, delivery_in(text))
        [told] = receiver.verified()
        [file] = told["data"]["files"]
        assert told["type"] == "delivery" and told["data"]["channel"] == "board"
        content = base64.b64decode(file["content"])
        assert len(content) == file["size"] and content[:5] == b"%PDF-"
        fetched = await client.get(file["url"])
        assert fetched.content == content


@pytest.mark.parametrize(
    ("more", "code", "says"),
    [
        ({"deliver": "finanse"}, "unknown_channel", 'did you mean "finance"'),
        ({"deliver": "eve@evil.example"}, "unknown_channel", "valid: finance"),
        ({"deliver": "board"}, "unknown_channel", "valid: finance"),
        ({"deliver": 7}, "bad_request", "a list of them"),
        (
            {"endpoint": "/v1/embeddings", "body": {"input": "x"}, "deliver": "finance"},
            "bad_request",
            "cannot be delivered",
        ),
    ],
)
async def test_a_job_cannot_name_what_is_not_there_for_it(
    tmp_path: Path, more: dict[str, Any], code: str, says: str
) -> None:
    async with gateway(tmp_path) as (_, client, _, _):
        body = {"model": "auto", "messages": [{"role": "user", "content": "x"}]}
        reply = await client.post("/v1/jobs", json={"endpoint": CHAT, "body": body, **more})
        error = reply.json()["error"]
        assert (reply.status_code, error["code"]) == (400, code) and says in error["message"]


async def test_a_config_with_mistakes_is_refused(tmp_path: Path) -> None:
    broken = {"finance": {"mail": {"host": "127.0.0.1", "from": "nobody", "to": ["a@b"]}}}
    with pytest.raises(Problems) as caught:
        async with gateway(tmp_path, delivery=broken):
            pass
    paths = [problem.path for problem in caught.value.problems]
    assert paths == ["delivery.finance.mail.from", "rules.weekly_for_the_board.parameters.deliver"]
