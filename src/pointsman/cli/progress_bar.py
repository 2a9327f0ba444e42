"""How far something is: a line that is redrawn in a terminal, a line for each change elsewhere."""

from __future__ import annotations

import os
import shutil
import sys
import time

from pointsman.cli.demo_screen import cells
from pointsman.cli.job_words import long_span
from pointsman.domain.said import Tongue, said, told

_WIDTH = 24
_SETTLED = 5.0  # seconds after which what is left can be told


class ProgressBar:
    """On standard output. `tongue` is that of what it adds itself. `live`: it is redrawn."""

    def __init__(self, tongue: Tongue) -> None:
        self._tongue = tongue
        self.live = sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self._began: tuple[float, int] | None = None
        self._last: tuple[str, int] | None = None
        self._open = False

    def show(self, text: str, done: int | None = None, of: int | None = None) -> None:
        """`text` says what is going on; `done` of how many, where that is known. Where lines are printed, none comes for a
        change of less than a hundredth of the whole."""
        part = done / of if done is not None and of else None
        if self.live:
            self._draw(text, done, of, part)
            return
        state = (text, int(100 * part) if part is not None else -1)
        if state != self._last:
            self._last = state
            counted = f"  {done}/{of} ({100 * part:.0f} %)" if part is not None else ""
            print(f"{time.strftime('%H:%M:%S')}  {text}{counted}", flush=True)

    def end(self) -> None:
        """What is printed from here on begins a line of its own."""
        if self._open:
            print(flush=True)
            self._open = False

    def _draw(self, text: str, done: int | None, of: int | None, part: float | None) -> None:
        line = text
        if part is not None and done is not None:
            full = round(_WIDTH * min(part, 1.0))
            bar = "█" * full + "░" * (_WIDTH - full)
            line = f"{bar} {100 * part:3.0f} %  {done}/{of}  {text}{self._left(done, of or 0)}"
        width = shutil.get_terminal_size((80, 24)).columns - 1
        while cells(line) > width:
            line = line[:-1]
        print(f"\r\033[K{line}", end="", flush=True)
        self._open = True

    def _left(self, done: int, of: int) -> str:
        """How long it is going to take from here, by how it went while somebody looked."""
        now = time.monotonic()
        if self._began is None or done < self._began[1]:
            self._began = now, done
        since, before = self._began
        if now - since < _SETTLED or done <= before or done >= of:
            return ""
        seconds = (now - since) * (of - done) / (done - before)
        return told(said(*_LEFT, left=long_span(seconds)), self._tongue)


_LEFT = (", about {left} left", "，约剩 {left}")
