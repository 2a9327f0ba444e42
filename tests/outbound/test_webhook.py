"""A webhook as its receiver sees it, and what each answer of the receiver means."""

from __future__ import annotations

import socket

import pytest

from pointsman.domain.hosts import AllowedHosts, read_hosts
from pointsman.domain.said import Said
from pointsman.outbound import HttpOutbound, WebhookSender, verify
from pointsman.outbound.signing import key_of
from pointsman.ports.outbound import Refused
from pointsman.ports.webhook import Delivered, NotDelivered

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
NOW = 1_800_000_000.0  # Fri, 15 Jan 2027 08:00:00 GMT
BODY = b'{"type":"job.completed"}'


def sender(**more: object) -> WebhookSender:
    return WebhookSender(HttpOutbound(read_hosts(["127.0.0.1"]), "jobs.webhook_hosts"), SECRET, **more)


def status(code: int, *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {code} Some", *headers, "content-length: 0", "", ""]
    return "\r\n".join(lines).encode()


async def refusal(receiver: object, **more: object) -> NotDelivered:
    with pytest.raises(NotDelivered) as caught:
        await sender(**more).send(f"http://127.0.0.1:{receiver.port}/", "webhook_1", BODY, NOW)
    assert isinstance(caught.value.message, Said)
    return caught.value


@pytest.mark.parametrize("code", [200, 201, 202, 204, 299])
async def test_delivered_and_verified_by_who_knows_the_secret(receive, code: int):
    receiver = await receive(status(code) if code != 204 else b"HTTP/1.1 204 No\r\n\r\n")
    url = f"http://127.0.0.1:{receiver.port}/hook"
    assert await sender(earlier="old").send(url, "webhook_1", BODY, NOW) == Delivered(code)
    (request,) = receiver.received
    assert request.line == "POST /hook HTTP/1.1"
    assert request.headers["content-type"] == "application/json"
    assert request.headers["webhook-id"] == "webhook_1"
    assert request.headers["webhook-timestamp"] == "1800000000"
    for secret in (SECRET, "old"):
        verify([key_of(secret)], request.headers, request.body, NOW)


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf",
        b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 10_000_000,
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhal",
    ],
)
async def test_who_says_yes_has_it_whatever_becomes_of_the_rest(receive, answer: bytes):
    receiver = await receive(answer)
    url = f"http://127.0.0.1:{receiver.port}/hook"
    assert await sender().send(url, "webhook_1", BODY, NOW) == Delivered(200)


@pytest.mark.parametrize(
    ("code", "kind", "again"),
    [
        (410, "gone", False),
        *((code, "redirect", True) for code in (301, 302, 304, 308)),
        *((code, "busy", True) for code in (429, 502, 503, 504)),
        *((code, "status", True) for code in (400, 401, 404, 500)),
    ],
)
async def test_answers_that_are_no_yes(receive, code: int, kind: str, again: bool):
    inside = await receive(status(200))
    receiver = await receive(status(code, f"location: http://127.0.0.1:{inside.port}/").replace(b"304 Some", b"304 No"))
    failed = await refusal(receiver)
    assert (failed.kind, failed.again, failed.after) == (kind, again, None)
    assert f"127.0.0.1:{receiver.port} answered {code}: " in failed.message
    assert f"127.0.0.1:{receiver.port} 应答 {code}：" in failed.message.zh
    assert inside.connections == 0


@pytest.mark.parametrize(
    ("value", "after"),
    [
        ("120", 120.0),
        ("0", 0.0),
        ("999999999999999999", 86400.0),
        ("Fri, 15 Jan 2027 08:10:00 GMT", 600.0),
        ("Fri, 15 Jan 2027 07:00:00 GMT", 0.0),
        ("Fri, 15 Jan 2038 07:00:00 GMT", 86400.0),
        ("soon", None),
        ("-5", None),
        ("1.5", None),
        ("", None),
        ("Fri, 99 Jan 2027 08:10:00 GMT", None),
    ],
)
@pytest.mark.parametrize("code", [429, 503])
async def test_who_asks_for_a_pause_gets_it(receive, code: int, value: str, after: float | None):
    receiver = await receive(status(code, f"retry-after: {value}"))
    assert (await refusal(receiver)).after == after


async def test_failures_on_the_way_are_tried_again(receive):
    reset = await refusal(await receive(b""))
    assert (reset.kind, reset.again) == ("reset", True)
    protocol = await refusal(await receive(b"SSH-2.0-x\r\n"))
    assert (protocol.kind, protocol.again) == ("protocol", True)
    timeout = await refusal(await receive(None), seconds=0.5)
    assert (timeout.kind, timeout.again) == ("timeout", True)
    receiver = await receive(None)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        receiver.port = probe.getsockname()[1]
    connect = await refusal(receiver)
    assert (connect.kind, connect.again) == ("connect", True)


async def test_where_it_may_not_go_it_is_never_tried_again(receive):
    receiver = await receive(status(200))
    strict = WebhookSender(HttpOutbound(AllowedHosts(), "jobs.webhook_hosts"), SECRET)
    url = f"http://127.0.0.1:{receiver.port}/"
    with pytest.raises(Refused) as checked:
        await strict.check(url)
    with pytest.raises(NotDelivered) as caught:
        await strict.send(url, "webhook_1", BODY, NOW)
    assert (caught.value.kind, caught.value.again) == ("refused", False)
    assert caught.value.message == checked.value.message
    assert 'jobs.webhook_hosts: ["127.0.0.1"]' in checked.value.message
    assert receiver.connections == 0


async def test_mistakes_of_ours_are_no_failures_of_theirs():
    with pytest.raises(ValueError, match="message id"):
        await sender().send("http://127.0.0.1/", "webhook.1", BODY, NOW)
    with pytest.raises(ValueError, match="empty"):
        WebhookSender(HttpOutbound(AllowedHosts(), "x"), "")
