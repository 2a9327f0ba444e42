"""Reading what a person wrote: each reader returns the value, or None after it noted what is wrong and where."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pointsman.domain.errors import Problem, did_you_mean


class Notes:
    """Problems found so far. `where` is the file; `rule` the id of the rule being read, once it is known."""

    def __init__(self, where: str | None = None) -> None:
        self.where = where
        self.rule: str | None = None
        self.problems: list[Problem] = []

    def wrong(self, path: str, message: str, valid: str | None = None) -> None:
        about = f"{message} (rule {self.rule})" if self.rule else message
        self.problems.append(Problem(path, about, valid=valid, where=self.where))

    def unknown_keys(self, path: str, mapping: dict[Any, Any], valid: Iterable[str]) -> None:
        names = list(valid)
        for key in mapping:
            if key not in names:
                self.wrong(f"{path}.{key}", f'unknown key "{key}"{did_you_mean(str(key), names)}', ", ".join(names))

    def mapping(self, path: str, value: Any) -> dict[Any, Any] | None:
        if isinstance(value, dict):
            return value
        self.wrong(path, f"must be a mapping, not {kind(value)}")
        return None

    def sequence(self, path: str, value: Any) -> list[Any] | None:
        if isinstance(value, list) and value:
            return value
        self.wrong(path, "is empty" if value == [] else f"must be a list, not {kind(value)}")
        return None

    def text(self, path: str, value: Any) -> str | None:
        if isinstance(value, str):
            if value.strip():
                return value
            self.wrong(path, "is empty")
        elif isinstance(value, (bool, int, float)) or value is None:
            self.wrong(path, f"must be a text, not {kind(value)}: put it in quotes")
        else:
            self.wrong(path, f"must be a text, not {kind(value)}")
        return None

    def texts(self, path: str, value: Any) -> tuple[str, ...]:
        items = self.sequence(path, value)
        read = [self.text(f"{path}[{place}]", item) for place, item in enumerate(items or ())]
        return tuple(text for text in read if text is not None)

    def number(self, path: str, value: Any, least: int, most: int) -> int | None:
        if isinstance(value, int) and not isinstance(value, bool):
            if least <= value <= most:
                return value
            self.wrong(path, f"is {value}", f"{least} to {most}")
        else:
            self.wrong(path, f"must be a whole number, not {kind(value)}", f"{least} to {most}")
        return None

    def flag(self, path: str, value: Any) -> bool | None:
        if isinstance(value, bool):
            return value
        self.wrong(path, f"must be true or false, not {kind(value)}", "true, false")
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
                    self.wrong(path, f'unknown value "{item}"{did_you_mean(item, allowed)}', ", ".join(allowed))
                    return None
        return frozenset(items)


def kind(value: Any) -> str:
    """How a person would call the type of a YAML value."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return f"the truth value {str(value).lower()}"
    if isinstance(value, (int, float)):
        return f"the number {value}"
    if isinstance(value, str):
        return "a text"
    if isinstance(value, list):
        return "a list"
    return "a mapping" if isinstance(value, dict) else type(value).__name__
