"""What may be given to a database's EXPLAIN, and in what form. EXPLAIN without ANALYZE runs nothing by itself; what is
refused here is what could make it do more."""

from __future__ import annotations

import itertools

import msgspec
import sqlglot
from sqlglot import TokenType, exp

from pointsman.domain.said import Said, said

EXPLAINED = (exp.Select, exp.SetOperation, exp.Insert, exp.Update, exp.Delete)


class Refusal(Exception):
    """That statement is not explained; the message is for people, in both languages."""

    def __init__(self, message: Said) -> None:
        super().__init__(message)
        self.message = message


class Statement(msgspec.Struct, frozen=True):
    """`sql` is written anew from the tree, without comments: what the database reads is what was looked at. `slots` are its
    places for values; `functions` all that it calls, `writes` whether it changes rows."""

    sql: str
    slots: int
    functions: tuple[str, ...]
    writes: bool


def statement(trees: list[exp.Expr], dialect: str, *, numbered: bool) -> Statement:
    """The one statement that it is. `numbered`: places for values are $1, $2; else `?`. Raises Refusal."""
    if len(trees) != 1:
        en, zh = (
            "there are {count} statements; a plan is made for exactly one",
            "这里有 {count} 条语句；一次只能看一条的执行计划",
        )
        raise Refusal(said(en, zh, count=len(trees)))
    tree = trees[0].copy()
    if isinstance(tree, exp.Subquery) and not tree.alias:
        tree = tree.unnest()
    if not isinstance(tree, EXPLAINED):
        raise Refusal(
            Said(
                "only SELECT, INSERT, UPDATE and DELETE have a plan", "只有 SELECT、INSERT、UPDATE、DELETE 才有执行计划"
            )
        )
    if tree.find(exp.Into, exp.Command, exp.Create, exp.Drop, exp.Alter, exp.TruncateTable, exp.Copy, exp.Merge):
        raise Refusal(Said("a statement inside of it is none that is explained", "其中含有不能查看计划的语句"))
    writes = tree.find(exp.Insert, exp.Update, exp.Delete) is not None
    slots = 0
    for node in list(tree.find_all(exp.Placeholder, exp.Parameter, exp.SessionParameter)):
        if isinstance(node, exp.SessionParameter):
            raise Refusal(Said("it reads a variable of the server", "它读取了服务器变量"))
        slots += 1
        node.replace(exp.Parameter(this=exp.Literal.number(slots)) if numbered else exp.Placeholder())
    text = tree.sql(dialect=dialect, comments=False)
    return Statement(text, slots, _called(text, dialect), writes)


def _called(text: str, dialect: str) -> tuple[str, ...]:
    """Every name before a bracket, as the database will read it."""
    tokens = sqlglot.tokenize(text, read=dialect)
    called = {one.text for one, two in itertools.pairwise(tokens) if two.token_type is TokenType.L_PAREN}
    return tuple(sorted(name for name in called if name[:1].isidentifier()))
