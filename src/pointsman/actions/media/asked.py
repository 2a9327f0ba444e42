"""Format and times in the words of a request: 把这段转成 mp3, keep 1:20 to 2:05, 截取前30秒, a picture at 0:10."""

from __future__ import annotations

from typing import Any

import re2

from pointsman.actions.media.formats import TAKEN, Do
from pointsman.actions.media.moments import seconds_of

LONGEST = 500
"""Characters that are looked at."""
_FORMAT: Any = re2.compile(r"(?i)(\.|\b)(mp4|webm|mkv|mp3|m4a|ogg|wav|flac|gif|png|jpe?g|webp)\b")
_NUMBER = r"(?:[0-9]{1,6}(?:\.[0-9]{1,3})?|[一二两三四五六七八九十百]{1,6})"
_H = rf"{_NUMBER} ?(?:个?小时|hours?|hrs?|h)半?"
_M = rf"{_NUMBER} ?(?:分钟?|minutes?|mins?|m)半?"
_S = rf"{_NUMBER} ?(?:秒钟?|seconds?|secs?|s)"
_T = (
    r"(?:[0-9]{1,3}(?:[:：][0-9]{1,2}){1,2}(?:\.[0-9]{1,3})?"
    rf"|(?:{_H} ?)?(?:{_M} ?)?{_S}|(?:{_H} ?)?{_M}|{_H}|半分钟|半个?小时)"
)
_RANGE: Any = re2.compile(rf"(?i)第?({_T})(?:处|开始)? ?(?:到|至|~|～|—|–|-| to | until | till ) ?第?({_T})")
_FIRST: Any = re2.compile(rf"(?i)(?:前面?|开头的?|最初的?|\bfirst )({_T})")
_LAST: Any = re2.compile(rf"(?i)(?:最后的?|末尾的?|结尾的?|后面?|\blast |\bfinal )({_T})")
_FROM: Any = re2.compile(rf"(?i)(?:从|自|\bfrom |\bafter |\bstarting at )第?({_T})")
_UNTIL: Any = re2.compile(rf"(?i)(?:到|截至|\bup to |\buntil |\btill )第?({_T})(?:为止|处|$|[,，.。 ])")
_LENGTH: Any = re2.compile(rf"(?i)(?:截取|剪|取|时长|长度?|\bfor )({_T})")
_AT: Any = re2.compile(rf"(?i)(?:第|在|\bat )({_T})")
_AWAY: Any = re2.compile(
    r"(?i)剪掉|去掉|删掉|删除|剪去|去除|不要|跳过|\b(?:cut (?:off|away)|remove|drop|skip|delete|without)\b"
)


def asked_of(do: Do, question: str) -> dict[str, Any]:
    """What is named: `format` (one that can be made), `start`, `end`, `duration`, `last`, `but_last` (all but so much at the
    end), `at` in seconds. A piece out of the middle that is to go is not read: there is no one piece that stays."""
    text = question[:LONGEST]
    found: dict[str, Any] = {}
    format = _format(do, text)
    if format:
        found["format"] = format
    if do == "thumbnail":
        moment = _moment(_AT, text)
        if moment is None:
            moment = _moment(_FROM, text)
        return found if moment is None else found | {"at": moment}
    away = _AWAY.search(text) is not None
    if away:
        first, last = _moment(_FIRST, text), _moment(_LAST, text)
        return found | ({} if first is None else {"start": first}) | ({} if last is None else {"but_last": last})
    both = _RANGE.search(text)
    if both:
        start, end = seconds_of(both[1]), seconds_of(both[2])
        if start is not None and end is not None:
            return found | {"start": start, "end": end}
    for pattern, key in ((_FIRST, "end"), (_LAST, "last")):
        moment = _moment(pattern, text)
        if moment is not None:
            return found | {key: moment}
    for pattern, key in ((_FROM, "start"), (_UNTIL, "end"), (_LENGTH, "duration")):
        moment = _moment(pattern, text)
        if moment is not None and not (key == "duration" and "end" in found):
            found[key] = moment
    return found


def _format(do: Do, text: str) -> str | None:
    """The last that is named, unless it is the end of a file's name; `jpeg` is `jpg`."""
    names = [name.lower().replace("jpeg", "jpg") for dot, name in _FORMAT.findall(text) if dot != "."]
    fitting = [name for name in names if name in TAKEN[do]]
    return fitting[-1] if fitting else None


def _moment(pattern: Any, text: str) -> float | None:
    found = pattern.search(text)
    return seconds_of(found[1]) if found else None
