"""What became of an operator's word on a model, where that was nothing: kept so that every worker shows it."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

import msgspec

from pointsman.console.words import Words
from pointsman.domain.said import Said


class Failure(msgspec.Struct, frozen=True):
    """`at` is in seconds since the epoch."""

    at: float
    why: Words


class Failures:
    """One small file a model in `folder`, until somebody has a word on it again. Its methods read and write the disk;
    `keep` and `forget` raise OSError."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def of(self, target: str) -> Failure | None:
        try:
            return msgspec.json.decode(self._path(target).read_bytes(), type=Failure)
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return None

    def keep(self, target: str, why: Said) -> None:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = self._path(target)
        new = path.with_suffix(f".{os.getpid()}")
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(msgspec.json.encode(Failure(time.time(), Words(str(why), why.zh))))
        new.replace(path)

    def forget(self, target: str) -> None:
        self._path(target).unlink(missing_ok=True)

    def _path(self, target: str) -> Path:
        return self._folder / f"{hashlib.sha256(target.encode()).hexdigest()[:24]}.json"
