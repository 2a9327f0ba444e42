"""What stands where in a statement: each SELECT, UPDATE and DELETE with its tables, conditions and the owner of a column."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from pointsman.actions.sql.schema import Column, Schema, Table

COMPARES = (exp.EQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ)
MIRROR: dict[type[exp.Expr], type[exp.Expr]] = {
    exp.EQ: exp.EQ,
    exp.NullSafeEQ: exp.NullSafeEQ,
    exp.GT: exp.LT,
    exp.LT: exp.GT,
    exp.GTE: exp.LTE,
    exp.LTE: exp.GTE,
}
"""Of a comparison whose sides change places."""


class Part:
    """One SELECT, UPDATE or DELETE, without those inside of it. `tables` are what stands in FROM by the name that it has
    there (in small letters): a table's name, or None for a query or a name that WITH gives."""

    def __init__(self, node: exp.Expr, schema: Schema, named: set[str]) -> None:
        self.node = node
        self._schema = schema
        self.tables: dict[str, str | None] = {}
        self.joins: list[exp.Expr] = list(node.args.get("joins") or [])
        source = node.args.get("from_")
        first = [source.this] if source is not None else []
        if isinstance(node, exp.Update | exp.Delete):
            first = [node.this, *first, *(node.args.get("using") or [])]
            for at in (node.this, source.this if source is not None else None):
                self.joins += list(at.args.get("joins") or []) if isinstance(at, exp.Expr) else []
        self.first = [at for at in first if isinstance(at, exp.Expr)]
        for at in [*self.first, *(join.this for join in self.joins)]:
            alias = at.alias_or_name.lower()
            real = at.name.lower() if isinstance(at, exp.Table) and at.name else None
            self.tables[alias] = None if real in named else real

    @property
    def where(self) -> exp.Expr | None:
        at = self.node.args.get("where")
        return at.this if at is not None else None

    def known(self, alias: str) -> Table | None:
        """What the schema has of it."""
        real = self.tables.get(alias)
        return self._schema.get(real) if real else None

    def owner(self, column: exp.Expr) -> str | None:
        """The name in FROM that a column is of, where that can be told."""
        if not isinstance(column, exp.Column) or isinstance(column.this, exp.Star):
            return None
        if column.table:
            return column.table.lower() if column.table.lower() in self.tables else None
        if len(self.tables) == 1:
            return next(iter(self.tables))
        seen = [self.known(alias) for alias in self.tables]
        if any(table is None for table in seen):
            return None
        having = [alias for alias in self.tables if (t := self.known(alias)) and t.column(column.name)]
        return having[0] if len(having) == 1 else None

    def column(self, column: exp.Expr) -> Column | None:
        """What the schema has of it."""
        alias = self.owner(column)
        table = self.known(alias) if alias else None
        return table.column(column.name) if table else None

    def conditions(self) -> list[exp.Expr]:
        """All that must hold: WHERE and what inner joins demand, each by itself."""
        found = list(ands(self.where))
        for join in self.joins:
            found += ands(join.args.get("on"))
        return found

    def own(self, *kinds: type[exp.Expr]) -> Iterator[exp.Expr]:
        """Nodes of these kinds in it, not in the queries inside of it."""
        for node in self.node.walk(prune=lambda at: at is not self.node and is_part(at)):
            if isinstance(node, kinds) and (node is self.node or not is_part(node)):
                yield node


def is_part(node: exp.Expr) -> bool:
    return isinstance(node, exp.Select | exp.Update | exp.Delete)


def parts_of(tree: exp.Expr, schema: Schema) -> list[Part]:
    """All of them, the outermost first."""
    named = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    return [Part(node, schema, named) for node in tree.walk() if is_part(node)]


def ands(condition: exp.Expr | None) -> Iterator[exp.Expr]:
    """What AND joins, each by itself, in order."""
    todo = [condition] if condition is not None else []
    while todo:
        here = todo.pop()
        if isinstance(here, exp.And):
            todo += [here.expression, here.this]
        elif isinstance(here, exp.Paren) and isinstance(here.this, exp.And | exp.Paren):
            todo.append(here.this)
        else:
            yield here.this if isinstance(here, exp.Paren) else here


def ors(condition: exp.Expr) -> list[exp.Expr]:
    """What OR joins."""
    found, todo = [], [condition]
    while todo:
        here = todo.pop()
        if isinstance(here, exp.Or):
            todo += [here.expression, here.this]
        elif isinstance(here, exp.Paren):
            todo.append(here.this)
        else:
            found.append(here)
    return found


def constant(node: exp.Expr | None) -> bool:
    """A value that no row changes: literals, parameters, the present day."""
    if node is None or isinstance(node, exp.Null):
        return False
    return not any(isinstance(at, exp.Column | exp.Query | exp.Star | exp.Anonymous) for at in node.walk())


def compared(node: exp.Expr) -> tuple[exp.Expr, type[exp.Expr], exp.Expr] | None:
    """Left, comparison, right, turned so that a lone constant stands on the right."""
    if not isinstance(node, COMPARES):
        return None
    left, right, kind = node.this, node.expression, type(node)
    if constant(left) and not constant(right):
        return right, MIRROR[kind], left
    return left, kind, right


def calculated(node: exp.Expr) -> exp.Column | None:
    """The one column that a function, a cast or arithmetic stands around; None for a plain column and for anything else."""
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, exp.Column) or not isinstance(node, exp.Func | exp.Cast | exp.Binary | exp.Neg | exp.DPipe):
        return None
    if isinstance(node, exp.Predicate | exp.Connector | exp.AggFunc):
        return None
    if any(isinstance(at, exp.Query | exp.Window | exp.AggFunc) for at in node.walk()):
        return None
    columns = list(node.find_all(exp.Column))
    return columns[0] if len({column.sql() for column in columns}) == 1 else None
