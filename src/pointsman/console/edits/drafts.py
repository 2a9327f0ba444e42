"""What somebody is writing and has not published: kept as they type, so that a page that is loaded again, closed, or
open twice loses nothing."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import tempfile
import time
from pathlib import Path

import msgspec

_KEEP = 30 * 86_400.0
_MOST = 50  # of one person
_NAME = re.compile(r"[0-9a-f]{12}")


class Draft(msgspec.Struct, frozen=True):
    """`about` is what it is of, `text` what they wrote, `base` what stood there when they began; `file` is where it
    is to go. `at` is when it was kept, seconds since the epoch."""

    id: str
    about: str
    text: str
    base: str
    file: str
    at: float


class Drafts:
    """Lie in a folder of the data folder, one folder a person, for its owner only. Its methods raise OSError."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @staticmethod
    def name() -> str:
        """Of one that begins."""
        return secrets.token_hex(6)

    def keep(self, person: str, draft: Draft) -> None:
        """The oldest ones go where there are too many."""
        if not _NAME.fullmatch(draft.id):
            return
        folder = self._of(person)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        # a name of its own: a page has its draft kept by two requests at a time
        number, new = tempfile.mkstemp(prefix=f".{draft.id}.", dir=folder)
        with os.fdopen(number, "wb") as file:
            file.write(msgspec.json.encode(msgspec.structs.replace(draft, at=time.time())))
        Path(new).replace(folder / f"{draft.id}.json")
        for old in self.all(person)[_MOST:]:
            self.drop(person, old.id)

    def find(self, person: str, name: str) -> Draft | None:
        return _read(self._of(person) / f"{name}.json") if _NAME.fullmatch(name) else None

    def all(self, person: str) -> list[Draft]:
        """The newest first; none that is older than a month."""
        found = map(_read, self._of(person).glob("*.json"))
        since = time.time() - _KEEP
        return sorted((each for each in found if each is not None and each.at > since), key=lambda each: -each.at)

    def drop(self, person: str, name: str) -> None:
        if _NAME.fullmatch(name):
            (self._of(person) / f"{name}.json").unlink(missing_ok=True)

    def _of(self, person: str) -> Path:
        return self._folder / hashlib.sha256(person.encode()).hexdigest()[:16]


def _read(file: Path) -> Draft | None:
    """None where there is none, dropped meanwhile, or what lies there is no draft."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=Draft)
    except (FileNotFoundError, msgspec.DecodeError, UnicodeDecodeError):
        return None
