"""Answers, near misses, what is kept, and what is left running."""

from __future__ import annotations

import asyncio
import hashlib
from array import array
from pathlib import Path
from typing import Any

import pytest

from actions.faq.test_read import GOOD
from actions.left import held
from actions.workshop import CHINESE, OCCASION, workshop
from pointsman.actions.faq.entry import Entry
from pointsman.actions.faq.fused import scored
from pointsman.actions.faq.keywords import Keywords
from pointsman.ports.action import ActionFailed
from pointsman.ports.embed import Vector

MORE = """
  - {id: leave_how, question: 怎么申请年假, answer: 在系统里提交。}
  - {id: printer, questions: [打印机卡纸怎么办, the printer has a paper jam], answer: {zh: 打开后盖。, en: Open the back.}}
  - {id: wifi, questions: [无线网密码是多少, what is the wifi password], answer: {zh: 见前台。, en: Ask at the desk.}}
"""
IT = {"it": {"faq": {"file": "faq.yaml", "threshold": 0.6}}}


class Model:
    """Meanings by a list: texts of one line are the same."""

    model = "test"

    def __init__(self, *same: set[str]) -> None:
        self.same = same
        self.asked: list[list[str]] = []
        self.broken = False

    async def __call__(self, texts: list[str], *, query: bool = False) -> list[Vector]:
        self.asked.append(texts)
        if self.broken:
            raise ActionFailed("embedding", "gone")
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> Vector:
        meaning = next((str(number) for number, texts in enumerate(self.same) if text in texts), text)
        digest = hashlib.sha512(meaning.encode()).digest()
        values = [byte - 127.5 for byte in digest]
        length = sum(value * value for value in values) ** 0.5
        return array("f", [value / length for value in values])


@pytest.fixture(autouse=True)
def file(tmp_path: Path) -> Path:
    path = tmp_path / "faq.yaml"
    path.write_text(GOOD + MORE, encoding="utf-8")
    return path


async def test_words_alone(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "pointsman")
    async with workshop(tmp_path, IT) as actions:
        effect = await actions["it"].run({"question": "怎么连接ＶＰＮ？"}, CHINESE)
        assert (effect.text, effect.values["id"], effect.values["score"]) == ("打开客户端登录。", "vpn", 1.0)
        effect = await actions["it"].run({"question": "printer paper jam"}, OCCASION)
        assert effect.text == "Open the back." and effect.values["by"] == "words"
        assert "printer" in " ".join(effect.values["words"])
        assert caplog.text.count("by their words alone") == 1
        again = await actions["it"].run({"question": "printer paper jam"}, OCCASION)
        assert again == effect


async def test_below_the_threshold(tmp_path: Path) -> None:
    async with workshop(tmp_path, {"it": {"faq": {"file": "faq.yaml"}}}) as actions:
        effect = await actions["it"].run({"question": "年假"}, CHINESE)
        assert effect.outcome == "refused" and effect.error == "no_answer"
        assert effect.text.startswith("常见问题里没有这个问题的答案。您是不是想问：\n1. ") and "2. " in effect.text
        assert {one["id"] for one in effect.values["near"]} == {"2", "leave_how"}
        effect = await actions["it"].run({"question": "quarterly taxes"}, OCCASION)
        assert effect.text == "There is no answer to this in the FAQ." and effect.values["near"] == []


async def test_one_shared_word_is_no_answer_though_no_other_entry_has_it(tmp_path: Path, file: Path) -> None:
    file.write_text(
        "- {question: 打印机卡纸怎么办, answer: 打开后盖。}\n- {question: 年假有几天, answer: 十天。}\n", "utf-8"
    )
    async with workshop(tmp_path, {"it": {"faq": {"file": "faq.yaml"}}}) as actions:
        effect = await actions["it"].run({"question": "打印机的保修期"}, CHINESE)
        assert effect.text == "常见问题里没有这个问题的答案。您是不是想问：\n1. 打印机卡纸怎么办"
        assert (await actions["it"].run({"question": "打印机卡住纸了"}, CHINESE)).text == "打开后盖。"


async def test_meanings_find_what_words_do_not(tmp_path: Path) -> None:
    model = Model({"上网要输什么", "无线网密码是多少"})
    async with workshop(tmp_path, IT, embed=model) as actions:
        await _understood(actions)
        effect = await actions["it"].run({"question": "上网要输什么"}, CHINESE)
        assert effect.values["id"] == "wifi" and effect.values["by"] == "both"
        model.broken = True
        effect = await actions["it"].run({"question": "打印机卡纸怎么办"}, CHINESE)
        assert effect.text == "打开后盖。" and effect.values["by"] == "words"


async def test_a_restart_asks_for_what_is_new_alone(tmp_path: Path, file: Path) -> None:
    first, second, third = Model(), Model(), Model()
    async with workshop(tmp_path, IT, embed=first) as actions:
        await _understood(actions)
    assert sum(map(len, first.asked)) == 19, "eleven questions, eight answers"
    async with workshop(tmp_path, IT, embed=second) as actions:
        await _understood(actions)
    assert second.asked == []
    file.write_text(file.read_text(encoding="utf-8").replace("怎么申请年假", "怎样请年假"), encoding="utf-8")
    async with workshop(tmp_path, IT, embed=third) as actions:
        await _understood(actions)
    assert third.asked == [["怎样请年假"]]


async def test_what_is_kept_is_not_believed_blindly(tmp_path: Path) -> None:
    async with workshop(tmp_path, IT, embed=Model()) as actions:
        await _understood(actions)
    [kept] = (tmp_path / "data" / "faq").iterdir()
    kept.write_bytes(kept.read_bytes()[:-100])
    model = Model()
    async with workshop(tmp_path, IT, embed=model) as actions:
        await _understood(actions)
    assert sum(map(len, model.asked)) == 19


async def test_as_a_step(tmp_path: Path) -> None:
    chain = {"steps": [{"action": "it", "name": "found", "parameters": {"question": "{question}"}}]}
    async with workshop(tmp_path, {**IT, "both": chain}) as actions:
        effect = await actions["both"].run({"question": "打印机卡纸怎么办"}, CHINESE)
        assert effect.text == "打开后盖。"


async def test_nothing_is_left_of_those_that_are_cancelled(tmp_path: Path) -> None:
    async with workshop(tmp_path, IT) as actions:
        before = held()
        for _ in range(30):
            task = asyncio.create_task(actions["it"].run({"question": "VPN"}, OCCASION))
            await asyncio.sleep(0.001)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        assert (await actions["it"].run({"question": "怎么连接VPN"}, OCCASION)).outcome == "ok"
        assert held().children <= before.children
    assert not any((tmp_path / "work").iterdir())


def test_thousands_of_entries_are_deterministic_and_bounded() -> None:
    entries = [
        Entry(
            id=str(n),
            questions=(f"怎么申请{chr(0x4E00 + n)}{chr(0x5E00 + n)}项目", f"item {n} please"),
            titles={},
            answers={"": "x"},
        )
        for n in range(3000)
    ]
    keywords = Keywords(entries)
    for question, place in ((f"申请{chr(0x4E00 + 77)}{chr(0x5E00 + 77)}项目", 77), ("I need item 2999", 2999)):
        near = keywords.near(question)
        assert scored(near, None, 3)[0].place == place and len(near) < 300
        assert keywords.near(question) == near
    assert keywords.near("") == [] and keywords.near("!?" * 5000) == []
    assert scored([], None, 3) == []


async def _understood(actions: Any) -> None:
    await actions["it"]._inner._shelf.understood()
