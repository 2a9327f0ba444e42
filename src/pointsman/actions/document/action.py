"""A file read in a child, and what the person is told of it."""

from __future__ import annotations

from typing import Any

import msgspec

from pointsman.actions.child import Work, limits_of
from pointsman.actions.document.choice import chosen
from pointsman.actions.document.task import Page, Read, Reading, Unit
from pointsman.actions.files import fetched
from pointsman.actions.tools import Tools
from pointsman.config.action_schema import ActionConfig
from pointsman.config.action_schema.document import Document
from pointsman.config.schema import parse_size
from pointsman.domain.action import ActionSpec
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, Tongue, said, told
from pointsman.ports.action import Action, Effect, Occasion

READ = Work("pointsman.actions.document.child:read", Reading, Read, extra="pointsman[document]", warm=True, forks=True)
_MARKS: dict[Unit, Said] = {
    "page": Said("— page {number} —", "— 第 {number} 页 —"),
    "sheet": Said("— sheet {number}: {name} —", "— 工作表 {number}：{name} —"),
    "slide": Said("— slide {number} —", "— 第 {number} 张幻灯片 —"),
}
_PICTURES = Said(
    "No text, only pictures (text in pictures is not read): pages {pages}.",
    "没有文字、只有图片的页（不识别图片中的文字）：第 {pages} 页。",
)
_CUT = Said("The text was cut off after {most:,} characters.", "文字过长，只保留了前 {most:,} 个字符。")
_NOTHING = Said("The file holds no text.", "文件里没有文字。")
_WRONG_PAGES = Said(
    "{name}: parameters.pages must be pages as in 1-3,7, not {pages!r}",
    "{name}：parameters.pages 应为页码，如 1-3,7，而不是 {pages!r}",
)


def made(spec: ActionSpec, config: ActionConfig, tools: Tools) -> Action:
    return DocumentAction(spec, config.document or Document(), tools)


class DocumentAction:
    """`values`: `kind`, `unit`, `count`, `pages` ({page, text, name}), `tables` ({page, rows}), `pictures` (pages without
    text), `notes`, `cut`, `characters`."""

    def __init__(self, spec: ActionSpec, settings: Document, tools: Tools) -> None:
        self._spec = spec
        self._settings = settings
        self._most = parse_size(settings.max_size)
        self._tools = tools

    @property
    def spec(self) -> ActionSpec:
        return self._spec

    def check(self, parameters: dict[str, Any]) -> None:
        pages = str(parameters.get("pages", ""))
        if chosen(pages) is None:
            why = said(str(_WRONG_PAGES), _WRONG_PAGES.zh, name=self._spec.name, pages=pages[:100])
            raise PointsmanError(why, code="bad_parameters", param="parameters.pages")

    async def run(self, parameters: dict[str, Any], occasion: Occasion) -> Effect:
        spec, settings = self._spec, self._settings
        async with self._tools.children.folder() as folder:
            file = await fetched(parameters["file"], occasion, self._tools, folder, self._most)
            task = Reading(
                path=str(file.path),
                form=parameters.get("as", settings.form),
                tables=parameters.get("tables", settings.tables),
                most_pages=settings.max_pages,
                most_characters=settings.max_characters,
                pages=chosen(str(parameters.get("pages", ""))) or [],
                password=parameters.get("password") or None,
            )
            limits = limits_of(spec, file_size=1 << 20, answer=4 * spec.output)
            read = await self._tools.children.run(READ, task, folder, limits)
        return self._effect(read, file.name, occasion.tongue)

    def _effect(self, read: Read, name: str, tongue: Tongue) -> Effect:
        notes = _notes(read, self._settings.max_characters)
        several = len(read.pages) > 1 or read.unit == "sheet" or (read.count or 0) > 1
        parts = [told(note, tongue) for note in notes]
        for page in read.pages:
            if several:
                parts.append(told(_MARKS[read.unit], tongue).format(number=page.page, name=page.name))
            if page.text:
                parts.append(page.text)
        values = {
            "name": name,
            "kind": read.kind,
            "unit": read.unit,
            "count": read.count,
            "pages": [_page(page) for page in read.pages],
            "tables": msgspec.to_builtins(read.tables),
            "pictures": read.pictures,
            "notes": [told(note, tongue) for note in notes],
            "cut": read.cut,
            "characters": sum(len(page.text) for page in read.pages),
        }
        return Effect("\n\n".join(parts), values=values)


def _page(page: Page) -> dict[str, Any]:
    shown: dict[str, Any] = {"page": page.page, "text": page.text}
    return {**shown, "name": page.name} if page.name else shown


def _notes(read: Read, most: int) -> list[Said]:
    notes = [Said(note.en, note.zh) for note in read.notes]
    if not any(page.text for page in read.pages):
        notes.insert(0, _NOTHING)
    if read.pictures:
        notes.append(said(str(_PICTURES), _PICTURES.zh, pages=_ranges(read.pictures)))
    if read.cut and not read.notes:
        notes.append(said(str(_CUT), _CUT.zh, most=most))
    return notes


def _ranges(numbers: list[int]) -> str:
    """`1-3, 7`"""
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and number == ranges[-1][1] + 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    shown = [str(first) if first == last else f"{first}-{last}" for first, last in ranges[:50]]
    return ", ".join(shown) + (" …" if len(ranges) > 50 else "")
