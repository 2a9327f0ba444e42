"""Open questions that all workers know: asked by one, answered at another."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from pointsman.app.workers.channel import Channel, ChannelError
from pointsman.app.workers.messages import Change
from pointsman.domain.request import Request
from pointsman.pipeline.ends import Exchange, Sink
from pointsman.pipeline.handle import Run
from pointsman.pipeline.open_questions import OpenQuestion, OpenQuestions, Session
from pointsman.pipeline.pipeline import Pipeline
from pointsman.pipeline.request_passage import RequestPassage

PATIENCE = 2.0  # seconds that a reply waits until all workers know


class SharedQuestions(OpenQuestions):
    """What changes here is told to the others at once; `settled` returns when they know."""

    def __init__(self, channel: Channel) -> None:
        super().__init__()
        self._channel = channel
        self._telling: dict[asyncio.Task[None], Session] = {}

    def take(self, session: Session) -> OpenQuestion | None:
        question = super().take(session)
        if question is not None:
            self._tell(session, None)
        return question

    def keep(self, session: Session, question: OpenQuestion) -> None:
        super().keep(session, question)
        self._tell(session, question)

    def take_in(self, change: Change) -> None:
        """Another worker's change. One that this worker is telling of the same session is the later one: the hub passes
        changes on one after the other."""
        if change.session in self._telling.values():
            return
        if change.question is None:
            super().take(change.session)
        else:
            super().keep(change.session, change.question)

    @property
    def settling(self) -> bool:
        """Whether others may not know yet what changed here."""
        return bool(self._telling)

    async def settled(self) -> None:
        if self._telling:
            await asyncio.wait(list(self._telling), timeout=PATIENCE)

    def _tell(self, session: Session, question: OpenQuestion | None) -> None:
        task = asyncio.ensure_future(self._tell_hub(Change(session, question)))
        self._telling[task] = session
        task.add_done_callback(self._telling.pop)

    async def _tell_hub(self, change: Change) -> None:
        with contextlib.suppress(ChannelError):  # the hub is gone, and this process will be
            await self._channel.ask(change)


class SharedPipeline(Pipeline):
    """No reply goes out before all workers know what it changes: the client's next message may meet any of them."""

    questions: SharedQuestions

    def __init__(self, questions: SharedQuestions, *parts: Any) -> None:
        super().__init__(*parts)
        self.questions = questions

    def _run(self, request: Request, passage: RequestPassage | None) -> Run:
        return _SharedRun(self, request, passage)


class _SharedRun(Run):
    def __init__(self, pipeline: SharedPipeline, request: Request, passage: RequestPassage | None) -> None:
        super().__init__(pipeline, request, passage)
        self._questions = pipeline.questions

    @property
    def text(self) -> str | None:
        asks = self.decision.clarification is not None and self.request.session is not None
        return None if asks or self._questions.settling else super().text

    async def carry_out(self, exchange: Exchange, sink: Sink) -> str | None:
        try:
            await self._questions.settled()
        except asyncio.CancelledError:
            self._record()
            raise
        text = await super().carry_out(exchange, sink)
        await self._questions.settled()
        return text
