"""Which indexes would serve a statement: columns of equality first, then a range or the order, then what is only read."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from sqlglot import exp

from pointsman.actions.sql.job import Index, words
from pointsman.actions.sql.parts import Part, calculated, compared, constant, ors, parts_of
from pointsman.actions.sql.schema import Schema, Table
from pointsman.domain.said import Said, said

SMALL = 500
"""Rows under which a table is read whole in any case."""
MOST_KEYS = 4
COVERS = 3
"""Columns that are worth adding so that the table itself is not read."""


class _Wanted:
    """What one place of a statement asks of one table. Values are column names or expressions, in order."""

    def __init__(self) -> None:
        self.equal: dict[str, str] = {}
        self.joined: dict[str, str] = {}
        self.ranges: dict[str, str] = {}
        self.order: list[tuple[str, bool]] = []
        self.used: set[str] = set()
        self.all = False


class Advice(msgspec.Struct, frozen=True):
    """`served` are existing indexes that serve already: (table, index)."""

    indexes: tuple[Index, ...]
    served: tuple[tuple[str, str], ...]


def indexes(trees: list[exp.Expr], schema: Schema, dialect: str | None) -> Advice:
    """At most eight, each once; none that an existing index serves, or for a table that is small."""
    found: dict[tuple[str, tuple[str, ...]], Index] = {}
    served: dict[tuple[str, str], None] = {}
    for tree in trees:
        for part in parts_of(tree, schema):
            for alias, wanted in _wanted(part, dialect).items():
                table = part.tables[alias]
                if table is None:
                    continue
                known = schema.get(table)
                if known is not None and known.rows is not None and known.rows < SMALL:
                    continue
                keys, ordered, why = _keys(wanted)
                if not keys:
                    continue
                if known is not None and (name := _served(known, keys, ordered, wanted)):
                    served[known.name, name] = None
                    continue
                if known is None and [key.lower() for key in keys] == ["id"]:
                    continue  # nearly always the primary key
                one = _index(part, alias, keys, wanted, why, schema, dialect)
                found.setdefault((table, one.columns), one)
    return Advice(tuple(_without_prefixes(list(found.values())))[:8], tuple(served))


def _served(known: Table, keys: tuple[str, ...], ordered: int, wanted: _Wanted) -> str | None:
    for index in known.indexes:  # a unique key that is given whole leaves one row
        if index.unique and not index.partial and index.columns:
            given = {name.lower() for name in (*wanted.equal, *wanted.joined)}
            if {column.lower() for column in index.columns} <= given:
                return index.name
    return known.starts(keys, ordered=ordered)


def _wanted(part: Part, dialect: str | None) -> dict[str, _Wanted]:
    wanted: dict[str, _Wanted] = {alias: _Wanted() for alias in part.tables}
    outer = {join.this.alias_or_name.lower() for join in part.joins if join.args.get("side") in ("LEFT", "FULL")}
    for condition in part.conditions():
        several = ors(condition)
        if len(several) > 1 and len({c.sql() for one in several if (c := one.find(exp.Column))}) > 1:
            continue
        if len(several) == 1:
            _condition(part, several[0], wanted, dialect)
        elif all(isinstance(one, exp.EQ) and isinstance(one.this, exp.Column) for one in several) and (
            alias := part.owner(several[0].this)
        ):
            wanted[alias].equal.setdefault(several[0].this.name, condition.sql(dialect=dialect)[:80])
    for join in part.joins:
        for name in join.args.get("using") or []:
            own = join.this.alias_or_name.lower()
            if own in wanted:
                wanted[own].joined[name.name] = f"USING ({name.name})"
    first = next(iter(part.tables), None)
    filtered = any(one.equal or one.ranges for one in wanted.values())
    for alias, one in wanted.items():
        own = bool(one.equal or one.ranges)
        if alias not in outer and (own or (alias == first and (outer or not filtered))):
            one.joined = {}  # it is read first, and the others are looked up for its rows
    _order(part, wanted)
    _reads(part, wanted)
    return wanted


def _condition(part: Part, one: exp.Expr, wanted: dict[str, _Wanted], dialect: str | None) -> None:
    shown = one.sql(dialect=dialect)[:80]
    if isinstance(one, exp.In) and isinstance(one.this, exp.Column):
        alias = part.owner(one.this)
        if alias:
            wanted[alias].equal.setdefault(one.this.name, shown)
        return
    if isinstance(one, exp.Is) and isinstance(one.this, exp.Column) and isinstance(one.expression, exp.Null):
        if alias := part.owner(one.this):
            wanted[alias].equal.setdefault(one.this.name, shown)
        return
    if isinstance(one, exp.Between) and isinstance(one.this, exp.Column):
        if alias := part.owner(one.this):
            wanted[alias].ranges.setdefault(one.this.name, shown)
        return
    if isinstance(one, exp.Like) and isinstance(one.this, exp.Column):
        pattern = one.expression
        if (
            isinstance(pattern, exp.Literal)
            and pattern.name[:1] not in ("", "%", "_")
            and (alias := part.owner(one.this))
        ):
            wanted[alias].ranges.setdefault(one.this.name, shown)
        return
    sides = compared(one)
    if sides is None:
        return
    left, kind, right = sides
    if isinstance(left, exp.Column) and isinstance(right, exp.Column):
        owners = part.owner(left), part.owner(right)
        if kind is exp.EQ and owners[0] != owners[1]:
            for column, alias in zip((left, right), owners, strict=True):
                if alias:
                    wanted[alias].joined.setdefault(column.name, shown)
            for column, alias, other in ((left, owners[0], owners[1]), (right, owners[1], owners[0])):
                if alias and other is None and (left.table and right.table):  # of the query around it: a value
                    wanted[alias].equal.setdefault(column.name, shown)
        return
    outside = isinstance(right, exp.Column) and part.owner(right) is None and bool(right.table)
    if not constant(right) and not outside and not isinstance(right, exp.Subquery):
        return
    if isinstance(left, exp.Column) and (alias := part.owner(left)):
        place = wanted[alias].equal if kind in (exp.EQ, exp.NullSafeEQ) else wanted[alias].ranges
        place.setdefault(left.name, shown)
    elif isinstance(left, exp.Lower | exp.Upper) and kind is exp.EQ and dialect in ("postgres", "sqlite", "oracle"):
        inner = calculated(left)
        if inner is not None and (alias := part.owner(inner)):
            wanted[alias].equal.setdefault(_bare(left).sql(dialect=dialect), shown)


def _bare(node: exp.Expr) -> exp.Expr:
    """The expression without the name of its table."""
    copy = node.copy()
    for column in copy.find_all(exp.Column):
        column.set("table", None)
    return copy


def _order(part: Part, wanted: dict[str, _Wanted]) -> None:
    order = part.node.args.get("order") or part.node.args.get("group")
    if order is None or not isinstance(part.node, exp.Select):
        return
    columns: list[tuple[str, bool]] = []
    owner = None
    for one in order.expressions:
        column = one.this if isinstance(one, exp.Ordered) else one
        alias = part.owner(column)
        if not isinstance(column, exp.Column) or alias is None or owner not in (None, alias):
            return
        owner = alias
        columns.append((column.name, bool(one.args.get("desc")) if isinstance(one, exp.Ordered) else False))
    if owner is not None:
        wanted[owner].order = columns


def _reads(part: Part, wanted: dict[str, _Wanted]) -> None:
    for node in part.own(exp.Column, exp.Star):
        if isinstance(node, exp.Star) or isinstance(node.this, exp.Star):
            if not isinstance(node.parent, exp.Count):
                for one in wanted.values():
                    one.all = True
            continue
        if alias := part.owner(node):
            wanted[alias].used.add(node.name)


def _keys(wanted: _Wanted) -> tuple[tuple[str, ...], int, list[Said]]:
    """The columns, how many at the end must be in this order, and why each is there."""
    keys: list[str] = []
    why: list[Said] = []
    for name, shown in (*wanted.equal.items(), *wanted.joined.items()):
        if name not in keys and len(keys) < MOST_KEYS:
            keys.append(name)
            kind = (
                Said("join", "关联") if name in wanted.joined and name not in wanted.equal else Said("equality", "等值")
            )
            why.append(
                said("{name}: {kind} ({shown})", "{name}：{kind}条件（{shown}）", name=name, kind=kind, shown=shown)
            )
    fixed = len(keys)
    order = [(name, desc) for name, desc in wanted.order if name not in keys]
    fits = order and len({desc for _, desc in order}) == 1
    if wanted.ranges and not (fits and order[0][0] in wanted.ranges):
        name, shown = next(iter(wanted.ranges.items()))
        if name not in keys:
            keys.append(name)
            why.append(said("{name}: range ({shown})", "{name}：范围条件（{shown}）", name=name, shown=shown))
    elif fits and (fixed or wanted.ranges or len(order) <= 2):
        for name, _ in order[: MOST_KEYS - fixed]:
            keys.append(name)
            why.append(said("{name}: order, so nothing is sorted", "{name}：排序，可免去排序步骤", name=name))
    return tuple(keys), len(keys) - fixed, why


def _index(
    part: Part,
    alias: str,
    keys: tuple[str, ...],
    wanted: _Wanted,
    why: list[Said],
    schema: Schema,
    dialect: str | None,
) -> Index:
    table = part.tables[alias] or alias
    known = schema.get(table)
    rest = sorted({name for name in wanted.used if name.lower() not in {key.lower() for key in keys}})
    simple = not any("(" in key for key in keys)
    include = tuple(rest) if rest and not wanted.all and len(rest) <= COVERS and simple else ()
    if include:
        why = [
            *why,
            said("{names}: read only from the index", "{names}：只需读索引，不必回表", names=", ".join(include)),
        ]
    names = "_".join("".join(c if c.isalnum() else "_" for c in key).strip("_") for key in keys)
    quoted = [key if "(" in key else _quoted(key, dialect) for key in keys]
    at = next((t for t in part.node.find_all(exp.Table) if t.name.lower() == table), None)
    whole = exp.table_(at.name, db=at.args.get("db")).sql(dialect=dialect) if at is not None else table
    plain = "".join(c if c.isalnum() else "_" for c in table)
    ddl = f"CREATE INDEX idx_{plain}_{names}"[:70] + f" ON {whole} ({', '.join(quoted)})"
    if include and dialect in ("postgres", "tsql"):
        ddl += f" INCLUDE ({', '.join(_quoted(name, dialect) for name in include)})"
    elif include:
        ddl = ddl[:-1] + ", " + ", ".join(_quoted(name, dialect) for name in include) + ")"
    joined = words(Said("; ".join(why), "；".join(one.zh for one in why)))
    return Index(table, keys, ddl + ";", joined, known is not None, include, known.rows if known else None)


def _quoted(name: str, dialect: str | None) -> str:
    plain = name.isidentifier() and name == name.lower()
    return exp.to_identifier(name, quoted=not plain).sql(dialect=dialect)


def _without_prefixes(found: list[Index]) -> Iterator[Index]:
    """Without those whose columns another begins with."""
    for one in found:
        longer = (o for o in found if o is not one and o.table == one.table and len(o.columns) > len(one.columns))
        if not any(other.columns[: len(one.columns)] == one.columns for other in longer):
            yield one
