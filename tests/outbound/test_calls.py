"""One call: whom it connects to, and what becomes of every kind of answer."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
import threading

import pytest

import certificates
from pointsman.domain.hosts import AllowedHosts, read_hosts
from pointsman.domain.said import Said
from pointsman.outbound import HttpOutbound, connect, resolver
from pointsman.ports.outbound import Answer, NotAnswered, Refused

LOOPBACK = ipaddress.ip_address("127.0.0.1")
NOWHERE = ipaddress.ip_address("127.0.0.2")  # loopback, and nobody listens there
OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"


def allowing(*entries: str, **more: object) -> HttpOutbound:
    return HttpOutbound(read_hosts(entries), "jobs.webhook_hosts", **more)


def names(*answers: list) -> tuple:
    """A resolver that gives these answers in turn, the last one for ever; and what it was asked."""
    asked: list[str] = []

    async def resolve(host: str, port: int) -> list:
        asked.append(host)
        return [ipaddress.ip_address(address) for address in answers[min(len(asked), len(answers)) - 1]]

    return resolve, asked


async def ask(outbound: HttpOutbound, url: str, **more: object) -> Answer:
    settings = {"seconds": 60.0, "most": 1 << 16, **more}
    return await outbound.ask("POST", url, (("content-type", "text/plain"),), b"hello", **settings)


async def failure(outbound: HttpOutbound, url: str, **more: object) -> NotAnswered:
    with pytest.raises(NotAnswered) as caught:
        await ask(outbound, url, **more)
    assert isinstance(caught.value.message, Said)
    return caught.value


# Whom it connects to


async def test_a_request_arrives_as_it_was_meant(receive):
    receiver = await receive(OK)
    answer = await ask(allowing("127.0.0.0/8"), f"http://127.0.0.1:{receiver.port}/a?b=c")
    assert (answer.status, answer.body, answer.ended) == (200, b"ok", "whole")
    assert answer.header("content-length") == "2" and answer.header("x") is None
    (request,) = receiver.received
    assert request.line == "POST /a?b=c HTTP/1.1"
    assert request.body == b"hello"
    assert request.headers.pop("user-agent").startswith("pointsman/")
    assert request.headers == {
        "host": f"127.0.0.1:{receiver.port}",
        "accept-encoding": "identity",
        "connection": "close",
        "content-length": "5",
        "content-type": "text/plain",
    }


async def test_get_has_no_body(receive):
    receiver = await receive(OK)
    url = f"http://127.0.0.1:{receiver.port}"
    assert (await allowing("127.0.0.1").ask("GET", url, seconds=60, most=10)).body == b"ok"
    assert receiver.received[0].line == "GET / HTTP/1.1"
    assert "content-length" not in receiver.received[0].headers


async def test_a_name_that_moves_inside_between_check_and_call_is_refused(receive):
    receiver = await receive(OK)
    resolve, asked = names(["93.184.216.34"], ["127.0.0.1"])
    outbound = HttpOutbound(AllowedHosts(), "x", resolve=resolve)
    url = f"http://rebinding.example:{receiver.port}/"
    await outbound.check(url)
    with pytest.raises(Refused, match="leads to a loopback address"):
        await ask(outbound, url)
    assert asked == ["rebinding.example"] * 2
    assert receiver.connections == 0


async def test_what_is_judged_is_what_is_connected_to(receive, monkeypatch: pytest.MonkeyPatch):
    """A name that answers differently each time it is asked: it is asked once, and the connection is to that answer."""
    receiver = await receive(OK)
    resolve, asked = names(["93.184.216.34"], ["127.0.0.1"])
    opened: list[str] = []

    async def open_connection(host: str, port: int, **more: object) -> None:
        opened.append(host)
        assert more["flags"] == socket.AI_NUMERICHOST
        raise ConnectionRefusedError(111, "refused")

    monkeypatch.setattr(connect.asyncio, "open_connection", open_connection)
    outbound = HttpOutbound(AllowedHosts(), "x", resolve=resolve)
    failed = await failure(outbound, f"http://rebinding.example:{receiver.port}/")
    assert failed.kind == "connect" and not failed.sent
    assert opened == ["93.184.216.34"]
    assert asked == ["rebinding.example"]


async def test_no_name_is_looked_up_to_connect(receive, monkeypatch: pytest.MonkeyPatch):
    receiver = await receive(OK)
    resolve, _ = names(["127.0.0.1"])
    looked_up: list[object] = []
    plain = socket.getaddrinfo

    def getaddrinfo(host: object, *more: object, **still: object) -> object:
        looked_up.append(host)
        return plain(host, *more, **still)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    outbound = allowing("hooks.example", resolve=resolve)
    assert (await ask(outbound, f"http://hooks.example:{receiver.port}/")).status == 200
    assert set(looked_up) <= {"127.0.0.1"}
    assert receiver.received[0].headers["host"] == f"hooks.example:{receiver.port}"


async def test_the_next_address_is_tried_where_one_is_dead(receive):
    receiver = await receive(OK)
    resolve, _ = names([str(NOWHERE), str(LOOPBACK)])
    assert (await ask(allowing("h.example", resolve=resolve), f"http://h.example:{receiver.port}/")).status == 200


async def test_proxies_of_the_environment_play_no_part(receive, monkeypatch: pytest.MonkeyPatch):
    receiver, proxy = await receive(OK), await receive(OK)
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
    await ask(allowing("127.0.0.1"), f"http://127.0.0.1:{receiver.port}/")
    assert (receiver.connections, proxy.connections) == (1, 0)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_redirects_are_answers(receive, status: int):
    inside = await receive(OK)
    location = f"http://127.0.0.1:{inside.port}/"
    receiver = await receive(f"HTTP/1.1 {status} Moved\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n".encode())
    answer = await ask(allowing("127.0.0.1"), f"http://127.0.0.1:{receiver.port}/")
    assert (answer.status, answer.header("location")) == (status, location)
    assert inside.connections == 0


# TLS


async def test_the_certificate_must_be_of_the_name(receive, authority: certificates.Authority, trusting):
    receiver = await receive(OK, tls=authority.server("hooks.example"))
    resolve, _ = names(["127.0.0.1"])
    outbound = allowing("127.0.0.1", tls=trusting, resolve=resolve)
    assert (await ask(outbound, f"https://hooks.example:{receiver.port}/")).status == 200
    other = await failure(outbound, f"https://other.example:{receiver.port}/")
    assert other.kind == "tls" and not other.sent
    assert "certificate of other.example" in other.message and "证书不被接受" in other.message.zh
    literal = await failure(outbound, f"https://127.0.0.1:{receiver.port}/")
    assert literal.kind == "tls"
    assert len(receiver.received) == 1


async def test_the_certificate_may_be_of_the_address(receive, authority: certificates.Authority, trusting):
    receiver = await receive(OK, tls=authority.server("127.0.0.1"))
    outbound = allowing("127.0.0.1", tls=trusting)
    assert (await ask(outbound, f"https://127.0.0.1:{receiver.port}/")).status == 200


async def test_the_name_goes_along_for_servers_of_many_names(receive, authority: certificates.Authority, trusting):
    context = authority.server("hooks.example")
    told: list[str | None] = []
    context.sni_callback = lambda _socket, name, _context: told.append(name)
    receiver = await receive(OK, tls=context)
    resolve, _ = names(["127.0.0.1"])
    await ask(allowing("127.0.0.1", tls=trusting, resolve=resolve), f"https://HOOKS.example.:{receiver.port}/")
    assert told == ["hooks.example"]


async def test_authorities_of_the_system_do_not_know_ours(receive, authority: certificates.Authority):
    receiver = await receive(OK, tls=authority.server("127.0.0.1"))
    failed = await failure(allowing("127.0.0.1"), f"https://127.0.0.1:{receiver.port}/")
    assert failed.kind == "tls"


async def test_a_server_that_speaks_no_tls(trusting: ssl.SSLContext):
    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"SSH-2.0-x\r\n")
        writer.close()

    server = await asyncio.start_server(plain, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    failed = await failure(allowing("127.0.0.1", tls=trusting), f"https://127.0.0.1:{port}/")
    server.close()
    assert failed.kind in ("tls", "connect") and not failed.sent


# What comes back


async def test_who_never_answers(receive):
    receiver = await receive(None)
    failed = await failure(allowing("127.0.0.1"), f"http://127.0.0.1:{receiver.port}/", seconds=0.5)
    assert failed.kind == "timeout"
    assert failed.message == f"no answer from 127.0.0.1:{receiver.port} within 0.5 s"
    assert failed.message.zh == f"127.0.0.1:{receiver.port} 没有在 0.5 秒内应答"


async def test_nobody_there():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    failed = await failure(allowing("127.0.0.1"), f"http://127.0.0.1:{port}/")
    assert (failed.kind, failed.sent) == ("connect", False)
    assert failed.message == f"connection refused at 127.0.0.1:{port}"


async def test_a_name_that_does_not_resolve():
    async def resolve(host: str, port: int) -> list:
        raise socket.gaierror(-2, "Name or service not known")

    failed = await failure(allowing(resolve=resolve), "http://nowhere.example/")
    assert (failed.kind, failed.sent) == ("resolve", False)
    assert failed.message == 'host name "nowhere.example" does not resolve (Name or service not known)'
    nothing, _ = names([])
    assert (await failure(allowing(resolve=nothing), "http://nowhere.example/")).kind == "resolve"


async def test_closed_before_an_answer(receive):
    receiver = await receive(b"")
    failed = await failure(allowing("127.0.0.1"), f"http://127.0.0.1:{receiver.port}/")
    assert (failed.kind, failed.sent) == ("reset", True)


async def test_cut_in_the_middle_of_the_head(receive):
    receiver = await receive(b"HTTP/1.1 200 OK\r\ncontent-le")
    failed = await failure(allowing("127.0.0.1"), f"http://127.0.0.1:{receiver.port}/")
    assert (failed.kind, failed.sent) == ("reset", True)


@pytest.mark.parametrize(
    ("answer", "body", "ended"),
    [
        (b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf", b"half", "broken"),
        (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n", b"half", "broken"),
        (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n0\r\n\r\n", b"half", "whole"),
        (b"HTTP/1.1 200 OK\r\n\r\nall", b"all", "whole"),
        (b"HTTP/1.0 200 OK\r\n\r\nall", b"all", "whole"),
        (b"HTTP/1.1 204 No\r\n\r\n", b"", "whole"),
        (b"HTTP/1.1 304 No\r\n\r\n", b"", "whole"),
        (b"HTTP/1.1 100 Go\r\n\r\nHTTP/1.1 103 Hints\r\nlink: x\r\n\r\n" + OK, b"ok", "whole"),
        (OK + b"HTTP/1.1 500 Second\r\ncontent-length: 3\r\n\r\nbad", b"ok", "whole"),
        (OK + b"\0junk", b"ok", "whole"),
        (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\nzz\r\n", b"half", "broken"),
        (b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;" + b"x" * 100_000, b"", "broken"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n" + b"x" * 100000, b"x" * 50, "too_large"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 51\r\n\r\n" + b"x" * 51, b"x" * 50, "too_large"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n" + b"x" * 50, b"x" * 50, "whole"),
        (b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 10_000_000, b"x" * 50, "too_large"),
    ],
)
async def test_bodies_and_their_ends(receive, answer: bytes, body: bytes, ended: str):
    receiver = await receive(answer)
    found = await ask(allowing("127.0.0.1"), f"http://127.0.0.1:{receiver.port}/", most=50)
    assert (found.body, found.ended) == (body, ended)
    assert found.status in (200, 204, 304)
    assert "link" not in dict(found.headers)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b"SSH-2.0-OpenSSH_9.2\r\n", ""),
        (b"220 mail.example ESMTP\r\n", ""),
        (b"-ERR unknown command\r\n", ""),
        (b"\x16\x03\x01\x00\x00", ""),
        (b"HTTP/2.0 200 OK\r\n\r\n", ""),
        (b"HTTP/1.1 101 Switch\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n", "switched protocols"),
        (b"HTTP/1.1 999 Odd\r\n\r\n", "no such status: 999"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx", ""),
        (b"HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n", ""),
        (b"HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n", "unknown transfer-encoding"),
        (b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 200 + b"\r\n", "more than 128 headers"),
        (b"HTTP/1.1 200 OK\r\nx: " + b"y" * 100_000, "bytes of head"),
        (b"HTTP/1.1 100 Go\r\n\r\n" * 10_000, "bytes of head"),
    ],
)
async def test_what_is_no_http(receive, answer: bytes, words: str):
    receiver = await receive(answer)
    failed = await failure(allowing("127.0.0.1"), f"http://127.0.0.1:{receiver.port}/")
    assert (failed.kind, failed.sent) == ("protocol", True)
    assert words in failed.message
    assert failed.message.startswith(f"the answer of 127.0.0.1:{receiver.port} is no valid HTTP")


@pytest.mark.parametrize(
    "header",
    [
        *[("x", "a\r\nb: c"), ("x", "a\0"), ("x\r\ny", "a"), ("", "a"), ("x y", "a"), ("x", "中"), ("Host", "a")],
        *[("content-length", "1"), ("Transfer-Encoding", "chunked"), ("connection", "keep-alive")],
    ],
)
async def test_no_header_can_add_another(header: tuple[str, str]):
    with pytest.raises(ValueError, match="header"):
        await allowing("127.0.0.1").ask("GET", "http://127.0.0.1/", (header,), seconds=60, most=1)


@pytest.mark.parametrize("method", ["get", "GET /", "CONNECT", "", "TRACE"])
async def test_no_other_methods(method: str):
    with pytest.raises(ValueError, match="method"):
        await allowing("127.0.0.1").ask(method, "http://127.0.0.1/", seconds=60, most=1)


async def test_being_cancelled_drops_the_connection(receive):
    receiver = await receive(None)
    task = asyncio.create_task(ask(allowing("127.0.0.1"), f"http://127.0.0.1:{receiver.port}/"))
    while not receiver.received:
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


# The system's resolver


async def test_localhost_is_loopback_whatever_the_resolver_knows():
    system = resolver.Resolver()
    for name in ("localhost", "a.localhost"):
        assert await system(name, 80) == [LOOPBACK, ipaddress.ip_address("::1")]
    system.close()


async def test_names_go_to_the_systems_resolver_on_other_threads(monkeypatch: pytest.MonkeyPatch):
    threads: list[str] = []

    def getaddrinfo(host: bytes, port: int, **more: object) -> list:
        threads.append(threading.current_thread().name)
        assert (host, port) == (b"h.example", 80)
        places = [("2606:4700::1", port, 0, 0), ("93.184.216.34", port), ("93.184.216.34", port)]
        return [(0, 0, 0, "", place) for place in places]

    monkeypatch.setattr(resolver.socket, "getaddrinfo", getaddrinfo)
    outbound = HttpOutbound(AllowedHosts(), "x")
    await outbound.check("http://h.example/")
    outbound.close()
    assert threads[0].startswith("outbound-names")
    closed = await failure(outbound, "http://h.example/")
    assert (closed.kind, closed.sent) == ("resolve", False)
    system = resolver.Resolver()
    assert [str(address) for address in await system("h.example", 80)] == ["2606:4700::1", "93.184.216.34"]
    system.close()


async def test_a_piece_that_is_enough_ends_the_call(receive):
    """A stream that goes on for ever is left once what was wanted has come."""
    receiver = await receive(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\none\r\n3\r\ntwo\r\n")
    pieces: list[bytes] = []

    def enough(piece: bytes) -> bool:
        pieces.append(piece)
        return b"two" in b"".join(pieces)

    answer = await ask(allowing("127.0.0.0/8"), f"http://127.0.0.1:{receiver.port}/", enough=enough)
    assert (answer.body, answer.ended) == (b"onetwo", "whole")
