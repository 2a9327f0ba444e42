"""A file comes in, is looked at, and something else is made of it."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import msgspec

from pointsman.actions.child.failures import timed_out
from pointsman.actions.files import fetched, published
from pointsman.actions.handed import download, picture, shown_name, stem_of
from pointsman.actions.media import refusals, words
from pointsman.actions.media.content import NotMedia, content_of
from pointsman.actions.media.facts import shown_facts
from pointsman.actions.media.ffmpeg import Bounds, Ffmpeg, Source
from pointsman.actions.media.plan import Plan, plan_of
from pointsman.actions.media.wish import wish_of
from pointsman.actions.tools import Tools
from pointsman.config.action_schema import ActionConfig
from pointsman.config.action_schema.media import Media
from pointsman.config.schema import parse_size, parse_span
from pointsman.domain.action import ActionSpec
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, told
from pointsman.ports.action import Action, ActionFailed, Effect, Occasion


def made(spec: ActionSpec, config: ActionConfig, tools: Tools) -> Action:
    assert config.media is not None
    return MediaAction(spec, config.media, tools)


class MediaAction:
    def __init__(self, spec: ActionSpec, media: Media, tools: Tools) -> None:
        self._spec = spec
        self._media = media
        self._tools = tools
        self._bounds = Bounds(
            file=parse_size(media.max_file),
            seconds=parse_span(media.max_duration),
            pixels=media.max_pixels,
            streams=media.max_streams,
            output=parse_size(media.max_output),
            memory=spec.memory,
            threads=media.threads or spec.cores or tools.children.cores,
            cpu_seconds=spec.cpu_seconds,
        )
        self._ffmpeg = Ffmpeg(tools.children, media.programs, self._bounds)

    @property
    def spec(self) -> ActionSpec:
        return self._spec

    def check(self, parameters: dict[str, Any]) -> None:
        try:
            wish_of(self._media.do, parameters, self._media.format)
        except ActionFailed as failure:
            raise PointsmanError(failure.message, code=failure.code) from None

    async def run(self, parameters: dict[str, Any], occasion: Occasion) -> Effect:
        """The text says what was found and what was made, with a link; values have the facts of both."""
        try:
            return await self._made(parameters, occasion)
        except ActionFailed as failure:
            if failure.code == "timeout":  # of one program, which had what was left of the time
                raise timed_out(self._spec.seconds) from None
            raise

    async def _made(self, parameters: dict[str, Any], occasion: Occasion) -> Effect:
        end = time.monotonic() + self._spec.seconds
        wish = wish_of(self._media.do, parameters, self._media.format)
        async with self._tools.children.folder() as folder:
            source = await self._source(str(parameters["file"]), occasion, folder)
            facts = await self._ffmpeg.probe(source, folder, end - time.monotonic())
            encoders = await self._ffmpeg.encoders(folder, end - time.monotonic())
            plan = plan_of(wish, facts, encoders, self._bounds.threads)
            result = await self._carried_out(source, plan, folder, end, occasion)
            there = Source(result, plan.format.demuxer, plan.format.name)
            made = await self._ffmpeg.probe(there, folder, end - time.monotonic())
            if made.seconds is not None and made.seconds > self._bounds.seconds + 1:
                raise refusals.too_long(source.name, made.seconds, self._bounds.seconds)
            name = f"{stem_of(source.name)}{'-cut' if wish.do == 'trim' else ''}.{plan.format.name}"
            file = await published(result, name, plan.format.media_type, self._tools)
        early = (
            plan.seconds is not None
            and not plan.estimated
            and made.seconds is not None
            and _breaks_off(made.seconds, plan.seconds)
        )
        lines: list[Said] = [words.found(source.name, facts), words.made(made, plan.format.name, copied=plan.copied)]
        if plan.short:
            lines.append(words.SHORT)
        if early:
            assert made.seconds is not None and plan.seconds is not None
            lines.append(words.early(made.seconds, plan.seconds))
        lines.append(download(file, occasion, self._tools))
        text = "\n".join(told(line, occasion.tongue) for line in lines)
        if plan.format.still:
            text += f"\n\n{picture(file, occasion, self._tools, name)}"
        values = {
            "file": {"name": source.name, **shown_facts(facts)},
            "made": {"name": name, "format": plan.format.name, **shown_facts(made)},
            "copied": plan.copied,
            "complete": not early,
            "url": self._tools.link(file, occasion),
        }
        return Effect(text, values=values, files=(file,))

    async def _source(self, ref: str, occasion: Occasion, folder: Path) -> Source:
        """The file in the task's folder, where its content is of a kind that is read."""
        file = await fetched(ref, occasion, self._tools, folder, self._bounds.file)
        name = shown_name(file.name.replace("\\", "/").rpartition("/")[2]) or "file"
        container = await asyncio.to_thread(content_of, file.path)
        if isinstance(container, NotMedia):
            raise refusals.not_media(name, container)
        return Source(file.path, container, name)

    async def _carried_out(self, source: Source, plan: Plan, folder: Path, end: float, occasion: Occasion) -> Path:
        whole = plan.seconds or 0.0

        async def progress(seconds: float) -> None:
            if whole:
                await occasion.tell(min(round(seconds * 10), round(whole * 10)), round(whole * 10))

        if (plan.seconds is None or plan.estimated) and not plan.format.still and "-t" not in plan.before:
            plan = msgspec.structs.replace(plan, before=("-t", f"{self._bounds.seconds + 2:.0f}", *plan.before))
        for attempt in _attempts(plan):
            result = await self._ffmpeg.make(source, attempt, folder, end - time.monotonic(), progress)
            if result is not None:
                return result
        raise refusals.damaged(source.name, "ffmpeg made nothing of it")


def _attempts(plan: Plan) -> list[Plan]:
    """A picture of a moment behind the last frame is one of the last second, or of the start."""
    if not plan.format.still or plan.before[:1] != ("-ss",):
        return [plan]
    earlier = max(float(plan.before[1]) - 1, 0)
    return [
        plan,
        msgspec.structs.replace(plan, before=("-ss", f"{earlier:.3f}")),
        msgspec.structs.replace(plan, before=()),
    ]


def _breaks_off(there: float, wanted: float) -> bool:
    return there < wanted * 0.9 and wanted - there > 1
