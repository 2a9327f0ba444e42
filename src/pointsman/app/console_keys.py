"""Keys as the console's page asks for them: those of the config, what each used; a new one, written there, and one taken out
of it."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pointsman.app.setup import Setup
from pointsman.console.edits.history import History, difference
from pointsman.console.edits.writing import FileText, mark_of, read_text, write_text
from pointsman.console.keys.book import MONTH, KeyLeaving, KeyMade, KeyRow, KeyWish
from pointsman.console.keys.in_file import LIST, NO_PLACE, item_of, must_be_writable, with_key, without_key
from pointsman.domain.errors import PointsmanError, Problems
from pointsman.domain.said import Said, said
from pointsman.http.auth import ANONYMOUS, hash_key
from pointsman.pipeline.quotas import Quotas
from pointsman.store.figures import Figures
from pointsman.store.log_reader import LogError, LogReader
from pointsman.store.rollups import Rollups

_HOUR = 3600


class ConsoleKeys:
    """`reload` raises Problems, or PointsmanError for what they came to. `folder` is the data folder."""

    def __init__(
        self,
        setup: Callable[[], Setup],
        reload: Callable[[], Awaitable[dict[str, Any]]],
        quotas: Quotas,
        folder: Path,
    ) -> None:
        self._setup = setup
        self._reload = reload
        self._quotas = quotas
        self._folder = folder
        self._turn = asyncio.Lock()

    async def rows(self) -> Sequence[KeyRow]:
        auth = self._setup().config.auth
        used = await asyncio.to_thread(self._used)
        rows = []
        for key in auth.keys:
            figures, seen = used.get(key.name, (Figures(), None))
            rows.append(
                KeyRow(
                    name=key.name,
                    caller=key.name,
                    role=key.role,
                    group=key.group,
                    admin=key.admin,
                    looks=key.console is not None,
                    standing=self._quotas.standing(key.name),
                    requests=figures.count,
                    tokens=figures.input_tokens + figures.output_tokens,
                    seen=seen,
                )
            )
        if ANONYMOUS in used:
            figures, seen = used[ANONYMOUS]
            tokens = figures.input_tokens + figures.output_tokens
            rows.append(
                KeyRow(
                    None,
                    ANONYMOUS,
                    standing=self._quotas.standing(ANONYMOUS),
                    requests=figures.count,
                    tokens=tokens,
                    seen=seen,
                )
            )
        return rows

    async def make(self, wish: KeyWish, author: str) -> KeyMade:
        return await asyncio.shield(asyncio.ensure_future(self._make(wish, author)))

    async def _make(self, wish: KeyWish, author: str) -> KeyMade:
        async with self._turn:
            setup = self._setup()
            _check(wish, [key.name for key in setup.config.auth.keys])
            key = "pm-" + secrets.token_urlsafe(32)
            lines = item_of(wish, hash_key(key))
            if setup.file is None:
                return KeyMade(wish.name, key, lines, unwritten=_NO_FILE)
            file = await asyncio.to_thread(read_text, Path(setup.file))
            try:
                after = with_key(file, lines)
            except PointsmanError as error:
                message = error.message
                return KeyMade(wish.name, key, lines, unwritten=message if isinstance(message, Said) else NO_PLACE)
            await self._write(file, after, wish.name, author)
            return KeyMade(wish.name, key, lines, difference(file.text, after, file.path.name))

    async def leaving(self, name: str) -> KeyLeaving:
        row = next((each for each in await self.rows() if each.name == name), None)
        if row is None:
            raise PointsmanError(
                said("there is no key {name} (any more)", "没有（或不再有）密钥 {name}", name=name[:100]),
                status=404,
                type="not_found_error",
                code="no_such_key",
            )
        setup = self._setup()
        auth = setup.config.auth
        last = row.admin and sum(key.admin for key in auth.keys) == 1
        here = auth.loopback == "open"
        if setup.file is None:
            return KeyLeaving(row, unwritten=_NO_FILE, last_admin=last, open=here)
        file = await asyncio.to_thread(read_text, Path(setup.file))
        change, unwritten = "", None
        try:
            change = difference(file.text, without_key(file, name), file.path.name)
            must_be_writable(file)
        except PointsmanError as error:
            unwritten = error.message if isinstance(error.message, Said) else NO_PLACE
        return KeyLeaving(row, change, file.mark, unwritten, last, here)

    async def take_back(self, name: str, mark: str, author: str) -> KeyLeaving:
        return await asyncio.shield(asyncio.ensure_future(self._take_back(name, mark, author)))

    async def _take_back(self, name: str, mark: str, author: str) -> KeyLeaving:
        async with self._turn:
            leaving = await self.leaving(name)
            if leaving.unwritten is not None:
                raise PointsmanError(leaving.unwritten, status=409, code="file_unwritable")
            file = await asyncio.to_thread(read_text, Path(self._setup().file or ""))
            if mark != file.mark:
                raise PointsmanError(
                    Said(
                        "the config changed meanwhile; look at the difference again, and confirm it then",
                        "配置在此期间有改动；请重新查看差异，再确认",
                    ),
                    status=409,
                    code="file_changed",
                )
            await self._write(file, without_key(file, name), name, author)
            return leaving

    async def _write(self, file: FileText, after: str, name: str, author: str) -> None:
        """Raises PointsmanError; then the file is as it was."""
        await asyncio.to_thread(write_text, file.path, after, file.mark)
        refused: Said | None = None
        try:
            told = await self._reload()
        except Problems as error:
            refused = error.said
        except PointsmanError as error:
            refused = error.message if isinstance(error.message, Said) else Said(error.message, error.message)
        if refused is not None:
            await asyncio.to_thread(write_text, file.path, file.text, mark_of(after))
            with contextlib.suppress(PointsmanError, Problems):  # as it was before, which held
                await self._reload()
            raise PointsmanError(
                said(
                    "the gateway refused it, so the file is as it was: {why}",
                    "网关拒绝了这次修改，文件已恢复原样：{why}",
                    why=refused,
                ),
                status=409,
                code="reload_refused",
            )
        history = History(self._folder / "history")
        outcome = f"{told['before']} → {told['policy']}"
        await asyncio.to_thread(
            history.keep, file.path, file.text, after, author=author, about=f"{LIST}: {name}", outcome=outcome
        )

    def _used(self) -> Mapping[str, tuple[Figures, float | None]]:
        """Caller → what it asked in the last 30 days, and when it did the last time. Reads the disk."""
        now = time.time()
        try:
            rollups, reader = Rollups(self._folder), LogReader(self._folder)
        except FileNotFoundError:
            return {}
        found: dict[str, tuple[Figures, float | None]] = {}
        try:
            last: dict[str, float] = {}
            for each in rollups.between((now - MONTH) // _HOUR * _HOUR, now, _HOUR, ("caller",)):
                caller = each.values[0]
                if caller is not None:
                    figures, _ = found.setdefault(caller, (Figures(), None))
                    figures.add(each.figures)
                    last[caller] = max(last.get(caller, 0.0), float(each.start))
            for caller, (figures, _) in found.items():
                newest = reader.page({"caller": caller}, limit=1).rows
                found[caller] = figures, newest[0]["received"] if newest else last[caller]
        except LogError:
            pass
        finally:
            rollups.close()
            reader.close()
        return found


def _check(wish: KeyWish, names: Sequence[str]) -> None:
    texts = wish.name + wish.role + wish.group
    if not wish.name or not texts.isprintable() or "${" in texts:
        raise PointsmanError(
            Said(
                "a key needs a name, of characters that can be printed, without ${",
                "密钥要有名称，只含可显示的字符，且不含 ${",
            ),
            code="no_name",
        )
    if wish.name in names or wish.name == ANONYMOUS:
        raise PointsmanError(
            said("there is a key {name} already; take another name", "已有密钥 {name}；请换一个名称", name=wish.name),
            status=409,
            code="name_taken",
        )


_NO_FILE = Said(
    "this gateway has no config file: `pointsman init` writes one", "这个网关没有配置文件：用 `pointsman init` 生成一个"
)
