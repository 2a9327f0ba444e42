"""Taking known words out of a text, so that what is left can be looked at."""

from __future__ import annotations

from collections.abc import Iterable

STRUCK, PERIOD, REPORT, FORMAT, NAME = "\0", "\1", "\2", "\3", "\4"
"""What a struck character is replaced by: anything, a period, a report or measure, a format, a dimension's name."""


class Remaining:
    """A folded text from which matched words are struck. Struck places never match again."""

    def __init__(self, folded: str) -> None:
        self.text = "".join(" " if c < " " else c for c in folded)
        self._left = list(self.text)

    def strike(self, start: int, end: int, mark: str = STRUCK) -> None:
        self._left[start:end] = mark * (end - start)

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
        """The text with a mark for every character that was struck."""
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

    def take(self, words: Iterable[str], mark: str = STRUCK) -> list[tuple[str, int, int]]:
        """Strikes every word that occurs, the longest first, each as often as it occurs."""
        found = []
        for word in sorted({word for word in words if word in self.text}, key=len, reverse=True):
            while word and (place := self.find(word)):
                self.strike(*place, mark)
                found.append((word, *place))
        return sorted(found, key=lambda item: item[1])

    def within(self, start: int, end: int, words: Iterable[str]) -> bool:
        """Whether what stands there is a piece of a longer one of these words, which stands there whole and not struck."""
        text = self.left
        word = text[start:end]
        return any(
            start >= at and longer.startswith(word, at) and text.startswith(longer, start - at)
            for longer in words
            if word in longer and word != longer
            for at in range(len(longer) - len(word) + 1)
        )

    def pieces(self) -> list[str]:
        """What is left, cut where something was struck or a mark stands."""
        cut = "".join(c if c.isalnum() or c in "'-" else " " for c in self._left)
        return [piece.strip("'-") for piece in cut.split() if piece.strip("'-")]


def _glued(text: str, left: int, right: int) -> bool:
    if left < 0 or right >= len(text):
        return False
    a, b = text[left], text[right]
    return a.isascii() and b.isascii() and a.isalnum() and b.isalnum()
