"""What was graded already, a JSON line each: a run that was broken off goes on from there."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import IO

import msgspec

from pointsman.bench.quality.ask import JUDGED_BY
from pointsman.bench.quality.eval_set import Task
from pointsman.config.others_words import why
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import said


class Graded(msgspec.Struct, frozen=True, omit_defaults=True):
    """`subject` is whose reply it is, `mark` what it is a reply to and how it was graded. `empty`: it answered nothing."""

    subject: str
    id: str
    mark: str
    grade: float
    reply: str = ""
    empty: bool = False
    seconds: float = 0.0
    output_tokens: int = 0


def mark_of(task: Task, judge: str | None) -> str:
    """Of a task as it is graded: by its checker, or by that judge."""
    if task.check is not None or judge is None:
        return task.mark
    return sha256("\n".join((task.mark, judge, JUDGED_BY)).encode()).hexdigest()[:16]


class Runs:
    """A file that only grows; None keeps all in memory. Lines that cannot be read are passed over: the last one of a run
    that was killed may be half a line."""

    def __init__(self, path: Path | None) -> None:
        self._known: dict[tuple[str, str], Graded] = {}
        self._file: IO[bytes] | None = None
        if path is None:
            return
        try:
            self._file = path.open("a+b")
            self._file.seek(0)
            data = self._file.read()
            if data and not data.endswith(b"\n"):
                self._file.write(b"\n")
        except OSError as error:
            message = said("{path} cannot be used: {why}", "无法使用 {path}：{why}", path=path, why=why(error))
            raise PointsmanError(message) from None
        for line in data.splitlines():
            try:
                graded = msgspec.json.decode(line, type=Graded)
            except (msgspec.DecodeError, UnicodeDecodeError):
                continue
            self._known[graded.subject, graded.mark] = graded

    def get(self, subject: str, mark: str) -> Graded | None:
        return self._known.get((subject, mark))

    def put(self, graded: Graded) -> None:
        """Raises PointsmanError where the disk takes nothing."""
        self._known[graded.subject, graded.mark] = graded
        if self._file is not None:
            try:
                self._file.write(msgspec.json.encode(graded) + b"\n")
                self._file.flush()
            except OSError as error:
                raise PointsmanError(said("nothing can be written: {why}", "无法写入：{why}", why=why(error))) from None

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
