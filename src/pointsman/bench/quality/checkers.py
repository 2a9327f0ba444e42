"""What a reply must be, in data: no line of an eval set is ever run as a program.

A checker is read once from its JSON and then says of any reply how good it is, 0 to 1."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Callable, Iterable
from typing import Any

import re2

from pointsman.arbiter.llm.repair import object_in
from pointsman.domain.errors import did_you_mean
from pointsman.domain.json_schema import validator_of
from pointsman.domain.said import said
from pointsman.features.language import language_of

Check = Callable[[str], float]
"""A reply → its grade, 0 to 1."""

_NUMBER = re.compile(r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?|[-+]?\.\d+")
_THOUGHTS = re.compile(r"\A\s*<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_ENDS = " \t\r\n.,;:!?。，；：！？、\"'“”‘’`*"
_DEEPEST = 8
_JSON = json.JSONDecoder()


class BadChecker(ValueError):
    """`args[0]` says what is wrong with it, and what would be right."""


def without_thoughts(reply: str) -> str:
    """What a model wrote after thinking aloud; nothing where it only thought."""
    return _THOUGHTS.sub("", reply).strip()


def checker_of(given: Any, depth: int = 0) -> Check:
    """Raises BadChecker."""
    if not isinstance(given, dict):
        raise BadChecker(said("a checker is a mapping with a kind", "checker 必须是带 kind 的映射"))
    kind = given.get("kind")
    if not isinstance(kind, str) or kind not in _KINDS:
        raise BadChecker(
            said(
                "no checker of kind {kind!r}{hint} (valid: {valid})",
                "没有类型为 {kind!r} 的 checker{hint}（合法取值：{valid}）",
                kind=kind,
                hint=did_you_mean(str(kind), list(_KINDS)),
                valid=", ".join(_KINDS),
            )
        )
    make, required, optional = _KINDS[kind]
    fields = {name: value for name, value in given.items() if name != "kind"}
    for name in fields:
        if name not in required + optional:
            raise BadChecker(
                said(
                    "a checker of kind {kind} has no {name!r}{hint} (valid: {valid})",
                    "{kind} 类型的 checker 没有 {name!r}{hint}（合法取值：{valid}）",
                    kind=kind,
                    name=name,
                    hint=did_you_mean(name, [*required, *optional]),
                    valid=", ".join((*required, *optional)),
                )
            )
    for name in required:
        if name not in fields:
            raise BadChecker(
                said(
                    "a checker of kind {kind} needs {name!r}",
                    "{kind} 类型的 checker 缺少 {name!r}",
                    kind=kind,
                    name=name,
                )
            )
    if depth >= _DEEPEST:
        raise BadChecker(said("checkers are nested more than {most} deep", "checker 嵌套超过 {most} 层", most=_DEEPEST))
    return make(depth=depth, **fields)


def _exact(value: Any, depth: int, strict: Any = False) -> Check:
    wanted = _texts("value", value)
    if _flag("strict", strict):
        return lambda reply: float(reply.strip() in wanted)
    plain = {_plain(text) for text in wanted}
    return lambda reply: float(_plain(reply) in plain)


def _contains(depth: int, all: Any = (), any: Any = (), none: Any = ()) -> Check:
    must, may, never = (
        [_folded(text) for text in _texts(name, value)] if value != () else []
        for name, value in (("all", all), ("any", any), ("none", none))
    )
    if not (must or may or never):
        raise BadChecker(said("contains needs all, any or none", "contains 需要 all、any 或 none"))

    def check(reply: str) -> float:
        text = _folded(reply)
        return float(
            _every(word in text for word in must)
            and (not may or _some(word in text for word in may))
            and not _some(word in text for word in never)
        )

    return check


def _regex(pattern: Any, depth: int, whole: Any = False) -> Check:
    options = re2.Options()
    options.log_errors = False
    try:
        compiled = re2.compile(_text("pattern", pattern), options)
    except (re2.error, UnicodeError) as error:
        why = error.args[0].decode(errors="replace") if isinstance(error.args[0], bytes) else str(error.args[0])
        raise BadChecker(
            said(
                "RE2 refuses the pattern: {why} (look-ahead, look-behind and back references take no linear time)",
                "RE2 不接受这个正则：{why}（不支持前瞻、后顾和反向引用，它们做不到线性时间）",
                why=why,
            )
        ) from None
    if _flag("whole", whole):
        return lambda reply: float(compiled.fullmatch(reply.strip()) is not None)
    return lambda reply: float(compiled.search(reply) is not None)


def _number(value: Any, depth: int, tolerance: Any = 0, percent: Any = None, which: Any = "last") -> Check:
    wanted = _figure("value", value)
    allowed = _figure("tolerance", tolerance) if percent is None else abs(wanted) * _figure("percent", percent) / 100
    places = {"last": -1, "first": 0, "any": None}
    if which not in places:
        raise BadChecker(
            said(
                "which is {which!r} (valid: last, first, any)",
                "which 是 {which!r}（合法取值：last、first、any）",
                which=which,
            )
        )

    def check(reply: str) -> float:
        found = numbers_in(reply)
        place = places[which]
        looked = found if place is None else found[place:][:1] if found else []
        return float(_some(abs(each - wanted) <= allowed + 1e-9 for each in looked))

    return check


def _choice(value: Any, depth: int, choices: Any = ("A", "B", "C", "D")) -> Check:
    wanted, among = _text("value", value), _texts("choices", list(choices))
    if wanted not in among:
        raise BadChecker(
            said(
                "value {value!r} is none of the choices {choices}",
                "value {value!r} 不在 choices {choices} 之中",
                value=wanted,
                choices=", ".join(among),
            )
        )
    return lambda reply: float(_chosen(reply, among) == wanted)


def _json_schema(schema: Any, depth: int, equals: Any = None) -> Check:
    if not isinstance(schema, dict):
        raise BadChecker(said("schema must be a mapping", "schema 必须是映射"))
    try:
        validator = validator_of(schema)
    except Exception as error:  # two libraries' own
        raise BadChecker(said("it is no JSON schema: {why}", "不是 JSON Schema：{why}", why=str(error)[:200])) from None

    def check(reply: str) -> float:
        found = json_in(reply)
        return float(found is not None and validator.is_valid(found) and (equals is None or found == equals))

    return check


def _length(depth: int, min: Any = 0, max: Any = None, unit: Any = "characters") -> Check:
    least, most = _figure("min", min), math.inf if max is None else _figure("max", max)
    if unit not in _UNITS:
        raise BadChecker(
            said(
                "no unit {unit!r} (valid: {valid})",
                "没有单位 {unit!r}（合法取值：{valid}）",
                unit=unit,
                valid=", ".join(_UNITS),
            )
        )
    count = _UNITS[unit]
    return lambda reply: float(least <= count(reply.strip()) <= most)


def _language(value: Any, depth: int) -> Check:
    if value not in ("zh", "en"):
        raise BadChecker(
            said("no language {value!r} (valid: zh, en)", "没有语言 {value!r}（合法取值：zh、en）", value=value)
        )
    return lambda reply: float(bool(reply.strip()) and language_of(reply) == value)


def _all(checkers: Any, depth: int) -> Check:
    checks = _several(checkers, depth)
    return lambda reply: min(check(reply) for check in checks)


def _any(checkers: Any, depth: int) -> Check:
    checks = _several(checkers, depth)
    return lambda reply: max(check(reply) for check in checks)


def _mean(checkers: Any, depth: int) -> Check:
    checks = _several(checkers, depth)
    return lambda reply: sum(check(reply) for check in checks) / len(checks)


def _not(checker: Any, depth: int) -> Check:
    check = checker_of(checker, depth + 1)
    return lambda reply: 1.0 - check(reply)


_UNITS: dict[str, Callable[[str], int]] = {
    "characters": len,
    "words": lambda text: len(text.split()),
    "lines": lambda text: sum(bool(line.strip()) for line in text.splitlines()),
}
_KINDS: dict[str, tuple[Callable[..., Check], tuple[str, ...], tuple[str, ...]]] = {
    "exact": (_exact, ("value",), ("strict",)),
    "contains": (_contains, (), ("all", "any", "none")),
    "regex": (_regex, ("pattern",), ("whole",)),
    "number": (_number, ("value",), ("tolerance", "percent", "which")),
    "choice": (_choice, ("value",), ("choices",)),
    "json_schema": (_json_schema, ("schema",), ("equals",)),
    "length": (_length, (), ("min", "max", "unit")),
    "language": (_language, ("value",), ()),
    "all": (_all, ("checkers",), ()),
    "any": (_any, ("checkers",), ()),
    "mean": (_mean, ("checkers",), ()),
    "not": (_not, ("checker",), ()),
}
"""Kind → what makes it, its fields that must be there, and those that may."""


def numbers_in(reply: str) -> list[float]:
    """In the order in which they stand; digits of other widths, and commas between thousands, read as usual."""
    text = unicodedata.normalize("NFKC", reply)
    return [float(found.replace(",", "")) for found in _NUMBER.findall(text)]


def json_in(reply: str) -> Any:
    """The object in a reply, or the list or other value that it is, in a code fence or bare; None where there is none."""
    found = object_in(reply)
    if found is not None:
        return found
    fenced = re.fullmatch(r"```[a-zA-Z0-9]*\s*(.*?)\s*```", reply.strip(), re.DOTALL)
    try:
        return _JSON.decode(fenced[1] if fenced else reply.strip())
    except (ValueError, RecursionError):
        return None


def _chosen(reply: str, among: list[str]) -> str | None:
    """The one choice that stands alone in the reply, or of several the one that its first or last line consists of."""
    text = unicodedata.normalize("NFKC", reply).strip()
    lines = [line.strip(_ENDS + "()[]") for line in text.splitlines() if line.strip()]
    for line in (*lines[:1], *lines[-1:]):
        for each in among:
            if line.casefold() == each.casefold():
                return each
    found = {each for each in among if re.search(rf"(?<![A-Za-z0-9]){re.escape(each)}(?![A-Za-z0-9])", text)}
    return found.pop() if len(found) == 1 else None


def _several(checkers: Any, depth: int) -> list[Check]:
    if not isinstance(checkers, list) or not checkers:
        raise BadChecker(said("checkers must be a list with something in it", "checkers 必须是非空列表"))
    return [checker_of(each, depth + 1) for each in checkers]


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise BadChecker(said("{name} must be text", "{name} 必须是文本", name=name))
    return value


def _texts(name: str, value: Any) -> list[str]:
    """One text or a list of some."""
    several = value if isinstance(value, list) else [value]
    if not several or not all(isinstance(each, str) and each for each in several):
        raise BadChecker(said("{name} must be a text or a list of texts", "{name} 必须是文本或文本列表", name=name))
    return several


def _figure(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise BadChecker(said("{name} must be a number", "{name} 必须是数字", name=name))
    return float(value)


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise BadChecker(said("{name} must be true or false", "{name} 必须是 true 或 false", name=name))
    return value


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _plain(text: str) -> str:
    """Without what does not make an answer another one: case, width, spaces, marks at its ends."""
    return " ".join(_folded(text).split()).strip(_ENDS)


def _every(values: Iterable[bool]) -> bool:
    return all(values)


def _some(values: Iterable[bool]) -> bool:
    return any(values)
