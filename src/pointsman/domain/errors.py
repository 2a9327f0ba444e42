"""Errors that reach a person: what was wrong, where, and what is valid. Nothing else of the inside leaks."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Literal

from pointsman.domain.said import Said, Tongue, said, told

ErrorType = Literal[
    "invalid_request_error",
    "authentication_error",
    "permission_error",
    "not_found_error",
    "rate_limit_error",
    "overloaded_error",
    "timeout_error",
    "api_error",
]


class PointsmanError(Exception):
    """The gateway's one error shape on the wire. `src` says who failed: the gateway or the backend behind it; `headers` go
    with it."""

    def __init__(
        self,
        message: str,
        *,
        status: int = 400,
        type: ErrorType = "invalid_request_error",
        code: str = "bad_request",
        param: str | None = None,
        src: Literal["gateway", "backend"] = "gateway",
        retry_after: float | None = None,
        headers: tuple[tuple[bytes, bytes], ...] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.type = type
        self.code = code
        self.param = param
        self.src = src
        self.retry_after = retry_after
        self.headers = headers


class Problem(Exception):
    """One thing that is wrong in a file that a person wrote. `path` is a place in it (`routes[1].target`), `valid` what
    would be right there."""

    def __init__(self, path: str, message: str, *, valid: str | None = None, where: str | None = None) -> None:
        self.path = path
        self.message = message
        self.valid = valid
        self.where = where
        super().__init__(str(self))

    def __str__(self) -> str:
        place = f"{self.where}: {self.path}" if self.where else self.path
        return f"{place}: {self.message}" + (f" (valid: {self.valid})" if self.valid else "")

    def text(self, tongue: Tongue) -> str:
        """Place, message and valid values in that language."""
        return told(self.said, tongue)

    @property
    def said(self) -> Said:
        """All of it in both languages; the English text is that of `str`."""
        place = (
            said("{where}: {path}", "{where}：{path}", where=self.where, path=self.path) if self.where else self.path
        )
        valid = said(" (valid: {valid})", "（合法取值：{valid}）", valid=self.valid) if self.valid else ""
        return said(
            "{place}: {message}{valid}", "{place}：{message}{valid}", place=place, message=self.message, valid=valid
        )


class Problems(Exception):
    """Everything that is wrong, at once."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        super().__init__("\n".join(str(problem) for problem in problems))

    @property
    def said(self) -> Said:
        """As `Problem.said`, one a line."""
        return Said(str(self), "\n".join(problem.said.zh for problem in self.problems))


def did_you_mean(word: str, valid: list[str]) -> Said:
    """`, did you mean "x"?` where one valid word is close, else nothing."""
    close = get_close_matches(word, valid, n=1, cutoff=0.6)
    return said(', did you mean "{close}"?', "，是不是“{close}”？", close=close[0]) if close else Said("", "")
