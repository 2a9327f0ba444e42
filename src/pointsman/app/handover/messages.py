"""What two gateways say to each other while one takes the other's place. They may be of different versions: what one does
not know of a message it passes over."""

from __future__ import annotations

import msgspec

from pointsman.pipeline.open_questions import OpenQuestion, Session

Questions = list[tuple[Session, OpenQuestion]]


# The old one says


class Offer(msgspec.Struct, frozen=True, tag=True):
    """The first word; the listening socket comes with it. `ready`: a target is up here. `engines`: bytes of main memory that
    the models take which this gateway runs itself. `passed`: the socket is the service manager's, who says where it
    listens."""

    version: str
    pid: int
    ready: bool
    engines: int
    passed: bool = False


class Busy(msgspec.Struct, frozen=True, tag=True):
    """The first and last word: another process, `pid`, is taking its place."""

    pid: int


class Leaving(msgspec.Struct, frozen=True, tag=True):
    """It takes no more connections. Questions that it asked and that are not answered yet; once more, with others, when what
    was under way has ended."""

    questions: Questions


class Gone(msgspec.Struct, frozen=True, tag=True):
    """What it ran is ended: there is room. It comes back where the other one does not say Up."""

    questions: Questions


# The new one says


class MakeRoom(msgspec.Struct, frozen=True, tag=True):
    """There is no room for both at a time. The answer is Gone."""


class Up(msgspec.Struct, frozen=True, tag=True):
    """It takes connections. The answer is Leaving, where Gone was none."""


Message = Offer | Busy | Leaving | Gone | MakeRoom | Up
