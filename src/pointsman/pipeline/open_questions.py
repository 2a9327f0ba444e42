"""Questions that the gateway asked in a session whose client sends no history: kept for a while, until the next message."""

from __future__ import annotations

from collections import OrderedDict

import msgspec

from pointsman.domain.request import Request, Turn

LIFE = 900.0  # seconds
MOST = 10_000


class OpenQuestions:
    """By caller and session. A message takes the question with it, whatever it says: changing the subject drops it."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str], tuple[float, tuple[Turn, ...]]] = OrderedDict()

    def recall(self, request: Request) -> Request:
        """The request with the turns that led to the question before it; itself where there is none, or where the client
        sends its history."""
        if not request.session or any(turn.role == "assistant" for turn in request.turns):
            return request
        expires, turns = self._kept.pop((request.caller, request.session), (0.0, ()))
        if expires < request.now:
            return request
        return msgspec.structs.replace(request, turns=(*turns, *request.turns))

    def remember(self, request: Request, question: str) -> None:
        """`request` as it was decided on, and the question that it got."""
        if request.session:
            key = (request.caller, request.session)
            self._kept[key] = (request.now + LIFE, (*request.turns, Turn("assistant", question)))
            self._kept.move_to_end(key)
            while len(self._kept) > MOST:
                self._kept.popitem(last=False)
