"""Reads the question here, purely, and has the tree computed in a child process."""

from __future__ import annotations

from typing import Any

from pointsman.actions.child import Work, limits_of
from pointsman.actions.files import published
from pointsman.actions.maths.job import MathsResult, MathsTask
from pointsman.actions.maths.told import text_of, values_of
from pointsman.actions.tools import Tools
from pointsman.calculation import NotUnderstood, Problem, read
from pointsman.calculation.limits import TooLarge, check
from pointsman.config.action_schema import ActionConfig
from pointsman.domain.action import QUESTION, ActionSpec
from pointsman.domain.said import Tongue, said
from pointsman.ports.action import ActionFailed, Effect, MadeFile, Occasion

WORK = Work(
    "pointsman.actions.maths.child:calculate", MathsTask, MathsResult, extra="pointsman[maths]", warm=True, forks=True
)
_PICTURE_SIZE = 4 << 20  # bytes
_MIDDLE = 256 << 20  # bytes of address space that the libraries take before a task begins


def made(spec: ActionSpec, config: ActionConfig, tools: Tools) -> MathsAction:
    assert config.maths is not None
    return MathsAction(spec, tools, steps=config.maths.steps, picture=config.maths.picture)


class MathsAction:
    def __init__(self, spec: ActionSpec, tools: Tools, *, steps: bool, picture: bool) -> None:
        self._spec = spec
        self._tools = tools
        self._steps = steps
        self._picture = picture

    @property
    def spec(self) -> ActionSpec:
        return self._spec

    def check(self, parameters: dict[str, Any]) -> None:
        """All that can be told before is in the schema."""

    async def run(self, parameters: dict[str, Any], occasion: Occasion) -> Effect:
        """Raises ActionFailed: refused for what is not understood whole, or too large."""
        problem = understood(str(parameters[QUESTION]))
        tongue: Tongue = parameters.get("language") or occasion.tongue
        task = MathsTask(problem, tongue, steps=self._steps, picture=self._picture)
        spec = self._spec
        limits = limits_of(spec, memory=spec.memory + _MIDDLE, file_size=_PICTURE_SIZE, answer=spec.output * 2)
        files: tuple[MadeFile, ...] = ()
        link = None
        async with self._tools.children.folder() as folder:
            result = await self._tools.children.run(WORK, task, folder, limits)
            if result.picture is not None:
                path = folder / result.picture
                file = await published(path, result.picture, "image/svg+xml", self._tools)
                files, link = (file,), self._tools.link(file, occasion)
        return Effect(text_of(result, tongue, link), values=values_of(result), files=files)


def understood(question: str) -> Problem:
    """What is asked, within the limits. Raises ActionFailed."""
    try:
        problem = read(question)
    except NotUnderstood as error:
        en = "I could not read this as a calculation: {why}. Nothing was computed."
        zh = "没有完全看懂这个计算：{why}。因此没有计算。"
        raise ActionFailed("not_understood", said(en, zh, why=error.message), refused=True) from None
    try:
        check(problem)
    except TooLarge as error:
        en, zh = "This is too large to compute. {why}", "这个计算太大，没有进行。{why}"
        raise ActionFailed("too_large", said(en, zh, why=error.message), refused=True) from None
    return problem
