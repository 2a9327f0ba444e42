"""Pages in a browser: those of this machine and those that the config lists, and no others."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from execution.engine import CHAT, Door, assert_error, conversation, door, streamed, user

LISTED = "https://chat.example.com"


@pytest.fixture(scope="module")
def gateway() -> Iterator[Door]:
    with door(server={"cors": [LISTED]}) as opened:
        opened.engine.play = streamed(conversation("x"))
        yield opened


def preflight(gateway: Door, origin: str, headers: str = "authorization,content-type,x-stainless-os"):
    lines = f"origin: {origin}\r\naccess-control-request-method: POST\r\naccess-control-request-headers: {headers}\r\n"
    return gateway.raw(f"OPTIONS {CHAT} HTTP/1.1\r\nhost: x\r\n{lines}\r\n".encode())


@pytest.mark.parametrize("origin", [LISTED, "http://localhost:3210", "http://127.0.0.1:8080", "http://[::1]:3000"])
def test_a_preflight_of_an_allowed_page_is_granted_without_a_key(gateway: Door, origin: str):
    reply = preflight(gateway, origin)
    assert reply.status in (200, 204) and reply.headers["access-control-allow-origin"] == origin
    assert "POST" in reply.headers["access-control-allow-methods"]
    allowed = {name.strip().lower() for name in reply.headers["access-control-allow-headers"].split(",")}
    assert allowed == {"*"} or {"authorization", "content-type", "x-stainless-os"} <= allowed
    assert "origin" in reply.headers["vary"].lower()


REFUSED = [
    *("https://evil.example.com", "null", "https://chat.example.com.evil.com", "http://chat.example.com"),
    *("https://chat.example.com:8443", "http://localhost.evil.com", "http://127.0.0.1.evil.com", "http://[", ""),
]


@pytest.mark.parametrize("origin", REFUSED)
def test_another_page_is_not(gateway: Door, origin: str):
    reply = preflight(gateway, origin)
    assert reply.status in (403, 405) and "access-control-allow-origin" not in reply.headers
    reply = gateway.post(CHAT, json.dumps(user()).encode(), f"origin: {origin}")
    assert "access-control-allow-origin" not in reply.headers


def test_a_refused_preflight_has_the_one_error_shape(gateway: Door):
    reply = preflight(gateway, "https://evil.example.com")
    assert_error(reply.json)
    assert "server.cors" in reply.json["error"]["message"]


@pytest.mark.parametrize("stream", [True, False])
def test_an_allowed_page_may_read_replies_errors_and_the_headers_of_the_contract(gateway: Door, stream: bool):
    for body in (json.dumps(user(stream=stream)).encode(), b"{"):
        reply = gateway.post(CHAT, body, f"origin: {LISTED}")
        assert reply.headers["access-control-allow-origin"] == LISTED
        exposed = reply.headers["access-control-expose-headers"]
        for name in ("request-id", "stage", "rule", "target", "reason", "policy"):
            assert f"x-pointsman-{name}" in exposed
    reply = gateway.raw(f"GET /v1/models HTTP/1.1\r\nhost: x\r\norigin: {LISTED}\r\n\r\n".encode())
    assert reply.headers["access-control-allow-origin"] == LISTED


def test_every_page_where_the_config_says_so():
    with door(server={"cors": ["*"]}) as gateway:
        reply = preflight(gateway, "https://anyone.example.com")
        assert reply.headers["access-control-allow-origin"] in ("*", "https://anyone.example.com")
