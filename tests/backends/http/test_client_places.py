"""Where a backend can be: IPv4, IPv6, Unix sockets, TLS; and how a failure to connect reads."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvloop
from scripted_upstream import answering, sized

from pointsman.backends.http import connect, tls_context
from pointsman.ports.backend import BackendFailure, Call

CALL = Call("/v1/x", b"{}", first_byte=20.0, idle=20.0)


async def echo(peer) -> None:
    while (request := await peer.request()) is not None:
        await peer.send(sized(f"{request.line} {request.headers['host']}".encode()))


def free_port(host: str = "127.0.0.1") -> int:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.bind((host, 0))
        return probe.getsockname()[1]


async def failure(pool) -> BackendFailure:
    with pytest.raises(BackendFailure) as caught:
        await pool.open(CALL)
    assert caught.value.kind == "connect"
    assert not caught.value.sent
    return caught.value


async def test_ipv6(serve, pool_of):
    upstream = await serve(echo, host="::1")
    answer = await (await pool_of(upstream.url + "/base").open(CALL)).read()
    assert answer == f"POST /base/v1/x HTTP/1.1 [::1]:{upstream.port}".encode()


async def test_unix_socket(serve, pool_of, socket_path):
    upstream = await serve(echo, path=socket_path)
    pool = pool_of(upstream.url + "/base")
    for _ in range(2):
        assert await (await pool.open(CALL)).read() == b"POST /base/v1/x HTTP/1.1 localhost"
    assert upstream.connections == 1


async def test_unix_socket_as_nginx_spells_it(serve, pool_of, socket_path):
    await serve(echo, path=socket_path)
    pool = pool_of(f"unix:{socket_path}:/base")
    assert await (await pool.open(CALL)).read() == b"POST /base/v1/x HTTP/1.1 localhost"


async def test_no_unix_socket(pool_of, socket_path):
    url = "http+unix://" + socket_path.replace("/", "%2F")
    assert (await failure(pool_of(url))).message == f"no socket at {socket_path}"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(socket_path)
    assert (await failure(pool_of(url))).message == f"connection refused at {socket_path}"
    Path(socket_path).unlink()


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
async def test_localhost_finds_either_family(serve, pool_of, host):
    other = {"127.0.0.1": (socket.AF_INET6, "::1"), "::1": (socket.AF_INET, "127.0.0.1")}[host]
    with socket.socket(other[0]) as taken:  # so that no server of others listens there
        while True:
            upstream = await serve(echo, host=host)
            with contextlib.suppress(OSError):
                taken.bind((other[1], upstream.port))
                break
        stream = await pool_of(f"http://localhost:{upstream.port}").open(CALL)
    assert (await stream.read()).endswith(f" localhost:{upstream.port}".encode())


@contextlib.contextmanager
def deaf(host: str, port: int = 0) -> Iterator[int]:
    """The port of a server whose backlog is full: connecting to it hangs."""
    with contextlib.ExitStack() as sockets:
        full = sockets.enter_context(socket.socket())
        full.bind((host, port))
        full.listen(0)
        for _ in range(4):
            filler = sockets.enter_context(socket.socket())
            filler.setblocking(False)
            filler.connect_ex(full.getsockname())
        yield full.getsockname()[1]


@pytest.fixture
def resolving(monkeypatch):
    """A name server of the test's own."""

    def to(*addresses: str) -> None:
        async def found(host: str, port: int) -> list[str]:
            return list(addresses)

        monkeypatch.setattr(connect, "_addresses", found)

    return to


async def test_an_address_that_does_not_answer_holds_the_next_up_for_a_moment_only(serve, pool_of, resolving):
    upstream = await serve(echo, host="127.0.0.1")
    resolving("127.0.0.2", "127.0.0.1")
    with deaf("127.0.0.2", upstream.port):
        start = time.monotonic()
        pool = pool_of(f"http://gpu-1:{upstream.port}", connect_timeout=60.0)
        assert (await (await pool.open(CALL)).read()).endswith(b" gpu-1:%d" % upstream.port)
        assert 0.2 < time.monotonic() - start < 30
        assert len(asyncio.all_tasks()) <= 2 + upstream.connections


async def test_one_refused_address_does_not_matter(serve, pool_of, resolving, monkeypatch):
    upstream = await serve(echo, host="127.0.0.1")
    resolving("127.0.0.3", "::1", "127.0.0.1")
    monkeypatch.setattr(connect, "HEAD_START", 60.0)
    start = time.monotonic()
    await (await pool_of(f"http://gpu-1:{upstream.port}").open(CALL)).read()
    assert time.monotonic() - start < 30


async def test_of_two_that_answer_at_once_one_is_kept(serve, pool_of, resolving, monkeypatch):
    upstream = await serve(echo, host="0.0.0.0")
    resolving("127.0.0.2", "127.0.0.3")
    monkeypatch.setattr(connect, "HEAD_START", 0.0)
    pool = pool_of(f"http://gpu-1:{upstream.port}")
    for _ in range(20):
        await (await pool.open(Call("/x", b""))).read()
        pool._idle[0].abort()
        await asyncio.sleep(0.005)
    assert pool.traffic.opened == 20
    assert upstream.ended == upstream.connections


@pytest.mark.parametrize("late", [False, True])
async def test_the_attempt_that_comes_second_is_dropped(monkeypatch, late):
    monkeypatch.setattr(connect, "HEAD_START", 0.0)
    go = asyncio.Event()
    aborted: list[str] = []

    class Made:
        def __init__(self, name: str) -> None:
            self.name = name

        def abort(self) -> None:
            aborted.append(self.name)

    async def attempt(name: str, stubborn: bool) -> Made:
        with contextlib.suppress(asyncio.CancelledError):
            await (asyncio.Event() if stubborn else go).wait()
        return Made(name)

    racing = asyncio.create_task(connect._race([attempt("a", False), attempt("b", late)]))
    await asyncio.sleep(0.01)
    go.set()
    winner = await racing
    await asyncio.sleep(0.01)
    assert sorted([winner.name, *aborted]) == ["a", "b"]


async def test_cancelled_while_addresses_race(pool_of, resolving):
    resolving("127.0.0.2", "127.0.0.3")
    with deaf("127.0.0.2") as port, deaf("127.0.0.3", port):
        waiting = asyncio.create_task(pool_of(f"http://gpu-1:{port}").open(CALL))
        await asyncio.sleep(0.3)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await asyncio.sleep(0.01)
        assert asyncio.all_tasks() == {asyncio.current_task()}


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
async def test_refused(pool_of, host):
    port = free_port()
    place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    assert (await failure(pool_of(f"http://{place}"))).message == f"connection refused at {place}"


async def test_unknown_host(pool_of):
    message = (await failure(pool_of("http://nowhere.invalid:1"))).message
    assert message.startswith('host name "nowhere.invalid" does not resolve (')


async def test_nobody_accepts(pool_of):
    with deaf("127.0.0.1") as port:
        failed = await failure(pool_of(f"http://127.0.0.1:{port}", connect_timeout=0.2))
        assert failed.message == f"no connection to 127.0.0.1:{port} within 0.2 s"
        waiting = asyncio.create_task(pool_of(f"http://127.0.0.1:{port}").open(CALL))
        await asyncio.sleep(0.05)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting


async def test_proxies_of_the_environment_are_ignored(serve, pool_of, monkeypatch):
    upstream = await serve(echo)
    proxy = await serve(answering(sized(b"proxied")))
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, proxy.url)
    assert await (await pool_of(upstream).open(CALL)).read() != b"proxied"
    assert proxy.connections == 0


async def test_tls(serve, pool_of, authority, trusting):
    upstream = await serve(echo, tls=authority.server("localhost", "127.0.0.1"))
    for host in ("localhost", "127.0.0.1"):
        pool = pool_of(f"https://{host}:{upstream.port}", ssl=trusting)
        for _ in range(3):
            assert await (await pool.open(CALL)).read() == f"POST /v1/x HTTP/1.1 {host}:{upstream.port}".encode()
        assert pool.traffic.opened == 1
    assert upstream.connections == 2


async def test_tls_large_both_ways_with_a_slow_reader(serve, pool_of, authority, trusting):
    async def script(peer):
        request = await peer.request()
        await peer.send(sized(request.body))
        await peer.gone(5)

    upstream = await serve(script, tls=authority.server("127.0.0.1"))
    pool = pool_of(f"https://127.0.0.1:{upstream.port}", ssl=trusting)
    body = bytes(range(256)) * (16 << 10)
    stream = await pool.open(Call("/x", body, idle=0.4))
    await asyncio.sleep(0.6)
    assert stream.buffered < 1 << 20
    assert await stream.read() == body
    assert pool.idle == 1


async def test_tls_closing_early_reaches_the_engine(serve, pool_of, authority, trusting):
    left: list[float] = []

    async def script(peer):
        await peer.request()
        await peer.send(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n", b"abc")
        left.append(await peer.gone())

    upstream = await serve(script, tls=authority.server("127.0.0.1"))
    stream = await pool_of(upstream, ssl=trusting).open(CALL)
    await anext(stream.chunks())
    stream.close()
    async with asyncio.timeout(20):
        while not left:
            await asyncio.sleep(0.001)


@pytest.mark.parametrize("cut", [False, True], ids=["closed", "cut"])
async def test_tls_tells_a_body_that_ends_from_one_that_was_cut(pool_of, authority, trusting, cut):
    """Without a length, only the engine's own word that it closes makes it whole."""
    if cut and not isinstance(asyncio.get_running_loop(), uvloop.Loop):
        pytest.skip("asyncio's own loop does not tell one from the other")
    context = authority.server("127.0.0.1")

    def serve() -> None:
        peer, _ = listener.accept()
        with context.wrap_socket(peer, server_side=True) as secure:
            secure.recv(65536)
            secure.sendall(b"HTTP/1.1 200 OK\r\n\r\nabc")
            if cut:
                socket.close(secure.detach())
            else:
                with contextlib.suppress(OSError):
                    secure.unwrap()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        serving = asyncio.create_task(asyncio.to_thread(serve))
        stream = await pool_of(f"https://127.0.0.1:{listener.getsockname()[1]}", ssl=trusting).open(CALL)
        if cut:
            with pytest.raises(BackendFailure) as caught:
                await stream.read()
            assert (caught.value.kind, caught.value.sent) == ("reset", True)
        else:
            assert await stream.read() == b"abc"
        await serving


async def test_cancelled_in_the_middle_of_a_handshake(serve, pool_of, trusting):
    left: list[float] = []

    async def silent(peer):
        left.append(await peer.gone())

    upstream = await serve(silent)
    opening = asyncio.create_task(pool_of(upstream.url.replace("http:", "https:"), ssl=trusting).open(CALL))
    await asyncio.sleep(0.1)
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    async with asyncio.timeout(20):
        while not left:
            await asyncio.sleep(0.001)


async def test_certificates_that_are_refused_say_why(serve, pool_of, authority, trusting):
    for names, days, context, why in (
        (("127.0.0.1",), (-1, 30), ssl.create_default_context(), "unable to get local issuer certificate"),
        (("elsewhere.example",), (-1, 30), trusting, "IP address mismatch"),
        (("127.0.0.1",), (-9, -1), trusting, "certificate has expired"),
    ):
        upstream = await serve(echo, tls=authority.server(*names, days=days))
        message = (await failure(pool_of(upstream, ssl=context))).message
        assert message.startswith(f"certificate of 127.0.0.1:{upstream.port} not accepted: ")
        assert why in message


async def test_a_certificate_for_another_name_is_refused(serve, pool_of, authority, trusting):
    upstream = await serve(echo, tls=authority.server("elsewhere.example"))
    message = (await failure(pool_of(f"https://localhost:{upstream.port}", ssl=trusting))).message
    assert "Hostname mismatch, certificate is not valid for 'localhost'" in message
    assert message.zh.startswith(f"localhost:{upstream.port} 的证书不被接受：")


async def test_authorities_of_ones_own(serve, pool_of, authority, monkeypatch):
    """In a file that is named, or in the one that OpenSSL's variable names."""
    upstream = await serve(echo, tls=authority.server("127.0.0.1"))
    named = pool_of(upstream, ssl=tls_context(str(authority.file)))
    assert (await (await named.open(CALL)).read()).startswith(b"POST ")
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    assert (await (await pool_of(upstream).open(CALL)).read()).startswith(b"POST ")


def test_authorities_that_cannot_be_read(tmp_path):
    with pytest.raises(ValueError, match=r"missing\.pem cannot be read: No such file"):
        tls_context(str(tmp_path / "missing.pem"))
    (tmp_path / "other.pem").write_text("no certificate")
    with pytest.raises(ValueError, match=r"other\.pem holds no certificate in PEM form"):
        tls_context(str(tmp_path / "other.pem"))


async def test_tls_at_an_ipv6_literal(serve, pool_of, authority, trusting):
    upstream = await serve(echo, host="::1", tls=authority.server("::1"))
    answer = await (await pool_of(upstream, ssl=trusting).open(CALL)).read()
    assert answer == f"POST /v1/x HTTP/1.1 [::1]:{upstream.port}".encode()


async def test_the_default_context_checks_certificates(serve, pool_of, authority):
    upstream = await serve(echo, tls=authority.server("127.0.0.1"))
    assert "not accepted" in (await failure(pool_of(upstream))).message


async def test_tls_to_a_plain_server_and_to_a_silent_one(serve, pool_of, trusting):
    async def silent(peer):
        await peer.gone()

    async def speaking(peer):
        await peer.send(sized(b"hello"))

    wrong = await serve(speaking)
    message = (await failure(pool_of(wrong.url.replace("http:", "https:"), ssl=trusting))).message
    assert message.startswith(f"TLS handshake with 127.0.0.1:{wrong.port} failed: ")
    quiet = await serve(silent)
    pool = pool_of(quiet.url.replace("http:", "https:"), ssl=trusting, connect_timeout=0.2)
    assert (await failure(pool)).message.endswith("within 0.2 s")
