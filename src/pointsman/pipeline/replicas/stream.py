"""A response of a node, which counts as a request there until it is over."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

from pointsman.ports.backend import BackendFailure, Stream


class NodeStream:
    """`ended` is called once, however it ends. `node` is the name of the one that serves it. `held_back` as of its call."""

    def __init__(self, stream: Stream, node: str, held_back: bool, ended: Callable[[NodeStream], None]) -> None:
        self.node = node
        self._stream = stream
        self._held_back = held_back
        self._ended: Callable[[NodeStream], None] | None = ended
        self._flows = False
        self._failure: BackendFailure | None = None

    @property
    def status(self) -> int:
        return self._stream.status

    @property
    def headers(self) -> Sequence[tuple[str, str]]:
        return self._stream.headers

    def header(self, name: str) -> str | None:
        return self._stream.header(name)

    def give_up(self, failure: BackendFailure) -> None:
        """Its node is lost: whoever reads gets this failure, unless the client has the beginning of it already. That one
        cannot be asked for again, and comes to its end if the node was cut off for a moment only."""
        if not self._flows or self._held_back:
            self._failure = failure
            self._stream.close()

    async def chunks(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._stream.chunks():
                yield chunk
        except BackendFailure as failure:
            raise self._failure or failure from None

    async def pour(self, sink: Callable[[bytes], bool], room: Callable[[], Awaitable[None]]) -> None:
        self._flows = True
        try:
            await self._stream.pour(sink, room)
        except BackendFailure as failure:
            raise self._failure or failure from None
        finally:
            self._over()

    async def read(self, limit: int = 32 << 20) -> bytes:
        try:
            return await self._stream.read(limit)
        except BackendFailure as failure:
            raise self._failure or failure from None
        finally:
            self._over()

    def close(self) -> None:
        self._stream.close()
        self._over()

    def _over(self) -> None:
        ended, self._ended = self._ended, None
        if ended is not None:
            ended(self)
