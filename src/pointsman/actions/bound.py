"""An action within its limits: checked parameters, bounded time and output, one effect, failures in words."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import msgspec

from pointsman.actions.gpu_turns import GpuTurns
from pointsman.actions.once import Once
from pointsman.actions.parameters import Checker
from pointsman.domain.action import ActionSpec
from pointsman.domain.attempt import Outcome
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, said, told
from pointsman.ports.action import Action, ActionFailed, Effect, Occasion
from pointsman.ports.file_store import FileStoreError

log = logging.getLogger("pointsman")
GRACE = 60.0
"""Seconds that an action has over its own time: to wait for its turn and for the start of a process, and to end by itself,
as children and calls do."""
_FAILED = Said("action %s failed: %s %s", "动作 %s 未能完成：%s %s")
_NOT_KEPT = Said(
    "It was done, but a file could not be stored. Please try again in a moment.",
    "已经完成，但文件无法保存。请稍后重试。",
)
_CUT = Said("\n… (cut off: too long)", "\n……（过长，已截断）")


class Bound:
    """`ports.Action` around the `inner` one, which may leave its parameters unchecked. `gpu` says whose turn it is on the
    GPU; None: nobody waits for it."""

    def __init__(self, inner: Action, once: Once, gpu: GpuTurns | None = None) -> None:
        self._inner = inner
        self._gpu = gpu
        self._once = once
        self._checker = Checker(inner.spec)

    @property
    def spec(self) -> ActionSpec:
        return self._inner.spec

    def check(self, parameters: dict[str, Any]) -> None:
        self._checker.check(parameters)
        self._inner.check(parameters)

    async def run(self, parameters: dict[str, Any], occasion: Occasion) -> Effect:
        """Parameters that the action does not take are a failed effect: they came from a rule or a step."""
        try:
            return await self._once.run(occasion.effect, lambda: self._made(parameters, occasion))
        except ActionFailed as failure:
            log.warning(_FAILED, self.spec.name, failure.code, failure.detail or failure.message)
            if occasion.effect is not None and failure.again:
                raise
            outcome: Outcome = "refused" if failure.refused else "failed"
            return Effect(told(failure.message, occasion.tongue), outcome, failure.code)
        except FileStoreError as error:
            if occasion.effect is not None:
                raise
            log.warning(_FAILED, self.spec.name, "store", error)
            return Effect(told(_NOT_KEPT, occasion.tongue), "failed", "file_store")

    async def _made(self, parameters: dict[str, Any], occasion: Occasion) -> Effect:
        spec = self.spec
        try:
            self.check(parameters)
        except PointsmanError as error:
            raise ActionFailed(error.code, error.message, refused=True) from None
        if self._gpu is None:
            return await self._in_time(parameters, occasion)
        megabytes = spec.gpu_memory if occasion.gpu_memory is None else occasion.gpu_memory
        async with self._gpu.hold(spec.name, megabytes, occasion.user or occasion.caller, spec.seconds + 2 * GRACE):
            return await self._in_time(parameters, occasion)

    async def _in_time(self, parameters: dict[str, Any], occasion: Occasion) -> Effect:
        spec = self.spec
        try:
            async with asyncio.timeout(spec.seconds + GRACE):
                effect = await self._inner.run(parameters, occasion)
        except TimeoutError:
            en, zh = "{name} was not finished within {seconds:g} s.", "{name} 在 {seconds:g} 秒内没有完成。"
            raise ActionFailed("timeout", said(en, zh, name=spec.name, seconds=spec.seconds)) from None
        return within(effect, spec.output, occasion)


def within(effect: Effect, most: int, occasion: Occasion) -> Effect:
    """Its text cut to `most` bytes of UTF-8. Raises ActionFailed where its values alone are more."""
    values = len(msgspec.json.encode(effect.values, enc_hook=str)) if effect.values else 0
    if values > most:
        en, zh = (
            "It gave {size:,} bytes, more than the {most:,} that are taken.",
            "结果有 {size:,} 字节，超过上限 {most:,}。",
        )
        raise ActionFailed("too_large", said(en, zh, size=values, most=most))
    text = effect.text.encode("utf-8", "replace")
    if len(text) <= most:
        return effect
    cut = text[:most].decode("utf-8", "ignore") + told(_CUT, occasion.tongue)
    return msgspec.structs.replace(effect, text=cut)
