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
        text = self.left
        at = text.find(word)
        while at >= 0:
            end = at + len(word)
            if not (_glued(text, at - 1, at) or _glued(text, end - 1, end)):
                return at, end
            at = text.find(word, at + 1)
        return None

    @property
    def left(self) -> str:
        """The text with a zero character wherever something was struck."""
        return "".join(self._left)

    def stands_at(self, word: str, at: int) -> bool:
        """Whether `word` is there, not struck, and no piece of a longer Latin word."""
        text, end = self.left, at + len(word)
        return text.startswith(word, at) and not (_glued(text, at - 1, at) or _glued(text, end - 1, end))

    def places(self, word: str) -> list[tuple[str, int, int]]:
        """Where `word` stands, not struck."""
        text = self.left
        return [
            (word, at, at + len(word))
            for at in range(len(text))
            if text.startswith(word, at) and self.stands_at(word, at)
        ]

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
