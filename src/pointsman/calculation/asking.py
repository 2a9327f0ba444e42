"""How a way of asking is written down: a pattern whose groups are read as expressions, and what is made of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import msgspec
import re2

from pointsman.calculation.tree import Problem

if TYPE_CHECKING:
    from pointsman.calculation.expressions import Reader

Slots = dict[str, str]
Build = Callable[["Reader", Slots], Problem | None]
_SLOT = re.compile(r"(?<!\?P)<([a-zA-Z])>")
_BLANK = re.compile(r" (?![*+?])(?![^\[\]]*\])")
_VARIABLE = r"(?:[a-zA-Zα-ωθ]|\\[a-z]+|[a-z]_[0-9a-z])"

_SLOTS = {
    **{name: f"(?P<{name}>.+?)" for name in "eabcn"},
    **{name.upper(): f"(?P<{name}>.+)" for name in "eabcn"},
    "v": f"(?P<v>{_VARIABLE})",
    "k": r"(?P<k>[0-9]{1,2}|[一二两三四五六七八九十])",
}


class Ask(msgspec.Struct, frozen=True):
    """`build` gives None, or raises NotUnderstood, where the words do not mean that after all."""

    pattern: Any
    build: Build

    def slots(self, text: str) -> Iterator[Slots]:
        match = self.pattern.fullmatch(text)
        if match:
            yield {name: (value or "").strip() for name, value in match.groupdict().items()}


def pattern(written: str, *, blanks: bool = True) -> Any:
    """`<e>` is an expression (any text, as short as fits), `<E>` as long as fits, `<v>` a variable, `<k>` a small number. A
    blank stands for blanks, with a question mark behind it for none as well, and without `blanks` always."""
    out = _SLOT.sub(lambda match: _SLOTS[match.group(1)], written)
    out = out.replace(" ?", " *").replace("  *", " *")
    return re2.compile("(?i)" + (out if blanks else _BLANK.sub(" *", out)))
