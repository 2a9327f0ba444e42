"""Sessions that were signed out before their time: nobody comes in with one again, whoever has its cookie."""

from __future__ import annotations

import hashlib
import time
from pathlib import Path

from pointsman.console.sessions import Session


class EndedSessions:
    """One empty file each in `folder`, which all workers read, until the session would be over anyway. `end` raises
    OSError."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def end(self, session: Session) -> None:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._path(session).touch(0o600)
        now = time.time()
        for path in self._folder.iterdir():
            until = path.name.partition("-")[0]
            if until.isdigit() and int(until) < now:
                path.unlink(missing_ok=True)

    def has(self, session: Session) -> bool:
        return self._path(session).exists()

    def _path(self, session: Session) -> Path:
        """Nothing in its name helps to make the cookie."""
        return self._folder / f"{session.until}-{hashlib.sha256(session.mark.encode()).hexdigest()[:32]}"
