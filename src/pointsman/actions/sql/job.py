"""What the action and its child say to each other."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from pointsman.domain.said import Said, in_zh

Level = Literal["high", "medium", "low", "info"]
LEVELS: tuple[Level, ...] = ("high", "medium", "low", "info")
"""From the worst."""


class Words(msgspec.Struct, frozen=True):
    """A sentence in both languages, fit to cross to another process."""

    en: str
    zh: str

    @property
    def said(self) -> Said:
        return Said(self.en, self.zh)


def words(text: str) -> Words:
    return Words(str(text), str(in_zh(text)))


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """`dialect` and `to` are sqlglot's names; `default` is the dialect of statements that do not show theirs. `url` is the
    source whose EXPLAIN is asked, or `demo` a folder with the generated one; `today` (a date) is what that depends on."""

    sql: str
    dialect: str | None = None
    default: str | None = None
    to: str | None = None
    source: str | None = None
    url: str | None = None
    demo: str | None = None
    today: str = "2026-01-01"


class Mistake(msgspec.Struct, frozen=True):
    """Something that is no SQL. `line` and `column` count from 1; `near` is that line with a mark under the place. `by` is
    who says so."""

    message: Words
    line: int = 0
    column: int = 0
    near: str = ""
    by: Literal["grammar", "database"] = "grammar"


class Finding(msgspec.Struct, frozen=True):
    """Something to know of a statement (its number from 1). `code` is for programs, `advice` says what to do."""

    code: str
    level: Level
    message: Words
    advice: Words | None = None
    statement: int = 1


class Index(msgspec.Struct, frozen=True):
    """An index that would serve. `known`: seen against the real schema, which has none such; else a guess. `columns` may
    hold expressions. `why` tells which condition each column is for."""

    table: str
    columns: tuple[str, ...]
    ddl: str
    why: Words
    known: bool
    include: tuple[str, ...] = ()
    rows: int | None = None


class Rewritten(msgspec.Struct, frozen=True):
    """The same result in a better form. `reasons` are why each change leaves the result as it was; `diff` is unified."""

    sql: str
    diff: str
    reasons: tuple[Words, ...]


class Step(msgspec.Struct, frozen=True):
    """One node of a plan, `depth` deep, in words; `heavy`: worth telling to somebody in a hurry."""

    depth: int
    message: Words
    heavy: bool = False


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What the database would do. `problem`: why there is no plan; then there are no steps."""

    source: str
    steps: tuple[Step, ...] = ()
    cost: float | None = None
    rows: float | None = None
    problem: Words | None = None
    translated: bool = False
    raw: Any = None


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """All of it. `statements` are what each does (`select`, `drop table`), `translated` the text in the dialect that was
    asked for."""

    dialect: str | None
    statements: tuple[str, ...] = ()
    errors: tuple[Mistake, ...] = ()
    findings: tuple[Finding, ...] = ()
    indexes: tuple[Index, ...] = ()
    rewritten: Rewritten | None = None
    plan: Plan | None = None
    translated: str | None = None
    lost: tuple[str, ...] = ()
