"""Rule files → rules, each with the place where it stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from pointsman.config.rule_files import RuleFile
from pointsman.domain.errors import Problem, Problems
from pointsman.domain.rule import Rule
from pointsman.rules import duplicate_ids, missing_cases, parse_rules


class Site(msgspec.Struct, frozen=True):
    """Where a rule stands: the `place`-th of its file, counted from 0."""

    file: RuleFile
    place: int

    @property
    def data(self) -> dict[str, Any]:
        """The rule as its author wrote it."""
        data = self.file.source.data
        found: dict[str, Any] = (data if isinstance(data, list) else data["rules"])[self.place]
        return found

    def where(self, below: str) -> str:
        """`file:line` of a path inside the rule, such as `route.tier`."""
        return _where(self.file, f"rules[{self.place}].{below}")


class Rulebook(msgspec.Struct, frozen=True):
    """The sound rules in the order of loading, no two with one id, and where each stands, by id."""

    rules: tuple[Rule, ...]
    sites: dict[str, Site]


def read_rulebook(files: Iterable[RuleFile], *, cases: bool = True) -> tuple[Rulebook, list[Problem]]:
    """The rules of all files that are sound, and all that is wrong with any, each with its file and line; also that a rule
    lacks `cases`, unless these do not matter."""
    rules: list[Rule] = []
    sites: list[Site] = []
    problems: list[Problem] = []
    for file in files:
        try:
            parsed = parse_rules(file.source.data, pack=file.pack, source=file.label)
        except Problems as error:
            problems += [_placed(file, problem) for problem in error.problems]
            continue
        rules += parsed
        there = [Site(file, place) for place in range(len(parsed))]
        sites += there
        if cases:
            problems += _without_cases(parsed, there)
    problems += duplicate_ids(rules, [site.where("id") for site in sites])
    first: dict[str, tuple[Rule, Site]] = {}
    for rule, site in zip(rules, sites, strict=True):
        first.setdefault(rule.id, (rule, site))
    book = Rulebook(tuple(rule for rule, _ in first.values()), {rule_id: site for rule_id, (_, site) in first.items()})
    return book, problems


def _without_cases(rules: tuple[Rule, ...], sites: list[Site]) -> Iterator[Problem]:
    """Rules that lack cases. The flat form may lack them: it is also written by others, who have none."""
    for rule, site in zip(rules, sites, strict=True):
        if "when" in site.data and (lacking := missing_cases(rule)):
            yield Problem(f"rules.{rule.id}", lacking, where=site.where("id"))


def _placed(file: RuleFile, problem: Problem) -> Problem:
    return Problem(problem.path, problem.message, valid=problem.valid, where=_where(file, problem.path))


def _where(file: RuleFile, path: str) -> str:
    """`path` begins with `rules`, under which a file may also leave its list bare."""
    return file.source.where(path.removeprefix("rules") if isinstance(file.source.data, list) else path)
