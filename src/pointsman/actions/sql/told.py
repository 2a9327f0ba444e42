"""What was found, as a person reads it: the worst first, short; an analyst gets the indexes in detail, a DBA the plan."""

from __future__ import annotations

from collections.abc import Callable

from pointsman.actions.sql.dialects import shown
from pointsman.actions.sql.job import LEVELS, Found, Index, Level, Plan
from pointsman.domain.said import Said, Tongue, said, told

_LEVELS: dict[Level, Said] = {
    "high": Said("high", "高"),
    "medium": Said("medium", "中"),
    "low": Said("low", "低"),
    "info": Said("none seen", "未发现"),
}
_NOTE = Said("note", "提示")
SHORT = 4
"""Findings, indexes and steps of a plan that somebody without a role of his own reads."""


def text_of(found: Found, role: str, tongue: Tongue) -> str:
    """Markdown. `role`: analyst, dba, or none of them."""

    def say(en: str, zh: str, **slots: object) -> str:
        return told(said(en, zh, **slots), tongue)

    pieces = []
    worst: Level = min((one.level for one in found.findings), key=LEVELS.index, default="info")
    kinds = (", " if tongue == "en" else "、").join(dict.fromkeys(found.statements))
    head = say("**Risk: {risk}**", "**风险：{risk}**", risk=_LEVELS[worst])
    if found.errors and not found.findings:
        head = say("**This is not valid SQL**", "**语句有误**")
    facts = [head, shown(found.dialect), kinds.upper()]
    pieces.append(" · ".join(fact for fact in facts if fact))
    for mistake in found.errors[:3]:
        en, zh = "**Syntax:** line {line}, column {column}: {it}", "**语法：**第 {line} 行第 {column} 列：{it}"
        if mistake.by == "database":
            en, zh = "**Line {line}, column {column}:** {it}", "**第 {line} 行第 {column} 列：**{it}"
        line = say(en, zh, line=mistake.line, column=mistake.column, it=mistake.message.said)
        pieces.append(f"{line}\n```\n{mistake.near.replace('```', '')}\n```")
    if not found.errors:
        pieces.append(say("**Syntax:** sound.", "**语法：**正确。"))
    pieces += _findings(found, role, say)
    if found.translated is not None:
        text = say("**Translated:**", "**转换结果：**") + f"\n```sql\n{found.translated}\n```"
        for lost in found.lost:
            text += "\n" + say("- please check: {it}", "- 请核对：{it}", it=lost)
        pieces.append(text)
    pieces += _indexes(found, role, say)
    if found.rewritten is not None:
        better = found.rewritten
        text = say("**Rewritten, with the same result:**", "**等价改写：**") + f"\n```sql\n{better.sql}\n```"
        text += "".join(f"\n- {told(reason.said, tongue)}" for reason in better.reasons)
        if role:
            text += f"\n```diff\n{better.diff}\n```"
        pieces.append(text)
    if found.plan is not None:
        pieces.append(_plan(found.plan, role, say))
    return "\n\n".join(pieces)


Say = Callable[..., str]


def _findings(found: Found, role: str, say: Say) -> list[str]:
    if not found.findings:
        return []
    many = len(found.statements) > 1
    lines = []
    most = len(found.findings) if role else SHORT
    for one in found.findings[:most]:
        level = _NOTE if one.level == "info" else _LEVELS[one.level]
        where = said(" (statement {n})", "（第 {n} 条）", n=one.statement) if many else ""
        line = say("- {level}: {it}{where}", "- {level}：{it}{where}", level=level, it=one.message.said, where=where)
        if one.advice is not None:
            line += say(" → {it}", " → {it}", it=one.advice.said)
        lines.append(line)
    if len(found.findings) > most:
        lines.append(say("- and {n} more", "- 另有 {n} 条", n=len(found.findings) - most))
    return [say("**Findings:**", "**发现：**") + "\n" + "\n".join(lines)]


def _indexes(found: Found, role: str, say: Say) -> list[str]:
    if not found.indexes:
        return []
    guess = not all(one.known for one in found.indexes)
    head = say("**Indexes that would help:**", "**索引建议：**")
    if guess:
        en = "**Indexes that would help, if there are none such yet:**"
        head = say(en, "**索引建议（假设尚无同样的索引，未与真实结构核对）：**")
    some = found.indexes if role == "analyst" else found.indexes[: 2 if role else SHORT]
    if role != "analyst":
        return [f"{head}\n```sql\n" + "\n".join(one.ddl for one in some) + "\n```"]
    lines = [_index(one, say) for one in some]
    return [head + "\n" + "\n".join(lines)]


def _index(one: Index, say: Say) -> str:
    line = f"- `{one.ddl}`\n  - " + say("{why}", "{why}", why=one.why.said)
    if one.rows is not None:
        line += "\n  - " + say(
            "{table} has about {rows:,} rows", "{table} 约有 {rows:,} 行", table=one.table, rows=one.rows
        )
    return line


def _plan(plan: Plan, role: str, say: Say) -> str:
    head = say("**Plan** ({source})", "**执行计划**（{source}）", source=plan.source)
    if plan.problem is not None:
        return head + say(": none, {why}", "：没有，{why}", why=plan.problem.said)
    if plan.translated:
        head += say(", of the statement as translated for it", "，按转换后的语句")
    steps = list(plan.steps)
    if not steps:
        return head + say(": nothing is looked up, it goes for the whole at once", "：无需查找，直接作用于整体")
    if role != "dba":
        heavy = [one for one in steps if one.heavy]
        leaves = [
            one
            for one, after in zip(steps, [*steps[1:], None], strict=False)
            if after is None or after.depth <= one.depth
        ]
        steps = (heavy or leaves)[:SHORT]
        return (
            head + say(":", "：") + "\n" + "\n".join(f"- {say('{it}', '{it}', it=one.message.said)}" for one in steps)
        )
    if plan.cost is not None and plan.rows is not None:
        en, zh = ": cost {cost:,.0f}, about {rows:,.0f} rows", "：代价 {cost:,.0f}，约 {rows:,.0f} 行"
        head += say(en, zh, cost=plan.cost, rows=plan.rows)
    lines = [f"{'  ' * one.depth}- {say('{it}', '{it}', it=one.message.said)}" for one in steps]
    return head + "\n" + "\n".join(lines)
