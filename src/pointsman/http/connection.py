"""One client connection: bytes → requests, one after the other, and their responses in the same order."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable
from typing import TYPE_CHECKING, cast

from pointsman.domain.errors import PointsmanError
from pointsman.http.auth import is_loopback
from pointsman.http.exchange import Client
from pointsman.http.head import too_slow
from pointsman.http.incoming import Ended, Incoming, Malformed
from pointsman.watch import NEVER, Watch

if TYPE_CHECKING:
    from pointsman.http.server import Server

HEAD_TIME = 60.0  # seconds for a whole head
BODY_TIME = 60.0  # seconds between two pieces of a body
SEND_TIME = 60.0  # seconds in which a client takes nothing of its response
# Seconds that a client may still send what nobody reads, before it meets a reset: the rest of a body, of what is no HTTP.
LINGER_BODY, LINGER_JUNK = 5.0, 0.3
SWALLOWED = 256 << 20  # bytes of that
PIPELINED = 16  # requests read ahead of the response under way


class Connection(asyncio.Protocol):
    """`line` holds the exchanges whose response has not ended, the first one under way. A head is judged as soon as it is
    there; what is refused is answered without its body. A malformed request is answered after all that came before it,
    and ends the connection. One timer watches over silence; it is not set anew for each request."""

    def __init__(self, server: Server) -> None:
        self.choked = False
        self.peer = ""
        self._server = server
        self._loop = server.loop
        self._transport: asyncio.Transport = cast(asyncio.Transport, None)
        self._incoming = Incoming(self)
        self._loopback = False
        self._closed = False
        self._deaf = False
        self._leaving = False
        self._going = False
        self._line: deque[Client] = deque()
        self._reading: Client | None = None
        self._task: asyncio.Task[None] | None = None
        self._room: asyncio.Future[None] | None = None
        self._malformed: PointsmanError | None = None
        self._watch = Watch(self._loop, self._ring)
        self._watch.arm(HEAD_TIME)
        self._unread = 0  # bytes that came since nothing is read any more
        self._unsent = 0

    # Towards the client

    def write(self, data: bytes) -> None:
        if not self._closed:
            self._transport.write(data)

    async def drained(self) -> None:
        if self.choked and not self._closed:
            if self._room is None or self._room.done():
                self._room = self._loop.create_future()
            self._unsent = self._transport.get_write_buffer_size()
            self._watch.arm(SEND_TIME)
            await self._room
            self._watch.at = NEVER

    def done(self) -> None:
        client = self._line.popleft()
        if self._closed:
            return
        if not client.keep_alive:
            self._leave()
        elif self._line:
            self.resume()
            self._go()
        elif self._malformed is not None:
            self._refuse(self._malformed)
        elif self._reading is not None:
            self._watch.arm(BODY_TIME)
        else:
            self._rest()

    def hold(self) -> None:
        self._transport.pause_reading()

    def resume(self) -> None:
        if not self._transport.is_closing() and len(self._line) < PIPELINED:
            self._transport.resume_reading()

    def shut(self) -> None:
        """The gateway stops: the connection closes after the next response that can say so, or once it is idle for as long
        as the server lingers."""
        self._leaving = True
        if self._line:
            last = self._line[-1]
            last.keep_alive = last.keep_alive and last.began
        elif not self._incoming.midway:
            self._rest()

    def abort(self) -> None:
        self._transport.abort()

    # asyncio.Protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        peer = transport.get_extra_info("peername")
        self._loopback = is_loopback(peer)
        self.peer = str(peer[0]) if isinstance(peer, tuple) and peer else ""
        self._leaving = self._server.leaving
        self._server.connections.add(self)

    def data_received(self, data: bytes) -> None:
        if self._deaf:
            self._unread += len(data)
            if self._unread > SWALLOWED:
                self._transport.abort()
            return
        try:
            self._incoming.feed(data)
        except Ended:
            self._deaf = True
        except Malformed as malformed:
            if not self._deaf:
                self._break(malformed.error)

    def eof_received(self) -> None:
        """Who sends no more is taken to be gone, as every client is that closes its socket."""

    def pause_writing(self) -> None:
        self.choked = True

    def resume_writing(self) -> None:
        self.choked = False
        if self._room is not None and not self._room.done():
            self._room.set_result(None)

    def connection_lost(self, exc: Exception | None) -> None:
        self._closed = True
        self._watch.stop()
        self._incoming.close()
        self._server.connections.discard(self)
        self.resume_writing()
        if self._line and self._task is not None and self._line[0].started:
            self._line[0].gone = True
            self._loop.call_soon(self._task.cancel)  # it may not have begun: what begins must come to its end
        self._drop()
        self._server.emptied()

    # Taker

    def request_begins(self) -> None:
        if not self._line:
            self._watch.arm(HEAD_TIME)

    def request_head(
        self, method: str, path: str, query: str, fields: dict[bytes, bytes], version: str, keep_alive: bool
    ) -> None:
        if self._deaf:
            raise Ended  # the last response is out
        server = self._server
        keep_alive = keep_alive and not self._leaving
        client = self._client(method, path, query, server.ids.next(), keep_alive, version == "1.0")
        if b"expect" in fields:
            client.expects = fields[b"expect"].lower() == b"100-continue"
        server.gateway.admit(client)
        if client.expects and client.refusal is not None:
            client.keep_alive = False  # whether its body comes all the same, nobody can tell
        self._line.append(client)
        self._reading = client
        if len(self._line) == 1:
            if client.refusal is not None or client.expects:
                self._go()
        elif len(self._line) >= PIPELINED:
            self._transport.pause_reading()

    def request_body(self, data: bytes) -> None:
        client = self._reading
        if client is None:
            return
        self._take(client, data)
        if self._line and self._line[0] is client and not client.started:
            self._watch.arm(BODY_TIME)

    def request_whole(self, method: str, path: str, query: str, fields: dict[bytes, bytes], body: bytes) -> None:
        self.request_head(method, path, query, fields, "1.1", True)
        if body and self._reading is not None:
            self._take(self._reading, body)
        self.request_ends()

    def _take(self, client: Client, data: bytes) -> None:
        """A piece of its body."""
        if client.ended or client.refusal is not None:
            client.size += len(data)
            if client.size > SWALLOWED:
                self._transport.abort()
        elif (refusal := client.feed(data)) is not None:
            client.refusal = refusal
            client.keep_alive = False
            if self._line[0] is client:
                self._go()

    def request_ends(self) -> None:
        client, self._reading = self._reading, None
        if client is None:
            return
        client.whole = True
        if self._line and self._line[0] is client:
            self._go()
        elif not self._line:
            self._rest()

    # Inside

    def _rest(self) -> None:
        """It is idle from here on."""
        if self._leaving and not self._server.linger:
            self._transport.close()
        else:
            self._watch.arm(
                min(self._server.linger, self._server.keep_alive) if self._leaving else self._server.keep_alive
            )

    def _go(self) -> None:
        """Serves the line, as far as that takes no waiting."""
        if self._going:
            return  # further up
        self._going = True
        try:
            while self._line and self._begin(self._line[0]):
                pass
        finally:
            self._going = False

    def _begin(self, client: Client) -> bool:
        """Begins with the exchange whose turn it is, if it can be begun. True: its response has ended already."""
        if client.started:
            return False
        if not client.whole and client.refusal is None:
            if client.expects:
                client.expects = False
                self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            self._watch.arm(BODY_TIME)
            return False
        client.started = True
        self._watch.at = NEVER
        rest = self._server.gateway.begin(client)
        if rest is None:
            if not client.ended:
                self._transport.abort()  # an answer that cannot be finished must not look as if it were
            return client.ended
        self._task = self._server.tasks[client] = self._loop.create_task(self._serve(client, rest))
        return False

    async def _serve(self, client: Client, rest: Awaitable[None]) -> None:
        try:
            await self._server.gateway.serve(client, rest)
        finally:
            del self._server.tasks[client]
            self._server.emptied()
            if not client.ended:
                self._transport.abort()

    def _client(self, method: str, path: str, query: str, request_id: str, keep_alive: bool, old: bool) -> Client:
        doors = self._server.gateway.doors
        return Client(
            self,
            method,
            path,
            self._incoming.fields,
            request_id,
            loopback=self._loopback,
            keep_alive=keep_alive,
            old=old,
            limit=doors.max_body,
            language=doors.language,
            query=query,
        )

    def _break(self, error: PointsmanError) -> None:
        """What came last is no HTTP: it is answered after all that came before, and nothing is read any more."""
        client, self._reading = self._reading, None
        self._deaf = True
        if client is not None and client.started:  # it is refused already
            client.keep_alive = False
            if client.ended:
                self._leave()
            return
        if client is not None:
            self._line.pop()  # its body broke off
            client.drop()
        self._malformed = error
        if not self._line:
            self._refuse(error)

    def _refuse(self, error: PointsmanError) -> None:
        if self._transport.is_closing():
            return
        self._malformed = None
        client = self._client("GET", "", "", "", keep_alive=False, old=False)
        client.extra = b""
        client.started = True
        self._line.append(client)
        client.error(error)

    def _leave(self) -> None:
        """The last response is out. A client that is still sending must not meet a reset before it has read that."""
        self._drop()
        self._line.clear()
        lingers = LINGER_JUNK if self._deaf else LINGER_BODY if self._reading is not None else 0.0
        self._deaf = True
        if not lingers:
            self._transport.close()
            return
        self._watch.arm(lingers)
        if self._transport.can_write_eof() and not self._transport.is_closing():
            with contextlib.suppress(OSError):  # the client is gone
                self._transport.write_eof()

    def _drop(self) -> None:
        """Nothing comes of what has not begun."""
        for client in self._line:
            if not client.started:
                client.drop()

    def _ring(self) -> None:
        """Nothing happened for as long as it may."""
        if self._closed:
            return
        if self.choked and self._line:
            unsent = self._transport.get_write_buffer_size()
            if unsent < self._unsent:
                self._unsent = unsent
                self._watch.arm(SEND_TIME)
            else:
                self._transport.abort()  # it reads nothing, and keeps an engine waiting
        elif self._deaf:
            self._transport.abort()
        elif self._line or self._incoming.midway:  # in the middle of a request
            self._break(too_slow())
        else:
            self._transport.close()
