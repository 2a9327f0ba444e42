"""Files of reports in an S3 store: made by one gateway, fetched from another, and what is said when they cannot be."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest

from execution.engine import Door, door
from store.files.s3_server import KEY, SECRET, S3Server

LINK = re.compile(r"http://\S+(/files/\S+)")
LINK_KEY = "the same on all machines"


@pytest.fixture(scope="module")
def s3() -> Iterator[S3Server]:
    server = S3Server()
    yield server
    server.close()


@pytest.fixture
def store(s3: S3Server) -> str:
    return f"s3://{s3.bucket()}/gateway?endpoint={s3.endpoint}&region=us-east-1"


def gateway(store: str, **files: Any) -> AbstractContextManager[Door]:
    return door(
        server={"timezone": "UTC"},
        rules={"packs": ["builtin:report-export"]},
        sources={"demo": {"demo": True}},
        files={"store": store, "s3_key": KEY, "s3_secret": SECRET, **files},
    )


def asked_for(text: str, opened: Door) -> str:
    body = json.dumps({"model": "auto", "messages": [{"role": "user", "content": text}]}).encode()
    reply = opened.post("/v1/chat/completions", body)
    assert reply.status == 200, reply.body
    return str(reply.json["choices"][0]["message"]["content"])


def fetched(opened: Door, text: str, method: str = "GET") -> Any:
    found = LINK.search(text)
    assert found, text
    return opened.raw(f"{method} {found[1]} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n".encode())


def test_made_here_and_opened_there(store: str) -> None:
    with gateway(store, link_key=LINK_KEY) as here:
        text = asked_for("导出上周销售报表CSV", here)
        own = fetched(here, text)
        assert not (here.folder / "data/links.key").exists()
        left = [
            path for path in (here.folder / "data/work").iterdir() if path.suffix != ".log"
        ]  # of the process that waits
        assert left == [] and not (here.folder / "data/files").exists()
    with gateway(store, link_key=LINK_KEY) as there:
        reply = fetched(there, text)
        assert reply.status == 200 and reply.body == own.body and reply.body.startswith("\ufeff".encode())
        assert int(reply.headers["content-length"]) == len(reply.body)
        head = fetched(there, text, "HEAD")
        assert head.status == 200 and head.headers["content-length"] == reply.headers["content-length"]
        assert head.body == b""
    with gateway(store, link_key="another key, as long") as stranger:
        assert fetched(stranger, text).status == 404
    with gateway(store.replace("/gateway", "/other"), link_key=LINK_KEY) as elsewhere:
        assert fetched(elsewhere, text).json["error"]["code"] == "file_expired"


def test_a_store_that_fails(s3: S3Server, store: str) -> None:
    def refused(app: Any, environ: Any, start_response: Any) -> list[bytes]:
        start_response("403 Forbidden", [])
        return [b"<Error><Code>AccessDenied</Code></Error>"]

    with gateway(store) as opened:
        text = asked_for("export last week's sales as csv", opened)
        s3.around = refused
        try:
            reply = fetched(opened, text)
            told = asked_for("导出上周销售报表CSV", opened)
        finally:
            s3.around = None
        assert reply.status == 503 and reply.json["error"]["code"] == "file_store"
        assert "it refuses this account" in reply.json["error"]["message"] and reply.headers["retry-after"]
        assert "无法保存" in told and not LINK.search(told)
        assert fetched(opened, text).status == 200
