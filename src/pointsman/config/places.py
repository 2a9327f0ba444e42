"""Whose mistake it is: a setting comes from the file, from a variable of the environment, or from a flag."""

from __future__ import annotations

from collections.abc import Iterable

from pointsman.config.others_words import in_both
from pointsman.config.yaml_source import TOP, YamlSource
from pointsman.domain.errors import Problem


class Places:
    """Where every setting of one config was written."""

    def __init__(self, source: YamlSource) -> None:
        self._source = source
        self._given: dict[str, tuple[str, str]] = {}
        self._filled: dict[str, tuple[str, str]] = {}
        self._spoilt = {mistake.path for mistake in source.mistakes}

    def give(self, path: str, name: str, where: str) -> None:
        """The setting at `path` is the one of the variable or flag `name`; what the file says there does not count."""
        self._given[path] = (name, where)

    def fill(self, path: str, written: str, value: str) -> None:
        """The text at `path` is written with variables and stands for `value`, which no message may show."""
        self._filled[path] = (written, value)

    def spoil(self, path: str) -> None:
        """What stands at `path` is no value; what else is wrong with it is not worth saying."""
        self._spoilt.add(path)

    def place(self, problem: Problem, at: str | None = None) -> Problem:
        """The same problem with where it stands; `at` is a path nearer to it than its own. One that knows it already
        stays as it is."""
        if problem.where:
            return problem
        path = at or problem.path
        for setting, (name, where) in self._given.items():
            if _within(path, setting):
                return Problem(name, problem.message, valid=problem.valid, where=where)
        message = problem.message
        for setting, (written, value) in self._filled.items():
            if value and _within(path, setting):
                message = in_both(message, _Masked(value, written))
        return Problem(problem.path or TOP, message, valid=problem.valid, where=self._source.where(path))

    def place_all(self, problems: Iterable[Problem]) -> list[Problem]:
        """All of them placed, without those at spoilt places, of which something is said already."""
        return [self.place(problem) for problem in problems if problem.where or problem.path not in self._spoilt]


class _Masked:
    """A text with a value, in whatever quotes, as its author wrote it."""

    def __init__(self, value: str, written: str) -> None:
        self._pairs = [(repr(value), repr(written))]
        self._pairs += [(f"{left}{value}{right}", f"{left}{written}{right}") for left, right in ('""', "“”")]

    def __call__(self, text: str) -> str:
        for shown, written in self._pairs:
            text = text.replace(shown, written)
        return text


def _within(path: str, setting: str) -> bool:
    return path == setting or path.startswith((f"{setting}.", f"{setting}["))
