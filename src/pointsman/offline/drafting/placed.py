"""A rule file as it is to become, put among the rules in force."""

from __future__ import annotations

import msgspec

from pointsman.config.rule_files import RuleFile
from pointsman.config.yaml_source import parse_yaml
from pointsman.console.rules.told import Candidate, Wrong, both
from pointsman.domain.errors import Problem, Problems
from pointsman.domain.policy import PolicyDocument
from pointsman.domain.rule import Rule
from pointsman.domain.said import said
from pointsman.pipeline.document import plain_text_only, wrong_steering
from pointsman.pipeline.rulebook import Rulebook, read_rulebook
from pointsman.rules import duplicate_ids

NOT_WRITTEN = "<写上答案 / write the answer here>"
"""Stands in drafts where a person has to say something."""


class Placed(msgspec.Struct, frozen=True):
    """`rule` is the one in question, None where it is not sound; `rules` are all that would be in force, in their
    order; `book` are those of its file."""

    rule: Rule | None
    rules: tuple[Rule, ...]
    book: Rulebook
    wrong: tuple[Wrong, ...]


def placed(candidate: Candidate, document: PolicyDocument) -> Placed:
    """Everything that is wrong with its form, and with what it names."""
    nothing = Rulebook((), {})
    try:
        source = parse_yaml(candidate.text, candidate.label.rpartition("/")[2])
    except Problems as error:
        return Placed(None, document.rules, nothing, _told(error.problems, candidate))
    file = RuleFile(candidate.pack, source, candidate.guard)
    book, problems = read_rulebook([file])
    problems = [*source.mistakes, *problems, *wrong_steering(book, document.names)]
    own = [rule for rule in book.rules if book.sites[rule.id].place == candidate.place]
    if not book.rules and not problems:
        problems.append(Problem("", said("there is no rule here", "这里没有规则")))
    elif not own and not problems:
        problems.append(Problem("", said("write exactly one rule here", "这里只能写一条规则")))
    others, at = _others(document, candidate)
    for rule in own:
        if any(other.id == rule.id for other in others):
            message = said('another rule is called "{id}" already', "已有另一条规则叫“{id}”", id=rule.id)
            problems.append(Problem("id", message, where=book.sites[rule.id].where("id")))
        if NOT_WRITTEN in str(rule.parameters):
            message = said("write what it answers", "请写上答案")
            problems.append(Problem("answer", message, where=book.sites[rule.id].where("answer")))
    known = [plain_text_only(rule, document.actions) for rule in book.rules]
    rules = (*others[:at], *known, *others[at:])
    problems += duplicate_ids(book.rules)
    asked = next((each for each in known if own and each.id == own[0].id), None)
    return Placed(asked, rules, book, _told(problems, candidate))


def _others(document: PolicyDocument, candidate: Candidate) -> tuple[list[Rule], int]:
    """The rules of all other files, and where among them those of this file stand."""
    label, ids = candidate.label, frozenset(candidate.ids)
    own = [rule.source == label and rule.id in ids for rule in document.rules]
    at = own.index(True) if True in own else len(own)
    return [rule for rule, mine in zip(document.rules, own, strict=True) if not mine], at


def _told(problems: list[Problem], candidate: Candidate) -> tuple[Wrong, ...]:
    return tuple(
        Wrong(
            _line(problem, candidate),
            both(problem.message),
            None if problem.valid is None else both(problem.valid),
        )
        for problem in problems
    )


def _line(problem: Problem, candidate: Candidate) -> int | None:
    """Within the rule, from 1."""
    _, _, number = str(problem.where or "").rpartition(":")
    return int(number) - candidate.line if number.isdigit() and int(number) > candidate.line else None
