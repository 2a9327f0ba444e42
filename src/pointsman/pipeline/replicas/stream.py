"""A response of a node, which counts as a request there until it is over."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

from pointsman.ports.backend import Stream


class NodeStream:
    """`ended` is called once, however it ends. `node` is the name of the one that serves it."""

    def __init__(self, stream: Stream, node: str, ended: Callable[[], None]) -> None:
        self.node = node
        self._stream = stream
        self._ended: Callable[[], None] | None = ended

    @property
    def status(self) -> int:
        return self._stream.status

    @property
    def headers(self) -> Sequence[tuple[str, str]]:
        return self._stream.headers

    def header(self, name: str) -> str | None:
        return self._stream.header(name)

    async def chunks(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream.chunks():
            yield chunk

    async def pour(self, sink: Callable[[bytes], bool], room: Callable[[], Awaitable[None]]) -> None:
        try:
            await self._stream.pour(sink, room)
        finally:
            self._over()

    async def read(self, limit: int = 32 << 20) -> bytes:
        try:
            return await self._stream.read(limit)
        finally:
            self._over()

    def close(self) -> None:
        self._stream.close()
        self._over()

    def _over(self) -> None:
        ended, self._ended = self._ended, None
        if ended is not None:
            ended()
