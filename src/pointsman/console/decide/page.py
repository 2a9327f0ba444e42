"""The page *Decide*: a conversation with its circumstances in, every stage with its reasons out."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Literal, Protocol

import msgspec

from pointsman.console.rows import Requests, Row, Whole
from pointsman.console.rules.told import Answer, Failed, Job, NearRules, Nears
from pointsman.console.templates import Templates
from pointsman.console.track import WIDTH, track_of
from pointsman.console.visit import Reply, Route, Visit
from pointsman.domain.decision import Decision, Match
from pointsman.domain.errors import PointsmanError
from pointsman.domain.request import Request, Turn
from pointsman.domain.said import Said
from pointsman.domain.task_types import TASK_TYPES

ROLES = ("user", "assistant", "system", "tool")
ABOUT = ("role", "key", "group", "source", "task")
"""Circumstances that have a field of their own."""
FLAGS = ("tools", "structured")
_MOST_TURNS = 50
_LONGEST = 200_000  # characters in all


class Decider(Protocol):
    """What of the gateway decides."""

    @property
    def models(self) -> Sequence[str]:
        """All that a client may name; entries come first."""

    async def decide(self, request: Request, arbiter: bool) -> Decision:
        """Nothing is carried out; with `arbiter`, those who arbitrate are asked. Raises PointsmanError."""


class Piece(msgspec.Struct, frozen=True):
    """Of a text: what a group of the rule matched, or what lies between (`group` "")."""

    text: str
    group: str = ""


class DecidePage:
    """`ask` asks the process that tries rules out."""

    def __init__(
        self, templates: Templates, decider: Decider, requests: Requests, ask: Callable[[Job], Awaitable[Answer]]
    ) -> None:
        self._templates = templates
        self._decider = decider
        self._requests = requests
        self._ask = ask

    def routes(self) -> Iterator[Route]:
        yield Route("GET", "/ui/decide", self.page)
        yield Route("POST", "/ui/decide", self.decided)

    async def page(self, visit: Visit) -> Reply:
        """Empty, or with what a request of the log asked."""
        request = await self._logged(visit.query.get("request", ""))
        if request is None:
            return self._drawn(visit, (Turn("user", visit.query.get("text", "")),), {})
        about = {
            "model": request.model,
            "key": "" if request.caller == "anonymous" else request.caller,
            "role": request.caller_role or "",
            "group": request.caller_group or "",
            "source": request.source or "",
            "task": request.task or "",
            "tools": "on" if request.tools else "",
            "structured": "on" if request.structured else "",
        }
        return self._drawn(visit, request.turns[-_MOST_TURNS:], about)

    async def decided(self, visit: Visit) -> Reply:
        form = visit.form
        turns = _turns(visit)
        if "more" in form:
            return self._drawn(visit, (*turns, Turn("user" if len(turns) % 2 == 0 else "assistant", "")), form)
        said = tuple(turn for turn in turns if turn.text.strip())
        if not said:
            return self._drawn(visit, turns, form)
        request = _request(said, form, self._decider.models)
        began = time.perf_counter()
        try:
            decision = await self._decider.decide(request, "arbiter" in form)
        except PointsmanError as error:
            return self._drawn(visit, turns, form, error=error)
        took = (time.perf_counter() - began) * 1000
        nears = await self._near(request, decision)
        whole = Whole(row_of(request, decision, took), request, decision, (), None)
        return self._drawn(visit, turns, form, whole=whole, nears=nears, took=took)

    async def _logged(self, request_id: str) -> Request | None:
        if not request_id or len(request_id) > 100:
            return None
        whole = await asyncio.to_thread(self._requests.whole, request_id)
        return whole.request if whole else None

    async def _near(self, request: Request, decision: Decision) -> Nears | PointsmanError:
        """A page without it says so."""
        try:
            answer = await self._ask(NearRules(request, decision.rule))
        except PointsmanError as error:
            return error
        if isinstance(answer, Failed):
            return PointsmanError(answer.message.said, status=answer.status)
        assert isinstance(answer, Nears)
        return answer

    def _drawn(
        self,
        visit: Visit,
        turns: Sequence[Turn],
        about: Mapping[str, str],
        *,
        whole: Whole | None = None,
        nears: Nears | PointsmanError | None = None,
        took: float | None = None,
        error: PointsmanError | None = None,
    ) -> Reply:
        decision = whole.decision if whole else None
        return self._templates.page(
            "decide.html",
            visit,
            place="decide",
            status=error.status if error else 200,
            turns=turns or (Turn("user", ""),),
            about=about,
            models=self._decider.models,
            roles=ROLES,
            tasks=TASK_TYPES,
            whole=whole,
            row=whole.row if whole else None,
            request=whole.request if whole else None,
            decision=decision,
            track=track_of(whole) if whole else None,
            width=WIDTH,
            pieces=_pieces(whole),
            near=nears.near if isinstance(nears, Nears) else (),
            looked=nears.rules if isinstance(nears, Nears) else None,
            near_failed=nears.message if isinstance(nears, PointsmanError) else None,
            took=took,
            error=error,
        )


def _pieces(whole: Whole | None) -> Sequence[Piece]:
    if whole is None or whole.request is None or whole.decision is None:
        return ()
    return pieces_of(whole.request.question or "", whole.decision.matched)


def _turns(visit: Visit) -> tuple[Turn, ...]:
    """Raises PointsmanError for too much."""
    roles, texts = visit.lists.get("turn_role", ()), visit.lists.get("turn_text", ())
    if len(texts) > _MOST_TURNS or sum(map(len, texts)) > _LONGEST:
        raise PointsmanError(
            Said("this conversation is too long to be tried here", "这段对话过长，无法在这里试判"),
            status=413,
            code="conversation_too_long",
        )
    return tuple(
        Turn(role if role in ROLES else "user", text.replace("\r\n", "\n"))
        for role, text in zip(roles, texts, strict=False)
    )


def _request(turns: tuple[Turn, ...], form: Mapping[str, str], models: Sequence[str]) -> Request:
    about = {name: form.get(name, "").strip() or None for name in ABOUT}
    task = about["task"]
    return Request(
        "decide",
        "chat",
        form.get("model") or next(iter(models), "auto"),
        turns,
        now=time.time(),
        tools="tools" in form,
        structured="structured" in form,
        task=task if task in TASK_TYPES else None,
        caller=about["key"] or "anonymous",
        caller_role=about["role"],
        caller_group=about["group"],
        source=about["source"],
    )


def row_of(request: Request, decision: Decision, took: float) -> Row:
    """As a list of the log would show it, had it been asked."""
    features = decision.features
    outcome: Literal["refused", "ok"] = "refused" if decision.parameters.get("refused") or decision.error else "ok"
    return Row(
        id="",
        received=request.now,
        endpoint=request.endpoint,
        model=request.model,
        caller=request.caller,
        stage=decision.stage,
        rule=decision.rule,
        action=decision.action,
        outcome=outcome,
        status=200,
        error=decision.error,
        target=decision.targets[0].target if decision.targets else None,
        input_tokens=features.input_tokens if features else None,
        output_tokens=None,
        cached_tokens=None,
        decided_ms=took,
        ttft_ms=None,
        total_ms=None,
        policy=decision.policy,
        snapshot=decision.snapshot,
        under_way=False,
        intent=decision.intent,
        confidence=decision.confidence,
        risk=decision.risk,
    )


def pieces_of(text: str, matched: Sequence[Match]) -> list[Piece]:
    """The text cut at what matched; of two that overlap the first counts."""
    pieces: list[Piece] = []
    at = 0
    for match in sorted(matched, key=lambda each: (each.start, -each.end)):
        if match.start < at or match.end <= match.start or match.end > len(text):
            continue
        if match.start > at:
            pieces.append(Piece(text[at : match.start]))
        pieces.append(Piece(text[match.start : match.end], match.group))
        at = match.end
    if at < len(text):
        pieces.append(Piece(text[at:]))
    return pieces
