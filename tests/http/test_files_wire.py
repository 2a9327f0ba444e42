"""`/v1/files` on the wire: the official client, curl's forms, what is refused, whose files they are."""

from __future__ import annotations

import asyncio
import contextlib
import json
import resource
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest

from execution.engine import Engine, assert_error, config
from pointsman.domain.upload import Upload
from pointsman.http.auth import hash_key
from pointsman.pipeline.uploads import Uploads
from pointsman.ports.clock import SystemClock
from pointsman.store.files.local import LocalFiles
from running import Running, running

ANN, BOB, ROOT = ({"x-forwarded-for": "203.0.113.7", "authorization": f"Bearer {key}"} for key in ("a", "b", "r"))
KEYS = [
    {"name": "ann", "hash": hash_key("a")},
    {"name": "bob", "hash": hash_key("b")},
    {"name": "root", "hash": hash_key("r"), "admin": True},
]


@contextlib.asynccontextmanager
async def gateway(folder: Path, **more: Any) -> AsyncIterator[tuple[Running, httpx.AsyncClient]]:
    async with Engine() as engine:
        sections = config(engine, auth={"keys": KEYS}, files={"max_upload": "1MB"}) | more
        async with running(sections, folder) as served, httpx.AsyncClient(base_url=served.base, timeout=30) as client:
            yield served, client


def official(served: Running, key: str = "any") -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(base_url=served.base + "/v1", api_key=key, max_retries=0, timeout=30)


async def sent(client: httpx.AsyncClient, content: bytes = b"{}\n", name: str = "in.jsonl", **headers: str) -> str:
    reply = await client.post("/v1/files", files={"file": (name, content)}, data={"purpose": "batch"}, headers=headers)
    assert reply.status_code == 200, reply.text
    return str(reply.json()["id"])


@pytest.mark.parametrize("purpose", ["user_data", "assistants", "vision"])
async def test_files_of_any_type_for_what_is_asked_later(tmp_path, purpose):
    content = b"\x89PNG\r\n\x1a\n\x00\xff"
    async with gateway(tmp_path) as (served, _), official(served) as client:
        made = await client.files.create(file=("图.png", content), purpose=purpose)
        assert (made.filename, made.purpose, made.bytes) == ("图.png", purpose, len(content))
        assert (await client.files.content(made.id)).content == content
        assert [file.id async for file in client.files.list(purpose=purpose)] == [made.id]
        with pytest.raises(openai.BadRequestError, match="purpose=batch"):
            await client.batches.create(input_file_id=made.id, endpoint="/v1/chat/completions", completion_window="24h")


async def test_the_official_client_sends_lists_reads_and_deletes(tmp_path):
    content = b"{}\n" * 1000
    async with gateway(tmp_path) as (served, _), official(served) as client:
        made = await client.files.create(file=("合同.jsonl", content), purpose="batch")
        assert (made.object, made.bytes, made.filename, made.purpose) == ("file", 3000, "合同.jsonl", "batch")
        assert made.status == "processed" and made.id.startswith("file-")
        assert made.expires_at is not None and made.expires_at - made.created_at == 30 * 86_400
        assert await client.files.retrieve(made.id) == made
        assert (await client.files.content(made.id)).content == content
        assert [file async for file in client.files.list()] == [made]
        gone = await client.files.delete(made.id)
        assert (gone.id, gone.deleted, gone.object) == (made.id, True, "file")
        for ask in (client.files.retrieve, client.files.content, client.files.delete):
            with pytest.raises(openai.NotFoundError):
                await ask(made.id)
        assert [file async for file in client.files.list()] == []


async def test_files_are_listed_page_by_page_in_either_order(tmp_path):
    async with gateway(tmp_path) as (served, http), official(served) as client:
        ids = [await sent(http, name=f"{n}.jsonl") for n in range(5)]
        assert [file.id async for file in client.files.list(limit=2)] == ids[::-1]
        assert [file.id async for file in client.files.list(limit=2, order="asc")] == ids
        assert [file.id async for file in client.files.list(purpose="batch_output")] == []
        first = (await http.get("/v1/files?limit=2&order=asc")).json()
        assert (first["object"], first["has_more"], first["first_id"], first["last_id"]) == (
            "list",
            True,
            ids[0],
            ids[1],
        )
        for query, param in (
            ("limit=0", "limit"),
            ("limit=x", "limit"),
            ("limit=10001", "limit"),
            ("order=up", "order"),
            ("after=file-none", "after"),
        ):
            reply = await http.get(f"/v1/files?{query}")
            assert reply.status_code == 400 and reply.json()["error"]["param"] == param


async def test_a_file_is_its_senders_and_an_admins(tmp_path):
    async with gateway(tmp_path) as (_, client):
        file_id = await sent(client, **ANN)
        for path in (f"/v1/files/{file_id}", f"/v1/files/{file_id}/content"):
            assert (await client.get(path, headers=ANN)).status_code == 200
            assert (await client.get(path, headers=ROOT)).status_code == 200
            reply = await client.get(path, headers=BOB)
            assert (reply.status_code, reply.json()["error"]["code"]) == (404, "file_not_found")
        assert (await client.delete(f"/v1/files/{file_id}", headers=BOB)).status_code == 404
        assert [file["id"] for file in (await client.get("/v1/files", headers=ANN)).json()["data"]] == [file_id]
        assert (await client.get("/v1/files", headers=BOB)).json()["data"] == []
        assert (await client.get("/v1/files", headers={"x-forwarded-for": "203.0.113.7"})).status_code == 401
        assert (await client.delete(f"/v1/files/{file_id}", headers=ROOT)).status_code == 200


async def test_another_name_is_a_file_that_there_is_not(tmp_path):
    async with gateway(tmp_path) as (_, client):
        for name in ("file-none", "x", "file-a.meta", "file-" + "x" * 200, "%00", "file-%2e%2e"):
            for reply in (await client.get(f"/v1/files/{name}"), await client.delete(f"/v1/files/{name}")):
                assert reply.status_code == 404
                assert_error(reply.json())


def form(*parts: tuple[str, bytes], end: bytes = b"--b--\r\n") -> bytes:
    return b"".join(b"--b\r\n%b\r\n\r\n%b\r\n" % (head.encode(), body) for head, body in parts) + end


PURPOSE = ('content-disposition: form-data; name="purpose"', b"batch")
FILE = ('content-disposition: form-data; name="file"; filename="f.jsonl"', b"{}")


def field(name: str, value: bytes) -> tuple[str, bytes]:
    return f'content-disposition: form-data; name="{name}"', value


BAD = {
    "no form": (b'{"purpose": "batch"}', "application/json", "not_a_form", "multipart/form-data"),
    "no boundary": (form(PURPOSE, FILE), "multipart/form-data", "not_a_form", "multipart/form-data"),
    "a long boundary": (form(PURPOSE), "multipart/form-data; boundary=" + "b" * 300, "not_a_form", "multipart"),
    "no purpose": (form(FILE), None, "bad_request", "purpose=batch"),
    "another purpose": (form(field("purpose", b"fine-tune"), FILE), None, "bad_request", "fine-tune"),
    "no file": (form(PURPOSE), None, "missing_field", "file"),
    "two files": (form(PURPOSE, FILE, FILE), None, "duplicate_field", "file"),
    "two purposes": (form(PURPOSE, PURPOSE, FILE), None, "duplicate_field", "purpose"),
    "another field": (form(field("purpos", b"batch"), FILE), None, "unknown_field", 'did you mean "purpose"'),
    "a long field": (form(field("purpose", b"x" * 5000), FILE), None, "invalid_form", "4096"),
    "no text": (form(field("purpose", b"\xff"), FILE), None, "invalid_form", "UTF-8"),
    "broken off": (form(PURPOSE, FILE, end=b""), None, "invalid_form", "broken off"),
    "malformed": (b"--c\r\n\r\n", None, "invalid_form", "malformed"),
    "empty": (b"", None, "invalid_form", "broken off"),
    "encoded": (
        form(PURPOSE, (FILE[0] + "\r\ncontent-transfer-encoding: base64", b"e30=")),
        None,
        "invalid_form",
        "content-transfer-encoding",
    ),
    "no anchor": (form(PURPOSE, field("expires_after[seconds]", b"3600"), FILE), None, "bad_request", "created_at"),
    "too soon": (
        form(PURPOSE, field("expires_after[anchor]", b"created_at"), field("expires_after[seconds]", b"9"), FILE),
        None,
        "bad_request",
        "3600",
    ),
}


async def test_forms_that_are_wrong_say_so_and_leave_nothing(tmp_path):
    async with gateway(tmp_path) as (_, client):
        for case, (body, kind, code, about) in BAD.items():
            headers = {"content-type": kind or "multipart/form-data; boundary=b"}
            reply = await client.post("/v1/files", content=body, headers=headers)
            assert (case, reply.status_code, reply.json()["error"]["code"]) == (case, 400, code), reply.text
            assert about in reply.json()["error"]["message"], case
            assert_error(reply.json())
        assert (await client.get("/v1/files")).json()["data"] == []
        async with asyncio.timeout(20):  # files go beside the event loop
            while list(tmp_path.glob("data/arriving/*")):
                await asyncio.sleep(0.01)
    assert not list(tmp_path.glob("data/files/uploads/*"))


async def test_a_file_may_be_told_when_to_expire(tmp_path):
    async with gateway(tmp_path) as (served, _), official(served) as client:
        after: Any = {"anchor": "created_at", "seconds": 7200}
        made = await client.files.create(file=b"{}", purpose="batch", expires_after=after)
        assert made.expires_at == made.created_at + 7200


async def test_curls_form_is_taken_with_its_file_first(tmp_path):
    """Fields in any order, a preamble, quotes in the name, a path as some browsers send it."""
    part = (
        'Content-Disposition: form-data; name="file"; filename="C:\\dir\\a\\"b.jsonl"\r\nContent-Type: x/y',
        b"{}\r\n",
    )
    async with gateway(tmp_path) as (_, client):
        headers = {"content-type": 'multipart/form-data; boundary="b"'}
        reply = await client.post("/v1/files", content=b"\r\n" + form(part, PURPOSE), headers=headers)
        assert reply.status_code == 200 and reply.json()["bytes"] == 4
        assert reply.json()["filename"] == 'a"b.jsonl'
        content = await client.get(f"/v1/files/{reply.json()['id']}/content")
        assert content.content == b"{}\r\n" and "a_b.jsonl" in content.headers["content-disposition"]


@pytest.mark.parametrize("chunked", [False, True])
async def test_a_file_may_be_as_large_as_the_config_says_and_no_larger(tmp_path, chunked):
    async with gateway(tmp_path) as (_, client):

        async def post(size: int) -> httpx.Response:
            body = form(PURPOSE, (FILE[0], b"x" * size))

            async def pieces() -> AsyncIterator[bytes]:
                for at in range(0, len(body), 65536):
                    yield body[at : at + 65536]

            headers = {"content-type": "multipart/form-data; boundary=b"}
            return await client.post("/v1/files", content=pieces() if chunked else body, headers=headers)

        assert (await post(1 << 20)).json()["bytes"] == 1 << 20
        for size in ((1 << 20) + 1, 3 << 20):
            reply = await post(size)
            error = reply.json()["error"]
            assert (reply.status_code, error["code"]) == (413, "file_too_large"), reply.text
            assert str(1 << 20) in error["message"] and "files.max_upload" in error["message"]
        assert len((await client.get("/v1/files")).json()["data"]) == 1


async def test_a_large_file_never_is_in_memory(tmp_path):
    """80 MB through a gateway that may grow by less than half of that."""
    size = 80 << 20
    async with gateway(tmp_path, files={"max_upload": "100MB"}) as (_, client):
        head, tail = form(PURPOSE, (FILE[0], b"|")).split(b"|")

        async def pieces() -> AsyncIterator[bytes]:
            yield head
            for _ in range(size >> 16):
                yield b"\n" * 65536
            yield tail

        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        headers = {"content-type": "multipart/form-data; boundary=b"}
        reply = await client.post("/v1/files", content=pieces(), headers=headers)
        assert reply.status_code == 200 and reply.json()["bytes"] == size
        async with client.stream("GET", f"/v1/files/{reply.json()['id']}/content") as content:
            assert sum([len(piece) async for piece in content.aiter_raw()]) == size
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 40 << 10


async def test_an_upload_that_breaks_off_leaves_nothing(tmp_path):
    async with gateway(tmp_path) as (served, client):
        port = int(served.base.rpartition(":")[2])
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        body = form(PURPOSE, (FILE[0], b"x" * 100_000))
        head = b"POST /v1/files HTTP/1.1\r\nhost: x\r\ncontent-type: multipart/form-data; boundary=b\r\n"
        writer.write(head + b"content-length: %d\r\n\r\n" % len(body) + body[:50_000])
        async with asyncio.timeout(20):
            while not list(tmp_path.glob("data/arriving/*")):
                await asyncio.sleep(0.01)
            writer.close()
            while list(tmp_path.glob("data/arriving/*")):
                await asyncio.sleep(0.01)
        assert (await client.get("/v1/files")).json()["data"] == []


async def test_what_expired_is_gone(tmp_path):
    class Time:
        now = 100.0

        def wall(self) -> float:
            return self.now

        monotonic = wall

    time = Time()
    files = LocalFiles(tmp_path / "files")
    uploads = Uploads(files, tmp_path / "scratch", time)
    uploads.scratch.mkdir()
    for name, expires in (("file-a", 200.0), ("file-b", None)):
        path = uploads.scratch / name
        path.write_bytes(name.encode())
        upload = Upload(
            id=name, size=6, created=time.now, filename=name, purpose="batch", caller="ann", expires=expires
        )
        assert await uploads.keep(upload, path) == upload
    assert [upload.id for upload in await uploads.of("ann")] == ["file-a", "file-b"]
    assert await uploads.of("bob") == []
    time.now = 200.0
    assert await uploads.find("file-a") is None and [upload.id for upload in await uploads.of("ann")] == ["file-b"]
    assert await uploads.purge() == 1
    assert sorted(path.name for path in (tmp_path / "files" / "uploads").iterdir()) == ["file-b", "file-b.meta"]
    assert await uploads.purge() == 0


async def test_what_was_published_first_stays(tmp_path):
    uploads = Uploads(LocalFiles(tmp_path / "files"), tmp_path, SystemClock())
    kept = []
    for number, text in enumerate((b"one", b"other")):
        path = tmp_path / str(number)
        path.write_bytes(text)
        upload = Upload(id="file-a", size=len(text), created=float(number), filename="f", purpose="batch", caller="a")
        kept.append(await uploads.keep(upload, path))
        assert not path.exists()
    assert kept[0] == kept[1] and kept[0].size == 3
    assert b"".join([piece async for piece in uploads.pieces("file-a")]) == b"one"


async def test_errors_are_told_in_the_clients_language(tmp_path):
    async with gateway(tmp_path) as (_, client):
        reply = await client.post("/v1/files", content=json.dumps({}), headers={"accept-language": "zh"})
        assert "请用 multipart/form-data 上传文件" in reply.json()["error"]["message"]
