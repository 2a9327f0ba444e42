"""Many rules with cases, every one of which has one that fails."""

from __future__ import annotations

from pointsman.domain.policy import EntryRule
from pointsman.domain.rule import Case, Conditions, Group, Rule, Term

ENTRIES = (EntryRule("auto"),)


def many(count: int) -> list[Rule]:
    return [
        Rule(
            id=f"r{number}",
            pack=f"p{number % 2}",
            priority=number % 3,
            groups=(Group("g", (Term("word", f"词{number}号"),)),),
            none=(),
            conditions=Conditions(),
            action="answer",
            cases=(
                Case(f"请看词{number}号", True, "example"),
                Case(f"词{number}号和词{(number + 1) % count}号", True, "example"),
                Case("没有", True, "example"),
                Case("什么也没有", False, "counter_example"),
            ),
        )
        for number in range(count)
    ]
