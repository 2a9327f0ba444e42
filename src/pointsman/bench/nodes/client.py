"""Who asks: at the moments of a plan, or as many at a time as there are places."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence

import msgspec

from pointsman.bench.nodes.work import Work
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import said


class Served(msgspec.Struct, frozen=True):
    """`wait` from when it was sent until a node began to work on it, `took` until the reply was there, in seconds."""

    work: Work
    wait: float
    took: float


async def at_their_times(work: Sequence[Work], port_of: Callable[[int], int]) -> list[Served]:
    """Each at its own time, whatever became of those before it. Raises PointsmanError where one is not served."""
    began = time.monotonic()
    tasks = []
    for each in work:
        await asyncio.sleep(max(began + each.at - time.monotonic(), 0.0))
        tasks.append(asyncio.create_task(_ask(port_of(each.number), each)))
    return await asyncio.gather(*tasks)


async def as_many_as_fit(
    work: Iterator[Work], port_of: Callable[[int], int], places: int, seconds: float
) -> tuple[list[Served], float]:
    """`places` at a time, for so many seconds; what was served in them, and how long that was."""
    began = time.monotonic()
    served: list[Served] = []

    async def one_after_another() -> None:
        while time.monotonic() - began < seconds:
            each = next(work)
            done = await _ask(port_of(each.number), each)
            if time.monotonic() - began < seconds:
                served.append(done)

    async with asyncio.TaskGroup() as group:
        for _ in range(places):
            group.create_task(one_after_another())
    return served, seconds


async def _ask(port: int, work: Work) -> Served:
    content = f"request {work.number}: work {work.seconds:.6f}"
    body = msgspec.json.encode({"model": "medium", "messages": [{"role": "user", "content": content}], "max_tokens": 8})
    sent = time.monotonic()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        writer.write(f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body)
        answered = (await reader.readuntil(b"\r\n\r\n")).lower()
        length = int(answered.partition(b"content-length:")[2].partition(b"\r\n")[0] or 0)
        data = await reader.readexactly(length)
    except (OSError, asyncio.IncompleteReadError, ValueError) as error:
        raise PointsmanError(said(*_UNSERVED, number=work.number, why=error)) from None
    finally:
        writer.close()
    if not answered.startswith(b"http/1.1 200"):
        raise PointsmanError(said(*_UNSERVED, number=work.number, why=data[:300].decode("utf-8", "replace")))
    began = float(msgspec.json.decode(data)["choices"][0]["message"]["content"])
    return Served(work, began - sent, time.monotonic() - sent)


_UNSERVED = ("request {number} was not served: {why}", "请求 {number} 没有得到回复：{why}")
