"""Rule files → a policy that holds nothing but rules: no model, no route, no report."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Literal

import msgspec

from pointsman import __version__
from pointsman.config.rule_files import RuleFile
from pointsman.domain.errors import Problem, did_you_mean
from pointsman.domain.policy import EntryRule, PolicyDocument
from pointsman.domain.rule import Rule
from pointsman.domain.said import said
from pointsman.domain.task_types import TASK_TYPES
from pointsman.framing import with_shipped
from pointsman.library.errors import RulesError
from pointsman.pipeline.book_cases import wrong_cases
from pointsman.pipeline.document import plain_text_only
from pointsman.pipeline.policy import EXPORT, Policy
from pointsman.pipeline.rulebook import Rulebook, read_rulebook

Cases = Literal["run", "skip"]
KINDS = ("answer", "refuse", "route", "mark")
ELSEWHERE = ""
"""Stands for every entry that no rule names."""


class Ruling(msgspec.Struct, frozen=True):
    """Rules that are in force: the policy, each rule by its id, and the actions that they name and rules do not carry
    out themselves."""

    policy: Policy
    rules: dict[str, Rule]
    named: frozenset[str]

    def entry(self, name: str) -> str:
        """The policy's name for an entry."""
        return name if name in self.policy.entries else ELSEWHERE


def rule_by(
    files: Sequence[RuleFile],
    problems: Sequence[Problem],
    *,
    cases: Cases,
    actions: Collection[str] | None,
    language: Literal["zh", "en"] | None,
) -> Ruling:
    """`problems` are those of reading the files; `actions` the names that the program carries out, None where it does not
    say. Raises RulesError with all that is wrong."""
    book, wrong = read_rulebook(files, cases=cases == "run")
    found = [*problems, *wrong, *_wrong_tasks(book)]
    if cases == "run":
        found += wrong_cases(book)
    named = frozenset(rule.action for rule in book.rules if _is_named(rule))
    if actions is not None:
        found += _unknown_actions(book, actions)
    if found:
        raise RulesError(found)
    entries = {"auto", *(name for rule in book.rules for name in rule.conditions.entries or ())}
    document = PolicyDocument(
        version=__version__,
        targets=(),
        names={},
        entries=tuple(EntryRule(name) for name in (*sorted(entries), ELSEWHERE)),
        guard_packs=(),
        rules=tuple(plain_text_only(rule, {}) for rule in book.rules),
        routes=(),
        fallback=None,
        max_retries=0,
        frames=with_shipped(()),
        language=language,
    )
    return Ruling(Policy(document), {rule.id: rule for rule in document.rules}, named)


def _is_named(rule: Rule) -> bool:
    return rule.action not in KINDS and rule.action not in TASK_TYPES and rule.action != EXPORT


def _unknown_actions(book: Rulebook, actions: Collection[str]) -> Iterator[Problem]:
    for rule in book.rules:
        if _is_named(rule) and rule.action not in actions:
            message = said(
                "no action {action!r} was given{hint}",
                "没有提供动作 {action!r}{hint}",
                action=rule.action,
                hint=did_you_mean(rule.action, sorted(actions)),
            )
            where = book.sites[rule.id].where("action")
            yield Problem(f"rules.{rule.id}.action", message, valid=", ".join(sorted(actions)) or None, where=where)


def _wrong_tasks(book: Rulebook) -> Iterator[Problem]:
    """Where a rule leads is the program's matter; which task types there are is not."""
    for rule in book.rules:
        task = rule.parameters.get("task") if rule.action == "route" else None
        if task and task not in TASK_TYPES:
            hint = did_you_mean(task, list(TASK_TYPES))
            message = said("no task type {task!r}{hint}", "没有任务类型 {task!r}{hint}", task=task, hint=hint)
            where = book.sites[rule.id].where("route.task")
            yield Problem(f"rules.{rule.id}.route.task", message, valid=", ".join(TASK_TYPES), where=where)
