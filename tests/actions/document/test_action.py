"""The action: what a person is told, what programs get, what is left running."""

from __future__ import annotations

import asyncio
import contextlib
import random
from pathlib import Path
from typing import Any

import msgspec
import pytest

from actions.document import written
from actions.left import held, running_in
from actions.workshop import CHINESE, OCCASION, workshop
from pointsman.domain.errors import PointsmanError
from pointsman.ports.action import Action, Attached, Effect, Occasion
from thorough import tries

READ = {"read": {"document": {"max_pages": 3}}}


def with_file(content: bytes, occasion: Occasion = OCCASION, name: str = "some file") -> Occasion:
    return msgspec.structs.replace(occasion, files={"attached:0": Attached(name, content=content)})


async def asked(action: Action, content: bytes, occasion: Occasion = OCCASION, **more: Any) -> Effect:
    return await action.run({"file": "attached:0", **more}, with_file(content, occasion))


async def test_both_languages(tmp_path: Path) -> None:
    async with workshop(tmp_path, READ) as actions:
        effect = await asked(actions["read"], written.pdf())
        assert effect.outcome == "ok" and effect.text.startswith("— page 1 —\n\n## 年度费用报告 2026")
        assert effect.values["kind"] == "pdf" and effect.values["count"] == 3
        assert effect.values["tables"][0] == {"page": 1, "rows": written.TABLE}
        assert [page["page"] for page in effect.values["pages"]] == [1, 2, 3]
        effect = await asked(actions["read"], written.pages(5000), CHINESE)
        assert effect.text == (
            "共 5,000 页，只读取了前 3 页；其余的请按页码读取。\n\n"
            "— 第 1 页 —\n\nWord 1\n\n— 第 2 页 —\n\nWord 2\n\n— 第 3 页 —\n\nWord 3"
        )
        assert effect.values["cut"] is True
        effect = await asked(actions["read"], written.pages(5000), pages="4000-4001", **{"as": "text"})
        assert effect.text == "— page 4000 —\n\nWord 4000\n\n— page 4001 —\n\nWord 4001"
        sheet = await asked(actions["read"], written.xlsx(), CHINESE)
        assert "— 工作表 1：预算 —" in sheet.text and "略去了隐藏的工作表：1 个。" in sheet.text


async def test_refusals_are_explained_and_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with workshop(tmp_path, READ) as actions:
        before = held()
        for content, word, chinese in (
            (written.document_xml(b" " * (257 << 20)), "unpack", "解压"),
            (written.wide_xlsx(), "17,179,869,184", "17,179,869,184"),
            (b"\x89PNG\r\n\x1a\n", "a picture", "图片"),
        ):
            effect = await asked(actions["read"], content)
            assert effect.outcome == "refused" and word in effect.text
            assert chinese in (await asked(actions["read"], content, CHINESE)).text
        assert "read failed: too_large one member unpacks" in caplog.text.replace("action ", "")
        await _settled(before)


async def test_a_file_larger_than_it_takes(tmp_path: Path) -> None:
    async with workshop(tmp_path, {"read": {"document": {"max_size": "1KB"}}}) as actions:
        effect = await asked(actions["read"], b"x" * 2000)
        assert (effect.outcome, effect.error) == ("refused", "too_large") and "1,024 bytes" in effect.text


async def test_wrong_pages(tmp_path: Path) -> None:
    async with workshop(tmp_path, READ) as actions:
        for pages in ("x", "0", "2.5", "3-1", "1-", ",".join("1" * 101)):
            with pytest.raises(PointsmanError, match="1-3,7"):
                actions["read"].check({"file": "f", "pages": pages})
        for pages in ("", "1", " 1 - 3 , 7", "2—4、9", "1至3"):
            actions["read"].check({"file": "f", "pages": pages})


async def test_the_password_is_redacted(tmp_path: Path) -> None:
    async with workshop(tmp_path, READ) as actions:
        assert actions["read"].spec.redact == ("password",)


async def test_as_a_step(tmp_path: Path) -> None:
    """What was read is there for the steps after it: here for the same action on pages that the first one counted."""
    chain = [
        {"action": "read", "parameters": {"file": "{paper}", "pages": "1"}, "name": "first"},
        {"action": "read", "parameters": {"file": "{paper}", "pages": "{first.count}"}},
    ]
    typed = {"paper": {"type": "string", "format": "file"}}
    async with workshop(tmp_path, {**READ, "both": {"steps": chain, "parameters": typed}}) as actions:
        effect = await actions["both"].run({"paper": "attached:0"}, with_file(written.pages(7)))
        assert effect.text == "— page 7 —\n\nWord 7"


async def test_many_are_cancelled_and_nothing_is_left(tmp_path: Path) -> None:
    luck, content = random.Random(5), written.pages(3000)
    config = {"read": {"document": {"max_pages": 10_000, "max_characters": 5_000_000}}}
    async with workshop(tmp_path, config) as actions:
        await asked(actions["read"], b"warm")
        before = held()
        for _ in range(tries(12, 50)):
            tasks = [asyncio.create_task(asked(actions["read"], content)) for _ in range(4)]
            await asyncio.sleep(luck.random() * 0.1)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        await _settled(before)
    assert running_in(tmp_path) == []
    assert not any((tmp_path / "work").iterdir())


async def _settled(before: Any) -> None:
    """Waits until no more is there than before, but for the one process that waits for the next task."""
    for _ in range(600):
        now = held()
        if len(now.children - before.children) <= 1 and now.descriptors <= before.descriptors + 4:
            return
        await asyncio.sleep(0.05)
    raise AssertionError((before, held()))


@pytest.mark.parametrize("content", [b"", b"%PDF-1.7", b"PK\x03\x04"])
async def test_no_matter_what_the_descriptors_are_given_back(tmp_path: Path, content: bytes) -> None:
    async with workshop(tmp_path, READ) as actions:
        await asked(actions["read"], b"warm")
        before = held()
        for _ in range(3):
            with contextlib.suppress(PointsmanError):
                assert (await asked(actions["read"], content)).outcome != "ok"
        await _settled(before)
