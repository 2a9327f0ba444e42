"""A better form of a statement, with the same rows for sure. What is only probably the same is advice, not a rewriting."""

from __future__ import annotations

import datetime
import difflib

from sqlglot import exp

from pointsman.actions.sql.job import Rewritten, words
from pointsman.actions.sql.parts import Part, ands, ors, parts_of
from pointsman.actions.sql.schema import Schema
from pointsman.domain.said import Said, said

MOST_COLUMNS = 40
"""Columns that stand in place of a star."""


def rewritten(tree: exp.Expr, schema: Schema, dialect: str | None) -> Rewritten | None:
    """None where nothing is better. The tree itself stays as it is."""
    copy = tree.copy()
    reasons: list[Said] = []
    for part in parts_of(copy, schema):
        reasons += _always(part)
        reasons += _comma_joins(part)
        reasons += _one_list(part)
        reasons += _days(part) if dialect != "sqlite" else []  # there a column of dates may hold anything
        reasons += _not_in(part, schema)
        reasons += _star(part)
    if not reasons:
        return None
    before = tree.sql(dialect=dialect, pretty=True)
    after = copy.sql(dialect=dialect, pretty=True)
    if before == after:
        return None
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=1)
    diff = "\n".join(line for line in lines if not line.startswith(("---", "+++", "@@")))
    unique = {str(reason): reason for reason in reasons}
    return Rewritten(after, diff, tuple(words(reason) for reason in unique.values()))


def _always(part: Part) -> list[Said]:
    """`1 = 1 AND` goes."""
    where = part.node.args.get("where")
    if where is None:
        return []
    kept = [one for one in ands(where.this) if not _holds(one)]
    if len(kept) == len(list(ands(where.this))):
        return []
    if kept:
        where.set("this", exp.and_(*kept, copy=False))
    elif isinstance(part.node, exp.Select):
        part.node.set("where", None)
    else:
        return []
    return [Said("a condition that always holds changes nothing", "恒成立的条件不起作用")]


def _holds(node: exp.Expr) -> bool:
    if isinstance(node, exp.Boolean):
        return bool(node.this)
    return isinstance(node, exp.EQ) and isinstance(node.this, exp.Literal) and node.this == node.expression


def _comma_joins(part: Part) -> list[Said]:
    """`FROM a, b WHERE a.x = b.x` → `FROM a JOIN b ON a.x = b.x`, where all joins are commas."""
    where, joins = part.node.args.get("where"), part.joins
    if not isinstance(part.node, exp.Select) or where is None or not joins:
        return []
    if any({k for k, v in join.args.items() if v} - {"this"} for join in joins) or None in part.tables.values():
        return []
    conditions = list(ands(where.this))
    met = {next(iter(part.tables))}
    moved: list[exp.Expr] = []
    plan = []
    for join in joins:
        name = join.this.alias_or_name.lower()
        on = [
            one
            for one in conditions
            if isinstance(one, exp.EQ)
            and isinstance(one.this, exp.Column)
            and isinstance(one.expression, exp.Column)
            and {part.owner(one.this), part.owner(one.expression)} - met == {name}
            and name in {part.owner(one.this), part.owner(one.expression)}
            and None not in {part.owner(one.this), part.owner(one.expression)}
            and part.owner(one.this) != part.owner(one.expression)
        ]
        if not on:
            return []
        moved += on
        met.add(name)
        plan.append((join, on))
    kept = [one for one in conditions if not any(one is gone for gone in moved)]
    for join, on in plan:
        join.set("on", exp.and_(*(one.copy() for one in on)))
        join.set("kind", "INNER")
    if kept:
        where.set("this", exp.and_(*kept, copy=False))
    else:
        part.node.set("where", None)
    en = "FROM a, b with its condition in WHERE is an inner join: written as one, no condition can be forgotten"
    return [Said(en, "FROM a, b 加 WHERE 条件就是内连接：写成 JOIN … ON，条件不会遗漏")]


def _one_list(part: Part) -> list[Said]:
    """`a = 1 OR a = 2` → `a IN (1, 2)`."""
    where = part.node.args.get("where")
    if where is None:
        return []
    changed = False
    conditions: list[exp.Expr] = []
    for top in ands(where.this):
        several = ors(top)
        same = len(several) > 1 and all(
            isinstance(one, exp.EQ) and isinstance(one.this, exp.Column) and isinstance(one.expression, exp.Literal)
            for one in several
        )
        kinds = {one.expression.is_string for one in several} if same else set()
        if same and len({one.this.sql() for one in several}) == 1 and len(kinds) == 1:
            values = {one.expression.sql(): one.expression.copy() for one in several}
            conditions.append(exp.In(this=several[0].this.copy(), expressions=list(values.values())))
            changed = True
        else:
            conditions.append(exp.paren(top, copy=False) if isinstance(top, exp.Or) else top)
    if not changed:
        return []
    where.set("this", exp.and_(*conditions, copy=False))
    return [Said("equal to one of several values is what IN says", "等于几个值之一就是 IN")]


def _days(part: Part) -> list[Said]:
    """`year(d) = 2024` and `date(d) = '2024-05-01'` → a range, where the schema says that `d` is a date or a time without a
    zone."""
    reasons: list[Said] = []
    for node in list(part.own(exp.EQ)):
        found = _span(node) if isinstance(node, exp.EQ) else None
        if found is None or not _beneath_and(node, part):
            continue
        column, first, behind = found
        known = part.column(column)
        if known is None or known.kind not in ("date", "moment"):
            continue
        low = exp.GTE(this=column.copy(), expression=exp.Literal.string(first.isoformat()))
        high = exp.LT(this=column.copy(), expression=exp.Literal.string(behind.isoformat()))
        node.replace(exp.and_(low, high))
        en = "a range of {column} takes the same days as {it}, and an index on {column} serves it"
        zh = "{column} 的范围条件与 {it} 取到的日期相同，而且能用上 {column} 的索引"
        reasons.append(said(en, zh, column=column.name, it=node.sql()[:60]))
    return reasons


def _beneath_and(node: exp.Expr, part: Part) -> bool:
    return any(node is one for one in ands(part.where))


def _span(node: exp.EQ) -> tuple[exp.Column, datetime.date, datetime.date] | None:
    left, right = node.this, node.expression
    if not isinstance(right, exp.Literal):
        return None
    inside = left.this if isinstance(left, exp.Year | exp.Date | exp.TsOrDsToDate) else None
    if isinstance(left, exp.Extract) and left.name.upper() == "YEAR":
        inside = left.expression
    while isinstance(inside, exp.TsOrDsToDate):
        inside = inside.this
    if isinstance(left, exp.Cast) and left.to.is_type("date"):
        inside = left.this
    if not isinstance(inside, exp.Column) or (isinstance(left, exp.Date) and left.expressions):
        return None
    try:
        if isinstance(left, exp.Year | exp.Extract):
            year = int(right.name)
            return inside, datetime.date(year, 1, 1), datetime.date(year + 1, 1, 1)
        day = datetime.date.fromisoformat(right.name)
        return inside, day, day + datetime.timedelta(days=1)
    except (ValueError, OverflowError):
        return None


def _not_in(part: Part, schema: Schema) -> list[Said]:
    """`a NOT IN (SELECT b FROM t …)` → NOT EXISTS, where neither a nor b can be NULL."""
    where = part.node.args.get("where")
    reasons: list[Said] = []
    for top in list(ands(where.this)) if where is not None else []:
        inner = top.this if isinstance(top, exp.Not) else None
        query = inner.args.get("query") if isinstance(inner, exp.In) else None
        select = query.this if isinstance(query, exp.Subquery) else query
        if not isinstance(inner, exp.In) or not isinstance(select, exp.Select) or len(select.expressions) != 1:
            continue
        if any(select.args.get(key) for key in ("limit", "offset", "group", "having", "distinct", "with_", "joins")):
            continue
        inside = Part(select, schema, set())
        left, right = part.column(inner.this), inside.column(select.expressions[0])
        if left is None or right is None or not (left.filled and right.filled) or left.kind != right.kind:
            continue
        name, outer = next(iter(inside.tables)), part.owner(inner.this)
        if (
            outer is None
            or name in part.tables
            or any(not c.table for c in select.find_all(exp.Column) if len(part.tables) > 1)
        ):
            continue
        column = exp.column(select.expressions[0].name, table=name)
        target = inner.this.copy()
        target.set("table", exp.to_identifier(outer))
        same = exp.EQ(this=column, expression=target)
        inside_where = inside.where
        copy = select.copy()
        copy.set("expressions", [exp.Literal.number(1)])
        copy.set("where", exp.Where(this=exp.and_(same, inside_where.copy()) if inside_where is not None else same))
        top.replace(exp.Not(this=exp.Exists(this=copy)))
        reasons.append(
            Said(
                "NOT EXISTS is the same here, for neither column can be NULL",
                "两列都不可能为 NULL，NOT EXISTS 与它等价",
            )
        )
    return reasons


def _star(part: Part) -> list[Said]:
    """`SELECT *` of one table → its columns."""
    node = part.node
    if not isinstance(node, exp.Select) or len(node.expressions) != 1 or not isinstance(node.expressions[0], exp.Star):
        return []
    if len(part.tables) != 1 or node.expressions[0].args.get("except_") or isinstance(node.parent, exp.Exists):
        return []
    known = part.known(next(iter(part.tables)))
    if known is None or not 0 < len(known.columns) <= MOST_COLUMNS or node.expressions[0].args.get("replace"):
        return []
    columns = [exp.column(exp.to_identifier(c.name, quoted=not _plain(c.name))) for c in known.columns]
    node.set("expressions", columns)
    return [Said("these are its columns today: strike those that are not needed", "这些是它现有的列：请删去不需要的")]


def _plain(name: str) -> bool:
    return name.isidentifier() and name.isascii() and name == name.lower()
