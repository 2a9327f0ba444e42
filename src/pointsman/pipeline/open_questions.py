"""Questions that the gateway asked in a session whose client sends no history: kept for a while, until the next message."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator

import msgspec

from pointsman.domain.request import Request, Turn

LIFE = 900.0  # seconds
MOST = 10_000

Session = tuple[str, str]
"""Caller and session."""


class OpenQuestion(msgspec.Struct, frozen=True):
    """`turns` led to the question and end with it; `expires` is in seconds since the epoch."""

    expires: float
    turns: tuple[Turn, ...]


class OpenQuestions:
    """By caller and session. A message takes the question with it, whatever it says: changing the subject drops it. What
    changes goes through `keep` and `take`, for those who have to tell others."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Session, OpenQuestion] = OrderedDict()

    def recall(self, request: Request) -> Request:
        """The request with the turns that led to the question before it; itself where there is none, or where the client
        sends its history."""
        if not request.session or any(turn.role == "assistant" for turn in request.turns):
            return request
        question = self.take((request.caller, request.session))
        if question is None or question.expires < request.now:
            return request
        return msgspec.structs.replace(request, turns=(*question.turns, *request.turns))

    def remember(self, request: Request, question: str) -> None:
        """`request` as it was decided on, and the question that it got."""
        if request.session:
            turns = (*request.turns, Turn("assistant", question))
            self.keep((request.caller, request.session), OpenQuestion(request.now + LIFE, turns))

    def take(self, session: Session) -> OpenQuestion | None:
        """The session's question, which is open no more."""
        return self._kept.pop(session, None)

    def keep(self, session: Session, question: OpenQuestion) -> None:
        self._kept[session] = question
        self._kept.move_to_end(session)
        while len(self._kept) > MOST:
            self._kept.popitem(last=False)

    def __iter__(self) -> Iterator[tuple[Session, OpenQuestion]]:
        """The oldest first."""
        return iter(list(self._kept.items()))
