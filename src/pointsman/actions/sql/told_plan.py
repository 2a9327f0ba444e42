"""A database's plan in words for people."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pointsman.actions.sql.job import Step, Words, words
from pointsman.actions.sql.schema import Schema
from pointsman.domain.said import Said, said

MANY = 10_000
"""Rows from which reading a whole table, or sorting, is told to everybody."""
MOST = 60
_JOINS = {
    "Nested Loop": (
        "for each row of the first, look up the second (nested loop)",
        "对前者的每一行去查后者（嵌套循环）",
    ),
    "Hash Join": ("join by a hash table", "用哈希表关联"),
    "Merge Join": ("join two sorted inputs (merge)", "归并两个有序输入"),
}
_OTHERS = {
    "Sort": ("sort by {key}", "按 {key} 排序"),
    "Incremental Sort": ("sort what is partly sorted, by {key}", "在部分有序的基础上按 {key} 排序"),
    "Aggregate": ("aggregate", "聚合"),
    "HashAggregate": ("aggregate", "聚合"),
    "Limit": ("stop after the first rows (LIMIT)", "取到前几行即停（LIMIT）"),
    "Hash": ("build a hash table", "建立哈希表"),
    "Materialize": ("keep the rows for reuse", "暂存以便重复使用"),
    "Memoize": ("keep results for reuse", "缓存查找结果"),
    "Unique": ("drop duplicates", "去除重复行"),
    "Append": ("one after the other", "依次合并"),
    "Gather": ("by several workers in parallel", "多个进程并行"),
    "Gather Merge": ("by several workers in parallel, in order", "多个进程并行并保持顺序"),
    "Subquery Scan": ("read a query inside", "读取子查询"),
    "CTE Scan": ("read a WITH query", "读取 WITH 子查询"),
    "Function Scan": ("read what a function gives", "读取函数结果"),
    "Values Scan": ("read the values given", "读取给定的值"),
    "Result": ("compute", "计算"),
    "WindowAgg": ("compute over windows", "窗口计算"),
    "LockRows": ("lock the rows", "锁定行"),
    "SetOp": ("compare two results", "比较两个结果集"),
}


def postgres_steps(plan: Mapping[str, Any], schema: Schema) -> tuple[Step, ...]:
    """Of the JSON under "Plan", the outermost first."""
    found: list[Step] = []
    todo: list[tuple[int, Mapping[str, Any]]] = [(0, plan)]
    while todo and len(found) < MOST:
        depth, node = todo.pop()
        message, heavy = _node(node, schema)
        found.append(Step(depth, _words(message), heavy))
        todo += [(depth + 1, child) for child in reversed(node.get("Plans") or [])]
    return tuple(found)


def _node(node: Mapping[str, Any], schema: Schema) -> tuple[Said, bool]:
    kind = str(node.get("Node Type", "?"))
    rows = float(node.get("Plan Rows") or 0)
    table = str(node.get("Relation Name") or node.get("CTE Name") or node.get("Function Name") or "")
    index = str(node.get("Index Name") or "")
    condition = _bare(str(node.get("Index Cond") or node.get("Filter") or ""))
    heavy = False
    if kind == "Seq Scan":
        whole = schema[table.lower()].rows if table.lower() in schema else None
        size = float(whole if whole is not None else rows)
        heavy = size >= MANY
        message = said(
            "read all of {table} ({rows} rows)", "逐行扫描整张表 {table}（{rows} 行）", table=table, rows=count(size)
        )
        if node.get("Filter"):
            en, zh = "{it}, keeping {rows} where {condition}", "{it}，按 {condition} 保留 {rows} 行"
            message = said(en, zh, it=message, rows=count(rows), condition=condition)
        return message, heavy
    if kind in ("Index Scan", "Index Only Scan", "Bitmap Index Scan", "Bitmap Heap Scan"):
        if kind == "Bitmap Heap Scan":
            return said(
                "fetch {rows} rows of {table}", "从 {table} 取出 {rows} 行", rows=count(rows), table=table
            ), False
        by = said("by index {index}", "用索引 {index}", index=index)
        on = said(" where {c}", "，条件 {c}", c=condition) if condition else ""
        alone = Said(", the index alone", "，只读索引") if kind == "Index Only Scan" else ""
        en, zh = "look up {table} {by}{on}: {rows} rows{alone}", "{by}查找 {table}{on}：{rows} 行{alone}"
        return said(en, zh, table=table, by=by, on=on, rows=count(rows), alone=alone), False
    if kind in _JOINS:
        on = _bare(str(node.get("Hash Cond") or node.get("Merge Cond") or node.get("Join Filter") or ""))
        message = said(*_JOINS[kind])
        if on:
            message = said("{it} on {on}", "{it}，条件 {on}", it=message, on=on)
        if kind == "Nested Loop" and not on and rows >= MANY:
            heavy = True
        return said("{it}: {rows} rows", "{it}：{rows} 行", it=message, rows=count(rows)), heavy
    if kind == "ModifyTable":
        verb = {"Insert": ("insert into", "写入"), "Update": ("update", "更新"), "Delete": ("delete from", "删除")}
        said_verb = Said(*verb.get(str(node.get("Operation")), ("change", "修改")))
        return said("{verb} {table}", "{verb} {table}", verb=said_verb, table=table), False
    key = ", ".join(map(str, node.get("Sort Key") or node.get("Group Key") or ["?"]))[:100]
    en, zh = _OTHERS.get(kind, (kind.lower(), kind))
    message = said(en, zh, key=key)
    if kind in ("Sort", "Aggregate", "Unique"):
        message = said("{it}: {rows} rows", "{it}：{rows} 行", it=message, rows=count(rows))
        heavy = kind == "Sort" and rows >= MANY
    return message, heavy


def sqlite_steps(rows: Sequence[tuple[int, int, str]], schema: Schema, names: Mapping[str, str]) -> tuple[Step, ...]:
    """Of the rows of EXPLAIN QUERY PLAN, which call a table by the name that the statement gives it: `names` are those."""
    depths: dict[int, int] = {0: -1}
    found = []
    for number, above, detail in rows[:MOST]:
        depths[number] = depths.get(above, -1) + 1
        message, heavy = _detail(detail[:300], schema, names)
        found.append(Step(depths[number], _words(message), heavy))
    return tuple(found)


_SCAN = re.compile(r"(SCAN|SEARCH) (?:TABLE )?(\S+)(?: AS (\S+))?(?: USING (.*))?$")


def _detail(detail: str, schema: Schema, names: Mapping[str, str]) -> tuple[Said, bool]:
    match = _SCAN.match(detail)
    if match is None:
        if detail.startswith("USE TEMP B-TREE FOR "):
            what = detail.removeprefix("USE TEMP B-TREE FOR ")
            return said("sort for {what} (a temporary tree)", "为 {what} 排序（临时 B 树）", what=what), False
        known = {
            "CO-ROUTINE": ("a query inside: {rest}", "子查询：{rest}"),
            "MATERIALIZE": ("keep a query inside: {rest}", "暂存子查询：{rest}"),
            "COMPOUND": ("several queries together", "多个查询合并"),
            "LIST": ("a query for IN", "IN 的子查询"),
            "CORRELATED": ("once for each row: {rest}", "每一行执行一次：{rest}"),
            "SCALAR": ("a query for one value", "取单个值的子查询"),
        }
        head, _, rest = detail.partition(" ")
        return said(*known.get(head, (detail.replace("{", "{{").replace("}", "}}"),) * 2), rest=rest), False
    verb, table, _, using = match.groups()
    table = names.get(table.lower(), table)
    real = schema.get(table.lower())
    rows = real.rows if real is not None else None
    if not using:
        size = said(" ({rows} rows)", "（{rows} 行）", rows=count(rows)) if rows is not None else ""
        return said("read all of {table}{size}", "逐行扫描整张表 {table}{size}", table=table, size=size), (
            rows or 0
        ) >= MANY
    condition = re.search(r"\(([^()]*)\)\s*(?:LEFT-JOIN)?$", using)
    on = said(" where {c}", "，条件 {c}", c=condition[1]) if condition else ""
    name = re.sub(r"\s*\([^()]*\).*$", "", using)
    if name.startswith("AUTOMATIC"):
        en, zh = (
            "look up {table} by an index that is built for this query alone{on}",
            "为本次查询临时建索引来查找 {table}{on}",
        )
        return said(en, zh, table=table, on=on), True
    if "PRIMARY KEY" in name:
        return said("look up {table} by its key{on}", "按主键查找 {table}{on}", table=table, on=on), False
    index = name.split()[-1]
    alone = Said(", the index alone", "，只读索引") if "COVERING" in name else ""
    if verb == "SCAN":
        en, zh = (
            "read all of {table} in the order of index {index}{alone}",
            "按索引 {index} 的顺序读取整张表 {table}{alone}",
        )
        return said(en, zh, table=table, index=index, alone=alone), (rows or 0) >= MANY
    en, zh = "look up {table} by index {index}{on}{alone}", "用索引 {index} 查找 {table}{on}{alone}"
    return said(en, zh, table=table, index=index, on=on, alone=alone), False


def count(rows: float | None) -> Said:
    """1.2M, 约 120 万."""
    number = float(rows or 0)
    if number < 10_000:
        return Said(f"{number:,.0f}", f"{number:,.0f}")
    en = f"{number / 1e6:.1f}M" if number >= 1e6 else f"{number / 1e3:.0f}K"
    zh = (
        f"{number / 1e8:.1f} 亿"
        if number >= 1e8
        else f"{number / 1e4:.0f} 万"
        if number >= 1e5
        else f"{number / 1e4:.1f} 万"
    )
    return Said(f"about {en}", f"约 {zh}")


def _words(message: Said) -> Words:
    return words(Said(str(message), message.zh.replace("万 行", "万行").replace("亿 行", "亿行")))


def _bare(condition: str) -> str:
    """Without the casts that the server writes, and not too long."""
    plain = re.sub(r"::[a-z ]+(?:\[\])?(?:\([0-9]+\))?(?= |\)|$|,)", "", condition)
    while plain.startswith("(") and plain.endswith(")") and _one_pair(plain):
        plain = plain[1:-1]
    return plain if len(plain) <= 100 else plain[:99] + "…"


def _one_pair(text: str) -> bool:
    depth = 0
    for place, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0:
            return place == len(text) - 1
    return False


def totals(plan: Mapping[str, Any]) -> Iterator[float]:
    """Cost and rows of the whole."""
    yield float(plan.get("Total Cost") or 0)
    yield float(plan.get("Plan Rows") or 0)
