"""One entry of an FAQ."""

from __future__ import annotations

import msgspec

from pointsman.domain.said import Tongue


class Entry(msgspec.Struct, frozen=True, gc=False):
    """`questions` are all the ways to ask it, in any language, the one that is shown for a language under it in `titles`.
    `answers` are by language; one without is for all, under ``""``."""

    id: str
    questions: tuple[str, ...]
    titles: dict[str, str]
    answers: dict[str, str]
    keywords: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    def answer(self, tongue: Tongue) -> str:
        """In that language, or else in the one that there is."""
        return _in(self.answers, tongue)

    def title(self, tongue: Tongue) -> str:
        return _in(self.titles, tongue)


def _in(texts: dict[str, str], tongue: Tongue) -> str:
    return texts.get(tongue) or texts.get("") or next(iter(texts.values()))
