"""Frames, compiled: the question in a message."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec
import re2

from pointsman.domain.errors import Problem, Problems
from pointsman.domain.frame import Frame
from pointsman.domain.said import Said, said
from pointsman.framing.shape import Shape
from pointsman.framing.shipped import SHIPPED
from pointsman.framing.template import shape_of

_OPENS = frozenset(("", ":", "：", "\n", "\r", ">", "`", '"', "“", "-", "]"))
_LABEL = re.compile(
    r"(?i)(?:#{1,6} {0,3})?(?:contexts?|documents|sources|knowledge(?: base)?|references|上下文|已知(?:信息|内容)|资料"
    r"|参考资料|知识库(?:内容)?|参考(?:信息|内容)|检索(?:结果|内容))[ \t]{0,3}[:：]\s{0,9}"
)


class Span(msgspec.Struct, frozen=True):
    """Where the question stands in a message, and by which frame it was found."""

    frame: str
    start: int
    end: int


class _Sought(msgspec.Struct, frozen=True):
    """A frame by its place in the order, and how a message that fits it begins and ends."""

    rank: int
    name: str
    shape: Shape | None = None
    regex: Any = None
    head: str = ""
    tail: str = ""

    @property
    def anchored(self) -> bool:
        return self.shape is not None and bool(self.shape.first_characters)


class Frames:
    """Compiled frames, the first of them the most important.

    Most messages fit none, and are told by their first and last character: only what may begin or end so is tried."""

    def __init__(self, sought: Sequence[_Sought]) -> None:
        self._by_first: dict[str, tuple[_Sought, ...]] = {}
        self._by_last: dict[str, tuple[_Sought, ...]] = {}
        self._any: tuple[_Sought, ...] = ()
        self._named = {each.name: each for each in sought}
        for each in sought:
            if each.shape and (characters := each.shape.first_characters):
                index = self._by_first
            elif each.shape and (characters := each.shape.last_characters):
                index = self._by_last
            else:
                self._any += (each,)
                continue
            for character in characters:
                index[character] = (*index.get(character, ()), each)

    def question_span(self, text: str) -> Span | None:
        """The question in a message that a frame makes up, without white space around it. None where no frame does and
        where the question is empty: then the whole message counts. Of several frames that fit, the first counts, unless
        another one finds the question elsewhere: None then too.

        A frame that begins with text is not doubted for one that does not: retrieved text cannot change how a message
        begins."""
        if not text:
            return None
        start, end = 0, len(text)
        if text[0].isspace():
            start = end - len(text.lstrip())
        if text[-1].isspace():
            end = len(text.rstrip())
        if start >= end:
            return None
        likely = (*self._by_first.get(text[start], ()), *self._by_last.get(text[end - 1], ()), *self._any)
        if likely:
            likely = tuple(
                [each for each in likely if text.startswith(each.head, start) and text.endswith(each.tail, start, end)]
            )
        if not likely:
            return None
        lacks = {core for core in {each.shape.core for each in likely if each.shape} if core not in text}
        found = [(each.rank, each.anchored, span) for each in likely if (span := _span(each, text, start, end, lacks))]
        if not found:
            return None
        _, anchored, best = min(found, key=_rank)
        rivals = [span for _, also, span in found if also or not anchored]
        if any(span.end <= best.start or best.end <= span.start for span in rivals):
            return None
        return best

    def contexts(self, text: str, span: Span) -> tuple[str, ...]:
        """What was retrieved, in the message whose question was found there: the texts that stand for the frame's
        {context}, or what a regex has as its group `context`."""
        sought = self._named.get(span.frame)
        if sought is None:
            return ()
        if sought.shape is None:
            places = _group(sought.regex, text, "context")
        else:
            start = len(text) - len(text.lstrip())
            places = sought.shape.contexts(text, start, len(text.rstrip()))
        return tuple([found for start, end in places if (found := bare(text, start, end))])


def compile_frames(frames: Sequence[Frame], path: str = "questions.frames") -> Frames:
    """Raises Problems: everything that is wrong with them, at its place below `path`."""
    problems: list[Problem] = []
    sought: list[_Sought] = []
    names: set[str] = set()
    for rank, frame in enumerate(frames):
        place = f"{path}[{rank}]"
        try:
            if frame.name in names:
                message = said("another frame is named {name!r} too", "已有另一个名为 {name!r} 的模板", name=frame.name)
                raise Problem(f"{place}.name", message)
            names.add(frame.name)
            sought.append(_sought(rank, frame, place))
        except Problem as problem:
            problems.append(problem)
    if problems:
        raise Problems(problems)
    return Frames(sought)


def with_shipped(frames: Sequence[Frame]) -> tuple[Frame, ...]:
    """A user's frames, then those that ship, less the ones that a user's frame of the same name replaces."""
    own = {frame.name for frame in frames}
    return (*frames, *(frame for frame in SHIPPED if frame.name not in own))


def _rank(found: tuple[int, bool, Span]) -> int:
    return found[0]


def _span(sought: _Sought, text: str, start: int, end: int, lacks: set[str]) -> Span | None:
    if sought.shape is None:
        where = _by_regex(sought.regex, text)
    else:
        where = None if sought.shape.core in lacks else sought.shape.question(text, start, end)
    if where is None:
        return None
    question = text[where[0] : where[1]]
    since = where[0] + len(question) - len(question.lstrip())
    until = where[0] + len(question.rstrip())
    return Span(sought.name, since, until) if since < until else None


def bare(text: str, start: int, end: int) -> str:
    """A context without what a loose template leaves of the product's own words before it: the rest of a line that it
    begins in the middle of, unless that follows a colon, and a label ("上下文：")."""
    context = text[start:end]
    lead = text[:start].rstrip(" \t")[-1:]
    line, broken, rest = context.partition("\n")
    if broken and line.strip() and lead not in _OPENS and line.lstrip()[0] not in ":：":
        context = rest
    context = context.strip().removeprefix(":").removeprefix("：").lstrip()
    label = _LABEL.match(context)
    return context[label.end() :] if label else context


def _by_regex(regex: Any, text: str) -> tuple[int, int] | None:
    found = _group(regex, text, "question")
    return found[0] if found else None


def _group(regex: Any, text: str, name: str) -> tuple[tuple[int, int], ...]:
    """Where that group of the pattern stands, if anywhere."""
    if name not in regex.groupindex:
        return ()
    try:
        match = regex.search(text)
    except UnicodeError:  # half a surrogate pair, which UTF-8 cannot hold
        return ()
    if match is None:
        return ()
    where: tuple[int, int] = match.span(regex.groupindex[name])
    return (where,) if where[0] >= 0 else ()


def _sought(rank: int, frame: Frame, place: str) -> _Sought:
    if (frame.template is None) == (frame.regex is None):
        message = said("it needs one of template and regex", "需要 template 与 regex 二者之一")
        raise Problem(place, message, valid="template, regex")
    if frame.template is not None:
        shape = shape_of(frame.template, f"{place}.template")
        return _Sought(rank, frame.name, shape=shape, head=shape.head, tail=shape.tail)
    return _Sought(rank, frame.name, regex=_regex(frame.regex or "", f"{place}.regex"))


def _regex(source: str, path: str) -> Any:
    options = re2.Options()
    options.log_errors = False
    valid = said(
        "an RE2 pattern with a group named question: (?s)^Context:.*\\nQuestion:(?P<question>.*)$",
        "带有名为 question 的分组的 RE2 表达式：(?s)^已知信息：.*\\n问题：(?P<question>.*)$",
    )
    try:
        regex = re2.compile(source, options)
    except (re2.error, UnicodeError) as error:
        reason = error.args[0] if error.args else error
        text = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise Problem(path, said("RE2 refuses it: {text}", "RE2 不接受：{text}", text=text), valid=valid) from None
    if "question" not in regex.groupindex:
        message: Said = said("it has no group named question", "其中没有名为 question 的分组")
        raise Problem(path, message, valid=valid)
    return regex
