"""By how much feedback moves the quality of each model now, and a line in the log whenever that changes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable

from pointsman.domain.feedback import Signs, Word
from pointsman.domain.quality import Quality, QualityShift
from pointsman.domain.said import Said
from pointsman.routing.feedback import FeedbackRules, Moved, moves, shifts_of

log = logging.getLogger("pointsman")

_ALL = Said("all its work", "所有任务")


class MovedQuality:
    """`publish` gets the shifts whenever they are others than before. `tells`: this process is the one that says so in the
    log, where several work it out alike."""

    def __init__(self, publish: Callable[[tuple[QualityShift, ...]], None], tells: bool = True) -> None:
        self._publish = publish
        self._tells = tells
        self._shifts: tuple[QualityShift, ...] = ()
        self.rules = FeedbackRules()
        self.table: tuple[Quality, ...] = ()
        self.moved: tuple[Moved, ...] = ()

    def work_out(self, words: Iterable[Word], signs: Iterable[Signs], today: int) -> tuple[Moved, ...]:
        """For another thread: nothing is changed."""
        return moves(words, signs, self.table, today, self.rules)

    def take(self, moved: tuple[Moved, ...]) -> None:
        """From here on these hold."""
        before = {(each.model, each.task): each.shift for each in self.moved}
        self.moved = moved
        now = {(each.model, each.task): each for each in moved}
        if self._tells:
            for key in sorted(before.keys() | now.keys(), key=lambda key: (key[0], key[1] or "")):
                was, each = before.get(key, 0.0), now.get(key)
                shift = 0.0 if each is None else each.shift
                if shift != was:
                    _say(key, was, shift, each)
        shifts = shifts_of(moved)
        if shifts != self._shifts:
            self._shifts = shifts
            self._publish(shifts)


def _say(key: tuple[str, str | None], was: float, shift: float, each: Moved | None) -> None:
    model, task = key
    words, signs = (0, 0) if each is None else (each.words, each.signs)
    en = "feedback moves the quality of %s at %s from %+.2f to %+.2f (words: %d, replies watched: %d)"
    zh = "反馈把 %s 在 %s 上的质量修正从 %+.2f 调整为 %+.2f，依据 %d 条评价和 %d 条观察到的回复"
    log.info(Said(en, zh), model, task or _ALL, was, shift, words, signs)
