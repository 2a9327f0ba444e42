"""`ports.Arbiter` without a language model: heads over an embedding and over pieces of spelling.

Training gives heads and a first calibration together (from scores of each example by heads that did not see it); both lie in
one file in the folder, by the hash of all that they were made from. `pointsman calibrate` writes a calibration beside it
that takes the first one's place from the next start on; `Heard.model` names both."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from pointsman.arbiter.calibration import confidence
from pointsman.arbiter.cut import MOST_TOKENS, cut
from pointsman.domain.intent import Failure, Heard, Intent, Query
from pointsman.domain.said import said
from pointsman.ports.action import ActionFailed
from pointsman.ports.embed import Embed, Vector

if TYPE_CHECKING:
    from pointsman.arbiters.fitted import Fitted  # needs numpy, which comes with the extra `embed`

log = logging.getLogger("pointsman")
_WARM = 120.0
"""Seconds between questions that keep the embedding model in memory: loading it takes longer than hearing may."""
_AGAIN = 60.0
"""Seconds after which training that failed is tried once more, when somebody asks."""


def embedded(intents: Sequence[Intent], embed: Embed, folder: Path, outside: Sequence[str] = ()) -> EmbeddedArbiter:
    """`outside`: texts that are none of the intents. `folder` is the arbiter's own in the data folder. Nothing runs until
    `start`, or until somebody asks."""
    return EmbeddedArbiter(tuple(intents), embed, folder, tuple(outside))


class EmbeddedArbiter:
    """For one event loop."""

    name = "embedded"

    def __init__(self, intents: tuple[Intent, ...], embed: Embed, folder: Path, outside: tuple[str, ...] = ()) -> None:
        self._intents = intents
        self._outside = outside
        self._embed = embed
        self._folder = folder
        self._training: asyncio.Task[None] | None = None
        self._warming: asyncio.Task[None] | None = None
        self._tried = 0.0
        self._closed = False
        self.fitted: Fitted | None = None

    async def start(self) -> None:
        """Waits for the heads, as long as it takes. Where they cannot be had, the log says why."""
        self._begin()
        if self._training is not None:
            await asyncio.shield(self._training)

    async def ready(self) -> bool:
        return self.fitted is not None and not self._closed

    async def hear(self, query: Query) -> Heard:
        began = time.perf_counter()
        text, left_out = cut(query.text)
        fitted = self.fitted
        if fitted is None or self._closed:
            self._begin()
            return self._failed("unavailable", began, left_out)
        vector: Vector | None = None
        if fitted.embeds:
            try:
                [vector] = await self._embed([text or "."], query=True, tokens=MOST_TOKENS)
            except ActionFailed:
                return self._failed("unavailable", began, left_out)
        if fitted.is_large:
            scores, outside = await asyncio.to_thread(fitted.figures, text, vector)
        else:
            scores, outside = fitted.figures(text, vector)
        first = Heard(arbiter=self.name, model=fitted.model, scores=scores, outside=outside, cut=left_out)
        intent, sure = confidence(first, fitted.calibration)
        took = (time.perf_counter() - began) * 1000
        return msgspec.structs.replace(first, intent=intent, confidence=sure, took_ms=round(took, 3))

    async def aclose(self) -> None:
        self._closed = True
        tasks = [task for task in (self._training, self._warming) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _begin(self) -> None:
        now = time.monotonic()
        idle = self._training is None or self._training.done()
        if self._closed or self.fitted is not None or not idle or not self._intents:
            return
        if self._training is not None and now - self._tried < _AGAIN:
            return
        self._tried = now
        self._training = asyncio.create_task(self._train())

    async def _train(self) -> None:
        try:
            from pointsman.arbiters.fitted import fitted
            from pointsman.arbiters.learning import NotTrained
        except ImportError as error:
            en, zh = (
                "the embedded arbiter needs {name}: pip install 'pointsman[embed]'",
                "内置仲裁器需要 {name}：pip install 'pointsman[embed]'",
            )
            log.error(said(en, zh, name=error.name or "numpy"))
            return
        began = time.perf_counter()
        texts = sum(len(intent.examples) for intent in self._intents)
        said_of = {"intents": len(self._intents), "texts": texts}
        log.info(
            said(
                "the arbiter is being made ready: {intents} intents, {texts} examples; until then requests go on without it",
                "仲裁器正在准备：{intents} 个意图，{texts} 条例句；在此之前请求不经过它",
                **said_of,
            )
        )
        try:
            self.fitted = await fitted(self._intents, self._embed, self._folder, self._outside)
            took = time.perf_counter() - began
            log.info(said("the arbiter is ready ({took:.1f} s)", "仲裁器已就绪（{took:.1f} 秒）", took=took))
        except (NotTrained, ActionFailed, OSError) as error:
            why = type(error).__name__ if isinstance(error, ActionFailed) else str(error)
            log.error(said("the arbiter could not be trained: {why}", "仲裁器训练失败：{why}", why=why))
            return
        if self.fitted.embeds:
            self._warming = asyncio.create_task(self._keep_warm())
        else:
            log.warning(
                said(
                    "no embedding model is installed: the arbiter goes by spelling alone (pip install 'pointsman[embed]')",
                    "没有安装向量模型，仲裁器只看字面（安装：pip install 'pointsman[embed]'）",
                )
            )

    async def _keep_warm(self) -> None:
        while True:
            with contextlib.suppress(ActionFailed):
                await self._embed(["."], query=True, tokens=MOST_TOKENS)
            await asyncio.sleep(_WARM)

    def _failed(self, why: Failure, began: float, left_out: bool) -> Heard:
        took = round((time.perf_counter() - began) * 1000, 3)
        model = self.fitted.model if self.fitted else ""
        return Heard(arbiter=self.name, model=model, failure=why, cut=left_out, took_ms=took)
