"""Sessions that ended with a rule's reply, though sessions of the same caller usually go on."""

from __future__ import annotations

IDLE = 1800.0
"""Seconds without a request after which a session has ended."""
GOES_ON = 0.8
"""Of the replies that models gave a caller, so many must have been followed by another request; only then does an end
say anything."""
ENOUGH = 20
"""Replies of models by which that is told."""


class _Session:
    __slots__ = ("caller", "last", "request_id", "rule")

    def __init__(self, caller: str) -> None:
        self.caller = caller
        self.last = 0.0
        self.rule: str | None = None
        self.request_id = ""


class Sessions:
    """Requests must come in the order of time, roughly. `traced`: the rule of which the ids are kept."""

    def __init__(self, traced: str | None) -> None:
        self._open: dict[tuple[str, str], _Session] = {}
        self._sweep_at = 0.0
        self._models: dict[str, list[int]] = {}  # caller → [replies of models, ended after one]
        self._rules: dict[tuple[str, str], list[int]] = {}  # (rule, caller) → the same of a rule
        self._traced = traced
        self._ids: dict[str, list[str]] = {}
        self.count = 0

    def add(self, caller: str, session: str, received: float, rule: str | None, request_id: str) -> None:
        """`rule` is the one that replied, None where a model did."""
        if received >= self._sweep_at:
            self._sweep_at = received + IDLE / 4
            self._close(received - IDLE)
        found = self._open.get((caller, session))
        if found is None:
            found = self._open[(caller, session)] = _Session(caller)
            self.count += 1
        elif found.last + IDLE < received:
            self._end(found)
            self.count += 1
        else:
            self._figures(found)[0] += 1
        found.last, found.rule, found.request_id = received, rule, request_id

    def finish(self, now: float) -> None:
        """Those that may still go on say nothing."""
        self._close(now - IDLE)

    def abandoned(self, rule: str) -> tuple[int, list[str]]:
        """(how many of its replies ended a session of a caller whose sessions usually go on, the ids where kept)."""
        callers = [
            caller
            for caller, (replies, ended) in self._models.items()
            if replies >= ENOUGH and replies - ended >= GOES_ON * replies
        ]
        count = sum(self._rules.get((rule, caller), (0, 0))[1] for caller in callers)
        ids = [one for caller in callers for one in self._ids.get(caller, ())] if rule == self._traced else []
        return count, ids

    def _figures(self, session: _Session) -> list[int]:
        if session.rule is None:
            return self._models.setdefault(session.caller, [0, 0])
        return self._rules.setdefault((session.rule, session.caller), [0, 0])

    def _close(self, before: float) -> None:
        for key in [key for key, session in self._open.items() if session.last < before]:
            self._end(self._open.pop(key))

    def _end(self, session: _Session) -> None:
        figures = self._figures(session)
        figures[0] += 1
        figures[1] += 1
        if session.rule is not None and session.rule == self._traced:
            self._ids.setdefault(session.caller, []).append(session.request_id)
