"""The cases of a rulebook, as the gateway runs them at every start and reload."""

from __future__ import annotations

from collections.abc import Iterator

from pointsman.domain.errors import Problem
from pointsman.domain.features import Features
from pointsman.domain.request import Request, Turn
from pointsman.features.extract import extract
from pointsman.pipeline.rulebook import Rulebook
from pointsman.rules import compile_rules, failed_cases


def wrong_cases(book: Rulebook) -> Iterator[Problem]:
    """Cases that do not hold, each at its place. A pack must hold its own; that another pack's rule of higher priority
    would take one is the right of whoever put the packs together."""
    for pack in dict.fromkeys(rule.pack for rule in book.rules):
        rules = [rule for rule in book.rules if rule.pack == pack]
        for case in failed_cases(compile_rules(rules), rules, features_of):
            found = case.problem
            where = book.sites[case.rule.id].where(case.path)
            yield Problem(found.path, found.message, valid=found.valid, where=where)


def features_of(text: str) -> Features:
    """Of a text that is the only message of a request, as the cases of rules are."""
    return extract(Request("case", "chat", "auto", (Turn("user", text),)))
