"""Instructions that can be checked by rule, in Chinese and in English: the same in both."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

import msgspec

from pointsman.arbiter.llm.repair import object_in

Check = Callable[[str], bool]
_IDEOGRAPHS = re.compile("[\u4e00-\u9fff]")


class Instruction(msgspec.Struct, frozen=True):
    language: Literal["zh", "en"]
    text: str
    check: Check


def _is(*words: str) -> Check:
    """One of these and nothing else, punctuation aside."""
    return lambda reply: _bare(reply) in [_bare(word) for word in words]


def _bare(text: str) -> str:
    return re.sub(r"[\s.。!！,，\"'“”`*]+", " ", text).strip().casefold()


def _matches(pattern: str) -> Check:
    found = re.compile(pattern, re.DOTALL)
    return lambda reply: found.fullmatch(reply.strip()) is not None


def _words(count: int) -> Check:
    return lambda reply: len(_bare(reply).split()) == count


def _ideographs(count: int) -> Check:
    return lambda reply: len(_IDEOGRAPHS.findall(reply)) == count == len(re.sub(r"[\s。，！？]", "", reply))


def _json(key: str) -> Check:
    return lambda reply: (object_in(reply) or {}).get(key) is not None and reply.strip().startswith("{")


def _without(word: str) -> Check:
    return lambda reply: bool(reply.strip()) and word.casefold() not in reply.casefold()


def _lines(count: int) -> Check:
    return lambda reply: len([line for line in reply.strip().splitlines() if line.strip()]) == count


def _chinese(reply: str) -> bool:
    return len(_IDEOGRAPHS.findall(reply)) > len(re.findall("[A-Za-z]", reply))


def _english(reply: str) -> bool:
    return not _IDEOGRAPHS.search(reply) and len(re.findall("[A-Za-z]", reply)) > 3


_EN: tuple[tuple[str, Check], ...] = (
    ("Reply with the word READY and nothing else.", _is("ready")),
    ("Is Paris in France? Answer only yes or no.", _is("yes")),
    ("Is fire cold? Answer only yes or no.", _is("no")),
    ("What is 7 + 5? Answer with the number only.", _is("12")),
    ("Which is larger, 9 or 4? Answer with the number only.", _is("9")),
    ("Repeat exactly: blue-42", _is("blue-42")),
    ("Write exactly three words about the sea.", _words(3)),
    ("List three fruits, one a line, without numbers or other words.", _lines(3)),
    ('Reply with a JSON object that has the key "city".', _json("city")),
    ("Write the word apple in capital letters and nothing else.", _matches(r"APPLE\.?")),
    ("Describe winter in one sentence without the word snow.", _without("snow")),
    ("Name the opposite of hot. One word only.", _is("cold")),
    ("Sort these letters and reply with them only, without blanks: c a b", _is("abc")),
    ("Is this request about weather or money: how much is left in my account? Answer with one word.", _is("money")),
    ("Translate into English: 谢谢", _english),
)
_ZH: tuple[tuple[str, Check], ...] = (
    ("只回复“就绪”两个字，不要写别的。", _is("就绪")),
    ("北京在中国吗？只回答“是”或“不是”。", _is("是", "是的")),
    ("火是冷的吗？只回答“是”或“不是”。", _is("不是")),
    ("7 加 5 等于几？只回答数字。", _is("12")),
    ("9 和 4 哪个大？只回答数字。", _is("9")),
    ("原样重复：蓝色-42", _is("蓝色-42")),
    ("用恰好四个汉字形容大海。", _ideographs(4)),
    ("列出三种水果，每行一个，不要编号，不要别的字。", _lines(3)),
    ("回复一个 JSON 对象，里面有键“city”。", _json("city")),
    ("把 apple 这个词用大写字母写出来，不要写别的。", _matches(r"APPLE[。.]?")),
    ("用一句话描述冬天，不能出现“雪”字。", _without("雪")),
    ("“热”的反义词是什么？只写一个字。", _is("冷", "凉")),
    ("把这几个字母排序，只回复字母，不要空格：c a b", _is("abc")),
    ("这句话是关于天气还是关于钱：我的账户里还剩多少？只回答“天气”或“钱”。", _is("钱")),
    ("翻译成中文：thank you", _chinese),
)
INSTRUCTIONS: tuple[Instruction, ...] = (
    *(Instruction("zh", text, check) for text, check in _ZH),
    *(Instruction("en", text, check) for text, check in _EN),
)
