"""Taking known words out of a text, so that what is left can be looked at."""

from __future__ import annotations

from collections.abc import Iterable


class Remaining:
    """A folded text from which matched words are struck. Struck places never match again."""

    def __init__(self, folded: str) -> None:
        self.text = folded
        self._left = list(folded)

    def strike(self, start: int, end: int) -> None:
        self._left[start:end] = "\0" * (end - start)

    def find(self, word: str) -> tuple[int, int] | None:
        """The first place of `word` (folded) that is not struck; a Latin word only as a whole word."""
        text = "".join(self._left)
        at = text.find(word)
        while at >= 0:
            end = at + len(word)
            if not (_glued(text, at - 1, at) or _glued(text, end - 1, end)):
                return at, end
            at = text.find(word, at + 1)
        return None

    def take(self, words: Iterable[str]) -> list[tuple[str, int, int]]:
        """Strikes every word that occurs, the longest first, each as often as it occurs."""
        found = []
        for word in sorted(set(words), key=len, reverse=True):
            while word and (place := self.find(word)):
                self.strike(*place)
                found.append((word, *place))
        return sorted(found, key=lambda item: item[1])

    def pieces(self) -> list[str]:
        """What is left, cut where something was struck or a mark stands."""
        cut = "".join(c if c != "\0" and (c.isalnum() or c in "'-") else " " for c in self._left)
        return [piece.strip("'-") for piece in cut.split() if piece.strip("'-")]


def _glued(text: str, left: int, right: int) -> bool:
    if left < 0 or right >= len(text):
        return False
    a, b = text[left], text[right]
    return a.isascii() and b.isascii() and a.isalnum() and b.isalnum()
