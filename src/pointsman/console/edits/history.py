"""What files were before somebody changed them here: each former file whole, with who changed it, when, and the
difference."""

from __future__ import annotations

import difflib
import hashlib
import re
import secrets
import time
from pathlib import Path

import msgspec

_MOST = 500  # changes that are listed of a file
_NAME = re.compile(r"[0-9]{13}-[0-9a-f]{6}")


class Change(msgspec.Struct, frozen=True):
    """`at` is in seconds since the epoch, `about` what of the file was changed; `undoes` is the change that this one
    took back. `outcome` is what the gateway said of it."""

    id: str
    path: str
    at: float
    author: str
    about: str
    undoes: str | None = None
    outcome: str = ""


class History:
    """Lies in a folder of the data folder, for its owner only: one folder a file, in it `ID.json`, `ID.before`,
    `ID.after` and `ID.diff`. Its methods raise OSError."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(
        self,
        path: Path,
        before: str,
        after: str,
        *,
        author: str,
        about: str,
        undoes: str | None = None,
        outcome: str = "",
    ) -> Change:
        at = time.time()
        change = Change(f"{int(at * 1000):013d}-{secrets.token_hex(3)}", str(path), at, author, about, undoes, outcome)
        folder = self._of(path)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for ending, data in (
            ("before", before.encode()),
            ("after", after.encode()),
            ("diff", difference(before, after, path.name).encode()),
            ("json", msgspec.json.encode(change)),
        ):
            file = folder / f"{change.id}.{ending}"
            file.touch(0o600)
            file.write_bytes(data)
        return change

    def changes(self, path: Path, about: str | None = None) -> list[Change]:
        """Of a file, newest first; of all of it, or of one thing in it."""
        folder = self._of(path)
        names = sorted((each.stem for each in folder.glob("*.json")), reverse=True)[:_MOST]
        found = [msgspec.json.decode((folder / f"{name}.json").read_bytes(), type=Change) for name in names]
        return [change for change in found if about in (None, change.about)]

    def texts(self, path: Path, name: str) -> tuple[str, str] | None:
        """The file before and after that change; None where there is no such change."""
        folder = self._of(path)
        if not _NAME.fullmatch(name) or not (folder / f"{name}.json").exists():
            return None
        return (folder / f"{name}.before").read_bytes().decode(), (folder / f"{name}.after").read_bytes().decode()

    def _of(self, path: Path) -> Path:
        real = path.resolve()
        stem = re.sub(r"[^\w.-]", "_", real.name)[:60]
        return self._folder / f"{stem}-{hashlib.sha256(str(real).encode()).hexdigest()[:10]}"


def difference(before: str, after: str, name: str) -> str:
    """As `diff -u` tells it; empty where nothing differs."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), f"a/{name}", f"b/{name}", lineterm="")
    return "".join(f"{line}\n" for line in lines)
