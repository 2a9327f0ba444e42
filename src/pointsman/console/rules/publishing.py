"""A rule's text becomes what is in force: proved, written, reloaded; or nothing happened."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec

from pointsman.console.edits.history import Change, History
from pointsman.console.edits.splice import ids_of, items_of
from pointsman.console.edits.writing import mark_of, write_text
from pointsman.console.rules.books import Books, RulePlace, Taken
from pointsman.console.rules.shelf import KEY, Shelf, Shelved, shelved_in
from pointsman.console.rules.told import Check, Checked, Failed
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, said


class Conflict(Exception):
    """The rule changed since somebody began: `theirs` is how it stands there now, "" where it is gone."""

    def __init__(self, theirs: str) -> None:
        super().__init__()
        self.theirs = theirs


class Unsound(Exception):
    """It cannot be published; `checked` says why."""

    def __init__(self, checked: Checked) -> None:
        super().__init__()
        self.checked = checked


class Published(msgspec.Struct, frozen=True):
    """`rule` is its id now; None where it is gone."""

    rule: str | None
    change: Change
    taken: Taken


class Publishing:
    """One change at a time. What it raises beside PointsmanError is Conflict and Unsound; then the file is as it
    was."""

    def __init__(self, books: Books, shelf: Shelf, history: History) -> None:
        self._books = books
        self._shelf = shelf
        self._history = history
        self._turn = asyncio.Lock()

    async def publish(self, about: str | None, base: str, text: str, label: str, author: str) -> Published:
        """`about` is the rule that is changed, None for a new one, which goes into the file with that label; `base`
        is its text as it was when somebody began. It goes on where nobody waits any more."""
        return await asyncio.shield(asyncio.ensure_future(self._publish(about, base, text, label, author)))

    async def undo(self, rule: str, path: Path, change: str, author: str) -> Published:
        """The rule as it was before that change of the file."""
        return await asyncio.shield(asyncio.ensure_future(self._undo(rule, path, change, author)))

    async def check(self, shelved: Shelved, text: str) -> Checked:
        """Raises PointsmanError."""
        candidate = await asyncio.to_thread(self._shelf.candidate, shelved, text)
        answer = await self._books.ask(Check(candidate))
        if isinstance(answer, Failed):
            raise PointsmanError(answer.message.said, status=answer.status, code=answer.code)
        assert isinstance(answer, Checked)
        return answer

    async def _publish(self, about: str | None, base: str, text: str, label: str, author: str) -> Published:
        async with self._turn:
            shelved = await asyncio.to_thread(self._shelved, about, label)
            if about is not None and shelved.text != base:
                raise Conflict(shelved.text)
            checked = await self.check(shelved, text)
            if not checked.passes or checked.rule is None:
                raise Unsound(checked)
            after = shelved.file_with(text)
            await asyncio.to_thread(_nothing_else_changed, shelved, after)
            return await self._written(shelved, after, checked.rule, checked.rule, author, None)

    async def _undo(self, rule: str, path: Path, change: str, author: str) -> Published:
        async with self._turn:
            place = next((each for each in await asyncio.to_thread(self._books.places) if each.path == path), None)
            texts = None if place is None else await asyncio.to_thread(self._history.texts, path, change)
            if place is None or texts is None:
                raise PointsmanError(
                    Said("this change is not known (any more)", "没有（或不再有）这次修改的记录"),
                    status=404,
                    type="not_found_error",
                    code="unknown_change",
                )
            ids = ids_of(texts[0], KEY)
            before = items_of(texts[0], KEY)[ids.index(rule)].text if rule in ids else ""
            shelved = await asyncio.to_thread(shelved_in, place, rule)
            if shelved.item is None and not before:
                raise PointsmanError(
                    Said(
                        "the rule was not there before this change, and is not now",
                        "这次修改之前没有这条规则，现在也没有",
                    ),
                    status=409,
                    code="nothing_to_undo",
                )
            after = shelved.file_with(before)
            return await self._written(shelved, after, rule if before else None, rule, author, change)

    def _shelved(self, about: str | None, label: str) -> Shelved:
        shelved = self._shelf.new_in(label) if about is None else self._shelf.find(about)
        if shelved is None and about is not None:
            place = next((each for each in self._shelf.own() if each.label == label), None)
            shelved = None if place is None else shelved_in(place, about)
            if shelved is not None and shelved.item is None:
                raise Conflict("")
        if shelved is None:
            raise no_file()
        if not shelved.writable:
            raise read_only(shelved.place)
        return shelved

    async def _written(
        self, shelved: Shelved, after: str, rule: str | None, about: str, author: str, undoes: str | None
    ) -> Published:
        path, before = shelved.file.path, shelved.file.text
        await asyncio.to_thread(write_text, path, after, shelved.file.mark)
        taken = await self._books.reload()
        if taken.refused is not None:
            await asyncio.to_thread(write_text, path, before, mark_of(after))
            await self._books.reload()
            raise PointsmanError(
                said(
                    "the gateway refused it, so the file is as it was: {why}",
                    "网关拒绝了这次修改，文件已恢复原样：{why}",
                    why=taken.refused,
                ),
                status=409,
                code="reload_refused",
            )
        outcome = f"{taken.before} → {taken.policy}"
        change = await asyncio.to_thread(
            self._history.keep, path, before, after, author=author, about=about, undoes=undoes, outcome=outcome
        )
        return Published(rule, change, taken)


def _nothing_else_changed(shelved: Shelved, after: str) -> None:
    """Raises PointsmanError where the text of this rule would reach into others."""
    place = None if shelved.item is None else shelved.item.place
    old, new = items_of(shelved.file.text, KEY), items_of(after, KEY)
    if place is None:
        place = len(old)
    kept = [item.text for item in old if item.place != place]
    if [item.text for item in new if item.place != place] != kept:
        raise PointsmanError(
            Said("this text would change other rules of the file, too", "这段文本会连带改动文件里的其他规则"),
            status=409,
            code="not_one_rule",
        )


def no_file() -> PointsmanError:
    return PointsmanError(
        Said(
            "there is no rule file of your own: write an empty rules.yaml beside pointsman.yaml and name it there under "
            "rules.files",
            "还没有自己的规则文件：请在 pointsman.yaml 旁新建空的 rules.yaml，并写进 rules.files",
        ),
        status=409,
        code="no_rule_file",
    )


def read_only(place: RulePlace) -> PointsmanError:
    if place.ships:
        return PointsmanError(
            said(
                "{pack} ships with the gateway and is not changed here; copy the rule into a file of your own",
                "{pack} 是内置规则包，不能在这里修改；请把规则复制到自己的文件里",
                pack=place.pack,
            ),
            status=409,
            code="ships",
        )
    return PointsmanError(
        said(
            "{file} may not be written by the gateway; copy the difference and change it where it is kept",
            "网关无权写入 {file}；请复制差异，在保存它的地方修改",
            file=place.path.name,
        ),
        status=409,
        code="read_only",
    )
