"""Is anybody there? Asked of a machine's kernel, whatever its engine is busy with."""

from __future__ import annotations

import asyncio
import errno

from pointsman.backends.http.origin import Origin

_SILENCE = frozenset((errno.EHOSTUNREACH, errno.EHOSTDOWN, errno.ENETUNREACH, errno.ETIMEDOUT))


class Heard:
    """When anything last came in from an origin, in the loop's time."""

    __slots__ = ("at",)

    def __init__(self) -> None:
        self.at = float("-inf")


async def knock(origin: Origin, seconds: float) -> bool:
    """Whether a new connection is accepted there, or refused: either is a word of its kernel's. False: silence for so many
    seconds, or no way there. What says nothing about the machine (a name that is not found) is no silence."""
    if origin.socket is not None:
        return True
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(seconds):
            transport, _ = await loop.create_connection(asyncio.Protocol, origin.host, origin.port)
            transport.abort()
    except TimeoutError:
        return False
    except OSError as error:
        return error.errno not in _SILENCE
    return True
