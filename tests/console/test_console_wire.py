"""The console through the gateway's own door: who may come, what the browser is told, and that it can be left out."""

from __future__ import annotations

import asyncio
import hashlib
import http.client
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
import yaml

from running import Process, Running, process, running

KEYS = {"ops": "pm-admin", "desk": "pm-reader", "app": "pm-plain"}


def config(**auth: Any) -> dict[str, Any]:
    def key(name: str, **more: Any) -> dict[str, Any]:
        return {"name": name, "hash": f"sha256:{hashlib.sha256(KEYS[name].encode()).hexdigest()}", **more}

    keys = [key("ops", admin=True), key("desk", console="read"), key("app")]
    return {"models": {}, "auth": {"keys": keys, **auth}}


class Client:
    """A browser without a screen: keeps cookies, and reads the token of the last page."""

    def __init__(self, served: Running | Process) -> None:
        self._host, self._port = served.base.removeprefix("http://").split(":")
        self.cookies: dict[str, str] = {}
        self.origin = served.base
        self.token = ""

    def get(self, path: str, **headers: str) -> tuple[int, dict[str, str], str]:
        return self._ask("GET", path, None, headers)

    def post(self, path: str, form: dict[str, str], **headers: str) -> tuple[int, dict[str, str], str]:
        body = urlencode({"csrf": self.token, **form})
        sent = {"content_type": "application/x-www-form-urlencoded", "origin": self.origin, **headers}
        return self._ask("POST", path, body, sent)

    def _ask(
        self, method: str, path: str, body: str | None, headers: dict[str, str]
    ) -> tuple[int, dict[str, str], str]:
        connection = http.client.HTTPConnection(self._host, int(self._port), timeout=30)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.cookies:
            sent["cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        connection.request(method, path, body, sent)
        response = connection.getresponse()
        text = response.read().decode()
        told = {name.lower(): value for name, value in response.getheaders()}
        connection.close()
        if found := re.match(r"([^=]+)=([^;]*)", told.get("set-cookie", "")):
            self.cookies[found.group(1)] = found.group(2)
        if found := re.search(r'name="csrf" content="(\w+)"', text):
            self.token = found.group(1)
        return response.status, told, text


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """A gateway with three keys, which needs none from this machine."""
    folder = tmp_path_factory.mktemp("guarded")
    path = folder / "pointsman.yaml"
    path.write_text(yaml.safe_dump(config()), encoding="utf-8")
    with process(["--config", str(path), "--port", "0", "--data-dir", str(folder / "data")]) as started:
        yield started


def test_this_machine_sees_it_at_once(guarded: Process) -> None:
    client = Client(guarded)
    status, headers, text = client.get("/ui")
    assert status == 200 and "<h1>Now</h1>" in text
    assert "default-src 'none'" in headers["content-security-policy"]
    status, headers, _ = client.get("/ui", accept_language="zh-CN,zh;q=0.9")
    assert status == 200
    assert client.get("/ui/requests")[0] == 200
    assert client.get("/ui/requests/req_none")[0] == 404
    assert client.post("/ui/settings", {"language": "zh"})[0] == 303
    assert '<html lang="zh-CN"' in client.get("/ui/help")[2]


def test_another_machine_needs_a_key_that_may(guarded: Process) -> None:
    client, afar = Client(guarded), {"x_forwarded_for": "192.0.2.7"}
    status, headers, _ = client.get("/ui", **afar)
    assert status == 303 and headers["location"].startswith("/ui/sign-in")
    client.get(headers["location"], **afar)
    assert client.post("/ui/sign-in", {"key": KEYS["app"]}, **afar)[0] == 401
    status, headers, _ = client.post("/ui/sign-in", {"key": KEYS["ops"]}, **afar)
    assert status == 303 and headers["location"] == "/ui"
    assert client.get("/ui", **afar)[0] == 200
    assert client.get("/ui")[0] == 200


def test_a_stolen_cookie_is_of_no_use_after_signing_out_in_any_worker(tmp_path: Path) -> None:
    path = tmp_path / "pointsman.yaml"
    path.write_text(yaml.safe_dump(config(loopback="key")), encoding="utf-8")
    given = ["--config", str(path), "--port", "0", "--workers", "2", "--data-dir", str(tmp_path / "data")]
    with process(given) as served:
        owner, thief = Client(served), Client(served)
        owner.get("/ui/sign-in")
        owner.post("/ui/sign-in", {"key": KEYS["ops"]})
        thief.cookies = dict(owner.cookies)
        assert {thief.get("/ui/help")[0] for _ in range(6)} == {200}  # each on a connection of its own
        owner.get("/ui/help")
        assert owner.post("/ui/sign-out", {})[0] == 303
        assert {thief.get("/ui/help")[0] for _ in range(6)} == {303}


def test_no_other_site_reads_it_or_sends_to_it(guarded: Process) -> None:
    client = Client(guarded)
    _, headers, _ = client.get("/ui/help", origin="http://localhost:3000")
    assert "access-control-allow-origin" not in headers
    assert client.post("/ui/settings", {"language": "zh"}, origin="http://localhost:3000")[0] == 403
    client.token = "x"
    assert client.post("/ui/settings", {"language": "zh"})[0] == 403


def test_a_name_that_points_here_does_not_make_it_this_machine(guarded: Process) -> None:
    status, headers, _ = Client(guarded).get("/ui", host="evil.example")
    assert status == 303 and "why=host" in headers["location"]


async def test_it_can_be_left_out(tmp_path: Path) -> None:
    async with running({**config(), "console": {"enabled": False}}, tmp_path) as served:
        assert (await asyncio.to_thread(Client(served).get, "/ui"))[0] == 404


async def test_it_can_be_for_this_machine_alone(tmp_path: Path) -> None:
    async with running({**config(), "console": {"public": False}}, tmp_path) as served:
        client = Client(served)
        assert (await asyncio.to_thread(client.get, "/ui"))[0] == 200
        assert (await asyncio.to_thread(client.get, "/ui", x_forwarded_for="192.0.2.7"))[0] == 403


async def test_where_prompts_are_not_kept_none_is_shown(tmp_path: Path) -> None:
    async with running({**config(), "log": {"prompts": "off"}}, tmp_path) as served:
        client = Client(served)
        host, port = served.base.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(f"GET /ui/live?only=requests HTTP/1.1\r\nhost: {host}:{port}\r\n\r\n".encode())
        await reader.readuntil(b": here\n\n")
        body = b'{"model": "nowhere", "messages": [{"role": "user", "content": "my secret"}]}'
        head = await _posted(host, int(port), body)
        found = re.search(rb"x-pointsman-request-id: (\w+)", head)
        assert found
        await reader.readuntil(b"event: seen\n")
        told = await reader.readuntil(b"\n\n")
        assert found.group(1) in told and b"nowhere" not in told
        status, _, page = await asyncio.to_thread(client.get, f"/ui/requests/{found.group(1).decode()}")
        assert status == 200 and "secret" not in page and "log.prompts: off" in page
        writer.close()


async def test_a_stream_tells_of_a_request_and_ends_with_the_gateway(tmp_path: Path) -> None:
    async with running(config(), tmp_path) as served:
        host, port = served.base.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(f"GET /ui/live?only=requests HTTP/1.1\r\nhost: {host}:{port}\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        assert b"200 OK" in head and b"text/event-stream" in head and b"content-security-policy" in head
        await reader.readuntil(b": here\n\n")
        body = b'{"model": "nowhere", "messages": [{"role": "user", "content": "hello"}]}'
        await _posted(host, int(port), body)
        event = await reader.readuntil(b"event: seen\n")
        assert event and b"nowhere" in await reader.readuntil(b"\n\n")
    assert await reader.read() is not None  # the end comes by itself
    writer.close()


async def _posted(host: str, port: int, body: bytes) -> bytes:
    """The head of the reply to a chat."""
    reader, writer = await asyncio.open_connection(host, port)
    writer.write(b"POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n")
    writer.write(b"content-length: %d\r\n\r\n%b" % (len(body), body))
    head = await reader.readuntil(b"\r\n\r\n")
    writer.close()
    return head
