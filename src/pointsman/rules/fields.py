"""Reading what a person wrote: each reader returns the value, or None after it noted what is wrong and where."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pointsman.domain.errors import Problem, did_you_mean
from pointsman.domain.said import Said, said

A_TEXT = said("a text", "文本")
A_LIST = said("a list", "列表")
A_MAPPING = said("a mapping", "映射")
IS_EMPTY = said("is empty", "是空的")


class Notes:
    """Problems found so far. `where` is the file; `rule` the id of the rule being read, once it is known."""

    def __init__(self, where: str | None = None) -> None:
        self.where = where
        self.rule: str | None = None
        self.problems: list[Problem] = []

    def wrong(self, path: str, message: str, valid: str | None = None) -> None:
        about = message
        if self.rule:
            about = said("{message} (rule {rule})", "{message}（规则 {rule}）", message=message, rule=self.rule)
        self.problems.append(Problem(path, about, valid=valid, where=self.where))

    def unknown_keys(self, path: str, mapping: dict[Any, Any], valid: Iterable[str]) -> None:
        names = list(valid)
        for key in mapping:
            if key not in names:
                hint = did_you_mean(str(key), names)
                message = said('unknown key "{key}"{hint}', "不认识的键“{key}”{hint}", key=key, hint=hint)
                self.wrong(f"{path}.{key}", message, ", ".join(names))

    def mapping(self, path: str, value: Any) -> dict[Any, Any] | None:
        if isinstance(value, dict):
            return value
        self.wrong(path, must_be(A_MAPPING, value))
        return None

    def sequence(self, path: str, value: Any) -> list[Any] | None:
        if isinstance(value, list) and value:
            return value
        self.wrong(path, IS_EMPTY if value == [] else must_be(A_LIST, value))
        return None

    def text(self, path: str, value: Any) -> str | None:
        if isinstance(value, str):
            if value.strip():
                return value
            self.wrong(path, IS_EMPTY)
        elif isinstance(value, (bool, int, float)) or value is None:
            wrong = must_be(A_TEXT, value)
            self.wrong(path, said("{wrong}: put it in quotes", "{wrong}，请加引号", wrong=wrong))
        else:
            self.wrong(path, must_be(A_TEXT, value))
        return None

    def texts(self, path: str, value: Any) -> tuple[str, ...]:
        items = self.sequence(path, value)
        read = [self.text(f"{path}[{place}]", item) for place, item in enumerate(items or ())]
        return tuple(text for text in read if text is not None)

    def number(self, path: str, value: Any, least: int, most: int) -> int | None:
        valid = said("{least} to {most}", "{least} 到 {most}", least=least, most=most)
        if isinstance(value, int) and not isinstance(value, bool):
            if least <= value <= most:
                return value
            self.wrong(path, said("is {value}", "是 {value}，超出范围", value=value), valid)
        else:
            self.wrong(path, must_be(said("a whole number", "整数"), value), valid)
        return None

    def flag(self, path: str, value: Any) -> bool | None:
        if isinstance(value, bool):
            return value
        self.wrong(path, must_be(said("true or false", " true 或 false"), value), "true, false")
        return None

    def names(self, path: str, value: Any, valid: Iterable[str] | None = None) -> frozenset[str] | None:
        """One text or a list of texts, each among `valid` where that is given."""
        items = (value,) if isinstance(value, str) else self.texts(path, value)
        if not items:
            return None
        if valid is not None:
            allowed = list(valid)
            for item in items:
                if item not in allowed:
                    hint = did_you_mean(item, allowed)
                    message = said('unknown value "{item}"{hint}', "没有“{item}”这个取值{hint}", item=item, hint=hint)
                    self.wrong(path, message, ", ".join(allowed))
                    return None
        return frozenset(items)


def kind(value: Any) -> str:
    """How a person would call the type of a YAML value."""
    if value is None:
        return said("nothing", "空值")
    if isinstance(value, bool):
        return said("the truth value {value}", "布尔值 {value}", value=str(value).lower())
    if isinstance(value, (int, float)):
        return said("the number {value}", "数字 {value}", value=value)
    if isinstance(value, str):
        return A_TEXT
    if isinstance(value, list):
        return A_LIST
    return A_MAPPING if isinstance(value, dict) else type(value).__name__


def must_be(wanted: str, value: Any) -> Said:
    return said("must be {wanted}, not {found}", "必须是{wanted}，而不是{found}", wanted=wanted, found=kind(value))
