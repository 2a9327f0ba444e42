"""A sentence in both languages that is, to code which does not care, simply its English text."""

from __future__ import annotations

from typing import Any, Literal

Tongue = Literal["zh", "en"]


class Said(str):
    """The English text, with the Chinese one beside it. Joining or formatting it gives a plain `str`: build a longer
    sentence with `said`, whose slots may be `Said` themselves."""

    __slots__ = ("zh",)
    zh: str

    def __new__(cls, en: str, zh: str) -> Said:
        self = super().__new__(cls, en)
        self.zh = zh
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Said, (str(self), self.zh)


def said(en: str, zh: str, **slots: Any) -> Said:
    """Both templates with their slots filled; a slot that is a `Said` is filled in its own language."""
    return Said(en.format(**slots), zh.format(**{name: in_zh(value) for name, value in slots.items()}))


def in_zh(value: Any) -> Any:
    """The Chinese of what has one, else the value itself."""
    return value.zh if isinstance(value, Said) else value


def told(text: str, tongue: Tongue) -> str:
    """The text in that language, as far as it exists in it."""
    return text.zh if tongue == "zh" and isinstance(text, Said) else str(text)


def encodable(value: Any, tongue: Tongue) -> str:
    """For msgspec's encoders, which refuse subclasses of str: the text in that language. Raises NotImplementedError, as
    msgspec wants it, for any other type."""
    if isinstance(value, Said):
        return told(value, tongue)
    raise NotImplementedError(f"no JSON for {type(value).__name__}")
