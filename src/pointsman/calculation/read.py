"""The way in: a text → the calculation that it asks for, understood whole, or NotUnderstood with what was not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import re2

from pointsman.calculation import asks_en, asks_everyday, asks_zh
from pointsman.calculation.around import spelt, without_chatter
from pointsman.calculation.asking import Ask, pattern
from pointsman.calculation.english_numbers import in_digits
from pointsman.calculation.expressions import Reader
from pointsman.calculation.normal import normalised, without_money
from pointsman.calculation.spoken import plainly
from pointsman.calculation.tree import Node, NotUnderstood, Problem, is_relation
from pointsman.domain.said import Said, said

LONGEST = 2000  # characters
_HAN: Any = re2.compile(r"[\x{3400}-\x{9fff}]")
_AROUND: Any = re2.compile(
    r"(?i)^(?:(?:请问一下|请问|请帮我|请你|请|麻烦你?|帮我|帮忙|帮|给我|我想知道|我想问一?下?|想问一?下?|你好|您好|能不能|可以|能|用 ?sympy|help|算一下|算下)[,!. ]*|"
    r"(?:please|pls|hi|hello|hey|can you|could you|would you|i want to know|i need to know|tell me|help me(?: to)?|kindly|now|so|ok|there|quick (?:one|1|question)|calc|how much is|do the math:?|for me)[,!. ]+)*"
)
_AFTER: Any = re2.compile(
    r"(?i)(?:[ ,.?;~:]|谢谢你?|多谢|谢了|谢啦|吗|呢|呀|啊|吧|哇|哈|呗|来着|给我一?下|给我|算一下结果|算一下|算下|please|thx|lol|pls|pls|thanks?|thank you|for me|equal)*$"
)
_DOLLARS: Any = re2.compile(r"\$\$([^$]*)\$\$|\$([^$]*)\$|\\\[(.*?)\\\]|\\\((.*?)\\\)")
_HOLDS: Any = re2.compile(
    r"[0-9零〇一二两三四五六七八九十百千万半]|[=^*/∫∑∏√π∞!|+]|\\[a-z]|[a-z]'|sin|cos|tan|log|ln|lim|exp|sqrt|[a-zA-Z)] ?- ?[a-zA-Z(]|"
    r"导|积分|化简|因式|展开|derivative|integra|differentiate|simplify|factor|expand|infinity"
)
_UNKNOWN: Any = re2.compile(r" *[,;]? *(?:求|则|then|so)? *\b([a-zA-Z]) *= *\?+ *$")
_INCH: Any = re2.compile(r"([0-9]) ?in (to|in|into|and|\+)\b")
_NOTHING = NotUnderstood(Said("there is no calculation in it", "里面没有计算式"))
_ENGLISH = [*asks_everyday.EN, *asks_en.ASKS]
_CHINESE = [*asks_everyday.ZH, *asks_zh.ASKS, *_ENGLISH]
_REST: Any = re2.compile(r"[\n\r]+")


def read(text: str) -> Problem:
    """What is asked. Pure; bounded by LONGEST and by what the parser allows. Raises NotUnderstood."""
    if len(text) > LONGEST:
        en, zh = "a text of more than {most} characters", "超过 {most} 个字符的文字"
        raise NotUnderstood(said(en, zh, most=LONGEST))
    text = text.encode("utf-8", "replace").decode()  # half a surrogate pair becomes a question mark
    first: NotUnderstood | None = None
    for candidate, whole in _candidates(_cleaned(text)):
        try:
            problem = _problem(candidate)
        except NotUnderstood as error:
            first = first or error
        else:
            if whole or _surely(problem):
                return problem
    raise first or _NOTHING


def _candidates(cleaned: str) -> Iterator[tuple[str, bool]]:
    """The text, then with its words spelt as they are known, then without what says nothing of the calculation; and whether
    that is all of it."""
    yield cleaned, True
    written = spelt(cleaned)
    if written != cleaned:
        yield written, True
    for shorter in without_chatter(written):
        yield _trimmed(shorter), False


def _surely(problem: Problem) -> bool:
    """Worked out, whatever stands around it: no lone number, no length of time, no number of a telephone."""
    if problem.kind == "value":
        ops = {part.op for part in problem.nodes[0].walk()}
        if ops <= {"num", "sub", "neg"} or ("sym" in ops and ops <= {"num", "mul", "sym"}):
            return False
    return _says_something(problem)


def _problem(cleaned: str) -> Problem:
    """Raises NotUnderstood."""
    if not cleaned or not _HOLDS.search(cleaned):
        raise _NOTHING
    asks = _asks(cleaned)
    reader = Reader()
    first: NotUnderstood | None = None
    for asked in asks:
        for slots in asked.slots(cleaned):
            reader.begin()
            try:
                problem = asked.build(reader, slots)
            except NotUnderstood as error:
                first = first or error
                continue
            if problem is not None:
                return reader.finished(problem)
    raise first or _NOTHING


def understands(text: str) -> bool:
    """Whether it asks for a calculation that was understood whole, and that is surely one: not a lone number or name."""
    try:
        problem = read(text)
    except NotUnderstood:
        return False
    return not _is_a_name(text.strip()) and _says_something(problem)


_NAME: Any = re2.compile(r"([0-9]{1,4}) ?(/|[xX×]) ?([0-9]{1,4})")


def _is_a_name(text: str) -> bool:
    """24/7, 11/30, 1920x1080: alone, a sum only where a division comes out even, or a product is not of a picture's size."""
    match = _NAME.fullmatch(text)
    if not match:
        return False
    first, second = int(match.group(1)), int(match.group(3))
    if match.group(2) == "/":
        return not (second > 1 and first > second and first % second == 0)
    return min(first, second) >= 100


def _says_something(problem: Problem) -> bool:
    if problem.kind == "solve" and all(
        node.op == "eq" and node.args[0].op == "sym" and node.args[1].op in ("num", "sym") for node in problem.nodes
    ):
        return False  # x = 5: it is told, not asked
    if problem.kind != "value":
        return True
    node = problem.nodes[0]
    return node.op not in ("num", "sym", "const", "list", "matrix", "unit", "quantity", "percent", "neg") and _computes(
        node
    )


def _computes(node: Node) -> bool:
    """Something to be worked out: digits or a function, and not only letters in a row."""
    ops = {part.op for part in node.walk()}
    if ops <= {"mul", "sym", "add", "sub", "div", "neg", "const"}:
        return False
    return not (node.op == "sub" and ops == {"sub", "num"} and _looks_like_a_range(node))


def _looks_like_a_range(node: Node) -> bool:
    """3-5 is as likely a range as a difference, 2024-05-03 a date."""
    left, right = node.args
    if left.op == "sub":
        return True
    return left.op == right.op == "num" and float(left.text) < float(right.text)


def _asks(text: str) -> list[Ask]:
    return _CHINESE if _HAN.search(text) else _ENGLISH


def _cleaned(text: str) -> str:
    """Without dollar signs of LaTeX, greetings, thanks and question marks, in one spelling."""
    text = _DOLLARS.sub(lambda match: " " + next((g for g in match.groups() if g is not None), "") + " ", text)
    text = _REST.sub(" ; " if "\\begin" not in text else " ", text.strip())
    text = plainly(in_digits(without_money(normalised(text)).strip()))
    text = _INCH.sub(r"\1 inch \2", text)
    text = _UNKNOWN.sub(r" ;solve \1", text)
    return _trimmed(text.replace(" ; ;", " ;"))


def _trimmed(text: str) -> str:
    before = None
    while before != text:
        before = text
        text = text[_AROUND.match(text).end() :]
        kept = text[: _AFTER.search(text).start()]
        if kept.endswith("!") and not (kept[-2:-1].isascii() and (kept[-2:-1].isalnum() or kept[-2:-1] in ")]}|!")):
            kept = kept[:-1]
        text = kept if kept else text
        text = text.strip()
        if text.endswith("="):
            text = text[:-1].strip()
    return text


__all__ = ["LONGEST", "is_relation", "pattern", "read", "understands"]
