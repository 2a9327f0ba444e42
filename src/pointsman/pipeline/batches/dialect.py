"""What batches need of whoever knows the form of their files."""

from __future__ import annotations

from typing import Literal, Protocol

import msgspec

from pointsman.domain.batch import LineProblem, Order
from pointsman.domain.said import Said


class BadLine(Exception):
    """A line that is no request. `param` is the member of it that is wrong."""

    def __init__(self, why: Said, code: str, param: str | None = None) -> None:
        super().__init__(why)
        self.why = why
        self.code = code
        self.param = param

    def at(self, line: int) -> LineProblem:
        return LineProblem(self.code, (str(self.why), self.why.zh), line, self.param)


class Line(msgspec.Struct, frozen=True):
    """A request. `name` is the caller's own for it, `body` what would be posted."""

    name: str
    body: bytes


class Fate(msgspec.Struct, frozen=True):
    """What became of a request. `reply` is the result of its job; `code` and `why` are those of one that failed for good,
    without a reply."""

    kind: Literal["replied", "failed", "cancelled", "expired"]
    reply: bytes = b""
    code: str = ""
    why: tuple[str, str] | None = None


class Result(msgspec.Struct, frozen=True):
    """A line of the output, with its line break; where it is not `ok`, of the file of errors."""

    ok: bool
    line: bytes


class Dialect(Protocol):
    """Its methods compute, and are called in a thread."""

    def read(self, data: bytes, endpoint: str) -> Line:
        """A line of the input, without white space around it. Raises BadLine."""

    def body(self, order: Order, line: Line, job_id: str) -> bytes:
        """The body of the job that this request is going to be."""

    def result(self, order: Order, name: str, job_id: str, fate: Fate) -> Result:
        """What its caller is told of it."""
