"""A kept request, served as if it had just come, with nobody at the other end."""

from __future__ import annotations

from pointsman.http.exchange import Client
from pointsman.http.gateway import Gateway, failed
from pointsman.http.jobs.kept import KeptReply, KeptRequest
from pointsman.pipeline.request_passage import RequestPassage
from pointsman.ports.job_store import Fenced, StoreError

_OF_THE_CONNECTION = (b"connection", b"content-length", b"transfer-encoding")


class _Nobody:
    """Takes what is written, and is never in a hurry."""

    choked = False
    peer = ""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []

    def write(self, data: bytes) -> None:
        self.pieces.append(data)

    async def drained(self) -> None:
        """There always is room."""

    def done(self) -> None:
        """Nothing comes after it."""

    def hold(self) -> None:
        """Its body is here already."""

    def resume(self) -> None:
        """Nothing was held."""


async def serve_inside(gateway: Gateway, kept: KeptRequest, passage: RequestPassage | None) -> KeptReply:
    """Its reply, errors among them. Being cancelled ends it as a hang-up would. Raises what the steps of `passage` do."""
    doors = gateway.doors
    wire = _Nobody()
    client = Client(
        wire,
        "POST",
        kept.path,
        {**dict(kept.headers), b"content-type": b"application/json"},
        kept.request_id,
        loopback=kept.loopback,
        keep_alive=False,
        old=True,
        limit=max(doors.max_body, len(kept.body)),
        language=doors.language,
    )
    client.received = kept.received
    client.caller = kept.caller
    client.passage = passage
    client.feed(kept.body)
    try:
        rest = doors.posts[kept.path](client, kept.body)
        if rest is not None:
            await rest
    except (Fenced, StoreError):
        raise
    except Exception as error:
        failed(client, error)
    return _reply(b"".join(wire.pieces))


def _reply(data: bytes) -> KeptReply:
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.split(b"\r\n")
    pairs = (line.partition(b": ")[::2] for line in lines)
    headers = tuple((name, value) for name, value in pairs if name not in _OF_THE_CONNECTION)
    return KeptReply(int(first.split(b" ", 2)[1]), headers, body)
