"""What is risky or slow in a statement, from its tree alone, sharper where the schema is known."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from pointsman.actions.sql.job import Finding, Level, Words, words
from pointsman.actions.sql.parts import Part, ands, calculated, compared, constant, ors, parts_of
from pointsman.actions.sql.schema import Schema
from pointsman.domain.said import Said, said
from pointsman.extractors.sql_risk import destructive

FAR = 1000
"""Rows that an OFFSET may skip before it is told."""
_DESTROYS = {
    "drop": ("it removes something for good (DROP)", "它会永久删除对象（DROP）"),
    "truncate": ("it empties a table (TRUNCATE)", "它会清空整张表（TRUNCATE）"),
    "delete without where": ("DELETE without WHERE removes every row", "DELETE 没有 WHERE，会删除所有行"),
    "update without where": ("UPDATE without WHERE changes every row", "UPDATE 没有 WHERE，会修改所有行"),
    "always true where": ("its WHERE holds for every row", "WHERE 条件对每一行都成立，等于没有条件"),
    "alter drop": ("it removes a part of a table (ALTER … DROP)", "它会删除表的一部分（ALTER … DROP）"),
    "grant all": ("it grants all rights (GRANT ALL)", "它授予全部权限（GRANT ALL）"),
    "xp_cmdshell": ("it runs a command of the operating system (xp_cmdshell)", "它会执行操作系统命令（xp_cmdshell）"),
}
_SAFER = Said(
    "back up first, and run it inside a transaction that can be rolled back", "先备份，并放在可以回滚的事务里执行"
)


def findings(sql: str, trees: list[exp.Expr], schema: Schema, dialect: str | None) -> list[Finding]:
    """The worst first. `sql` is the whole text, for what the trees do not show."""
    found: list[Finding] = []
    why = destructive(sql)
    if why is not None:
        number = next((n for n, tree in enumerate(trees, 1) if _destroys(tree)), 1)
        found.append(Finding(why.replace(" ", "_"), "high", words(said(*_DESTROYS[why])), words(_SAFER), number))
    for number, tree in enumerate(trees, 1):
        seen = {one.code for one in found if one.statement == number}
        for one in _of(tree, schema, dialect):
            if one.code not in seen or one.code in _MANY:
                found.append(Finding(one.code, one.level, one.message, one.advice, number))
                seen.add(one.code)
    order: list[Level] = ["high", "medium", "low", "info"]
    unique = {(one.code, one.message.en, one.statement): one for one in found}
    return sorted(unique.values(), key=lambda one: order.index(one.level))[:40]


_MANY = ("cartesian", "calculated_column", "leading_wildcard", "implicit_cast", "not_in_null")
"""Those that are told once for each place."""


def _destroys(tree: exp.Expr) -> bool:
    return isinstance(
        tree, exp.Drop | exp.TruncateTable | exp.Delete | exp.Update | exp.Alter | exp.Grant | exp.Command
    )


def _of(tree: exp.Expr, schema: Schema, dialect: str | None) -> Iterator[Finding]:
    if isinstance(tree, exp.Drop):
        yield _one("drop", "high", *_DESTROYS["drop"], _SAFER)
    elif isinstance(tree, exp.TruncateTable):
        yield _one("truncate", "high", *_DESTROYS["truncate"], _SAFER)
    elif isinstance(tree, exp.Command):
        en, zh = (
            "“{verb}” is not looked into: what it does cannot be told from here",
            "“{verb}”的内容无法分析，作用未知",
        )
        yield Finding("not_read", "medium", words(said(en, zh, verb=tree.name.upper()[:40])))
    elif isinstance(tree, exp.Insert) and isinstance(tree.this, exp.Table) and tree.expression is not None:
        advice = Said("name the columns: INSERT INTO t (a, b)", "写明列名：INSERT INTO t (a, b)")
        en, zh = (
            "INSERT without a list of columns breaks when the table changes",
            "INSERT 没有列名，表结构一变就会出错",
        )
        yield _one("insert_without_columns", "low", en, zh, advice)
    for part in parts_of(tree, schema):
        yield from _part(part, dialect)
    for union in tree.find_all(exp.Union):
        if union.args.get("distinct"):
            advice = Said(
                "UNION ALL, where there can be no duplicates or they do not matter", "不会重复或允许重复时用 UNION ALL"
            )
            yield _one("union", "info", "UNION compares all rows to drop duplicates", "UNION 会对全部行去重", advice)
            break


def _part(part: Part, dialect: str | None) -> Iterator[Finding]:
    node = part.node
    if isinstance(node, exp.Delete | exp.Update):
        verb = "delete" if isinstance(node, exp.Delete) else "update"
        if part.where is None:
            code = f"{verb} without where"
            yield _one(code.replace(" ", "_"), "high", *_DESTROYS[code], _SAFER)
    if part.where is not None:
        yield from _always(part)
    yield from _joins(part)
    yield from _conditions(part, dialect)
    if isinstance(node, exp.Select):
        yield from _shape(part, node)


def _always(part: Part) -> Iterator[Finding]:
    for condition in ors(part.where) if isinstance(part.where, exp.Or) else []:
        sides = compared(condition)
        literal = sides and isinstance(sides[0], exp.Literal) and sides[0] == sides[2]
        if literal or (isinstance(condition, exp.Boolean) and condition.this):
            level: Level = "high" if not isinstance(part.node, exp.Select) else "medium"
            advice = Said(
                "this is how injected SQL looks: bind values as parameters", "SQL 注入常是这个样子：请用参数绑定传值"
            )
            yield _one("always_true", level, "a part of its OR always holds", "OR 的一部分恒成立", advice)
            return


def _joins(part: Part) -> Iterator[Finding]:
    """Tables that no condition ties to the rest: every row meets every row."""
    if len(part.tables) < 2:
        return
    tied = {alias: alias for alias in part.tables}

    def root(alias: str) -> str:
        while tied[alias] != alias:
            alias = tied[alias]
        return alias

    names = list(part.tables)
    for join in part.joins:
        name = join.this.alias_or_name.lower()
        lateral = isinstance(join.this, exp.Lateral | exp.Unnest) or join.this.find(exp.Lateral, exp.Unnest)
        if join.args.get("using") or join.args.get("method") or join.args.get("kind") == "CROSS" or lateral:
            tied[root(name)] = root(names[0])
    for at in part.first:
        if not isinstance(at, exp.Table | exp.Subquery):
            tied[root(at.alias_or_name.lower())] = root(names[0])
    for condition in part.conditions():
        columns = [
            column
            for column in condition.walk(prune=lambda at: isinstance(at, exp.Query))
            if isinstance(column, exp.Column)
        ]
        if any(not column.table and part.owner(column) is None for column in columns) and len(columns) > 1:
            return  # a column that may be of any of them
        owners = {owner for column in columns if (owner := part.owner(column))}
        if isinstance(condition, exp.Exists) or condition.find(exp.Query):
            owners |= {c.table.lower() for c in condition.find_all(exp.Column) if c.table.lower() in tied}
        for one, other in zip(sorted(owners), sorted(owners)[1:], strict=False):
            tied[root(one)] = root(other)
    loose = sorted({root(alias) for alias in names})
    if len(loose) > 1:
        groups = [next(name for name in names if root(name) == group) for group in loose]
        shown = ", ".join(groups)
        en = "no condition ties {tables} together: every row meets every row (a cartesian product)"
        zh = "{tables} 之间没有关联条件：每行都会与每行相配（笛卡尔积）"
        advice = Said(
            "add the join condition, or write CROSS JOIN where it is meant", "补上关联条件；确实需要时写明 CROSS JOIN"
        )
        yield Finding("cartesian", "high", words(said(en, zh, tables=shown)), words(advice))


def _conditions(part: Part, dialect: str | None) -> Iterator[Finding]:
    for condition in [one for top in part.conditions() for one in ors(top)]:
        inner = condition.this if isinstance(condition, exp.Not) else condition
        if isinstance(inner, exp.Like | exp.ILike):
            pattern = inner.expression
            if isinstance(pattern, exp.Literal) and pattern.is_string and pattern.name[:1] in ("%", "_"):
                en, zh = (
                    "LIKE {it} begins with a wildcard: no ordinary index helps",
                    "LIKE {it} 以通配符开头，普通索引用不上",
                )
                advice = Said(
                    "a text index (PostgreSQL: pg_trgm, MySQL: FULLTEXT, SQLite: FTS5), or letters at its beginning",
                    "使用文本索引（PostgreSQL：pg_trgm，MySQL：FULLTEXT，SQLite：FTS5），或让模式以字符开头",
                )
                it = f"'{pattern.name[:40]}'"
                yield Finding("leading_wildcard", "medium", words(said(en, zh, it=it)), words(advice))
        if isinstance(condition, exp.Not) and isinstance(inner, exp.In):
            yield from _not_in(part, inner)
        sides = compared(condition)
        if isinstance(condition, exp.EQ | exp.NEQ) and isinstance(condition.expression, exp.Null):
            en, zh = "a comparison with NULL is never true", "与 NULL 比较永远不成立"
            yield _one(
                "null_comparison", "medium", en, zh, Said("IS NULL, or IS NOT NULL", "应写 IS NULL 或 IS NOT NULL")
            )
        if sides is None and isinstance(inner, exp.Between | exp.In) and constant(inner.args.get("low") or exp.true()):
            sides = inner.this, exp.EQ, exp.true()
        if sides is not None:
            yield from _calculated(sides[0], sides[2], dialect)
            yield from _cast(part, sides[0], sides[2])


def _not_in(part: Part, inner: exp.In) -> Iterator[Finding]:
    query = inner.args.get("query")
    if query is None:
        if any(isinstance(value, exp.Null) for value in inner.expressions):
            en, zh = "NOT IN with a NULL in its list is never true", "NOT IN 的列表里有 NULL，条件永远不成立"
            yield _one("not_in_null", "high", en, zh, Said("take NULL out of the list", "去掉列表里的 NULL"))
        return
    select = query.this if isinstance(query, exp.Subquery) else query
    if isinstance(select, exp.Select) and len(select.expressions) == 1:
        inside = Part(select, part._schema, set())
        column = inside.column(select.expressions[0])
        if column is not None and column.filled:
            return
    en = "NOT IN (SELECT …) gives no row at all once the query yields a NULL"
    zh = "NOT IN（子查询）只要查出一个 NULL，就一行也不返回"
    yield _one(
        "not_in_null",
        "medium",
        en,
        zh,
        Said("NOT EXISTS, or … IS NOT NULL in the query", "改用 NOT EXISTS，或在子查询里加 IS NOT NULL"),
    )


def _calculated(left: exp.Expr, right: exp.Expr, dialect: str | None) -> Iterator[Finding]:
    column = calculated(left)
    if column is None or (not constant(right) and not isinstance(right, exp.Column)):
        return
    shown = left.sql(dialect=dialect)[:80]
    en = "“{it}” is computed for each row: an index on {column} cannot be used"
    zh = "“{it}”要逐行计算，{column} 上的索引用不上"
    advice = Said(
        "compare the bare column with a range, or index the expression", "让列单独与范围比较，或对表达式建索引"
    )
    yield Finding("calculated_column", "medium", words(said(en, zh, it=shown, column=column.name)), words(advice))


def _cast(part: Part, left: exp.Expr, right: exp.Expr) -> Iterator[Finding]:
    column = part.column(left)
    if column is None or not isinstance(right, exp.Literal):
        return
    en, zh = "", ""
    if column.kind == "text" and not right.is_string:
        en = "{column} holds text and is compared with a number: MySQL converts every row, PostgreSQL refuses"
        zh = "{column} 是文本，却与数字比较：MySQL 会逐行转换，PostgreSQL 会报错"
    elif column.kind == "number" and right.is_string:
        en = "{column} holds numbers and is compared with a text"
        zh = "{column} 是数字，却与文本比较"
    if en:
        level: Level = "medium" if column.kind == "text" else "low"
        advice = Said("write the value in the column's own type", "按列的类型书写值")
        yield Finding("implicit_cast", level, words(said(en, zh, column=column.name)), words(advice))


def _shape(part: Part, node: exp.Select) -> Iterator[Finding]:
    inside_exists = isinstance(node.parent, exp.Exists)
    stars = [
        one
        for one in node.expressions
        if isinstance(one, exp.Star) or (isinstance(one, exp.Column) and isinstance(one.this, exp.Star))
    ]
    if stars and not inside_exists and any(part.tables.values()):
        advice = Said("name the columns that are needed", "只写需要的列")
        en, zh = "SELECT * reads and sends every column", "SELECT * 会读取并返回所有列"
        yield _one("select_star", "low", en, zh, advice)
    limit, offset = node.args.get("limit"), node.args.get("offset")
    if offset is not None and isinstance(offset.expression, exp.Literal) and not offset.expression.is_string:
        skipped = int(float(offset.expression.name))
        if skipped >= FAR:
            en, zh = (
                "OFFSET {skipped:,} reads that many rows only to drop them",
                "OFFSET {skipped:,} 会先读出再丢弃这么多行",
            )
            advice = Said(
                "continue behind the last row seen: WHERE (sort, id) > (…, …) ORDER BY sort, id LIMIT n",
                "从上一页最后一行继续：WHERE (排序列, id) > (…, …) ORDER BY 排序列, id LIMIT n",
            )
            yield Finding("far_offset", "medium", words(said(en, zh, skipped=skipped)), words(advice))
    order = node.args.get("order")
    if order is not None and any(
        isinstance(at, exp.Rand) or (isinstance(at, exp.Anonymous) and at.name.lower() in ("newid", "random"))
        for at in order.walk()
    ):
        advice = Said("pick random keys instead", "改为随机抽取主键")
        yield _one("random_order", "medium", "it sorts the whole table by chance", "按随机数给整张表排序", advice)
    if limit is not None and order is None and not inside_exists and node.args.get("from_") is not None:
        aggregate = all(one.find(exp.AggFunc) for one in node.expressions) and not node.args.get("group")
        if not aggregate:
            en, zh = (
                "LIMIT without ORDER BY: which rows come is left to chance",
                "LIMIT 没有 ORDER BY，返回哪些行不确定",
            )
            yield _one("limit_without_order", "info", en, zh, None)
    if part.where is not None:
        apart = [one for top in ands(part.where) if isinstance(top, exp.Or) for one in [ors(top)]]
        for several in apart:
            columns = {c.sql() for one in several for c in [one.find(exp.Column)] if c is not None}
            if len(columns) > 1:
                en, zh = (
                    "OR across different columns: one index cannot serve both",
                    "OR 涉及不同的列，一个索引无法同时满足",
                )
                advice = Said("UNION of two queries, or an index for each", "拆成两个查询再 UNION，或各建索引")
                yield _one("or_columns", "low", en, zh, advice)
                break
    for one in node.expressions:
        query = one.find(exp.Subquery)
        if query is not None and query.find(exp.Column) and _reaches_out(query, part):
            en, zh = "a query in the list of columns runs once for each row", "列中的子查询会对每一行执行一次"
            yield _one("query_per_row", "low", en, zh, Said("a JOIN with GROUP BY", "改用 JOIN 加 GROUP BY"))
            break


def _reaches_out(query: exp.Subquery, part: Part) -> bool:
    inside = {at.alias_or_name.lower() for at in query.find_all(exp.Table)}
    return any(c.table.lower() in part.tables and c.table.lower() not in inside for c in query.find_all(exp.Column))


def _one(code: str, level: Level, en: str, zh: str, advice: Said | None) -> Finding:
    told: Words | None = words(advice) if advice is not None else None
    return Finding(code, level, words(Said(en, zh)), told)
