"""What an action that looks at SQL takes."""

from __future__ import annotations

from pointsman.actions.specs import Surroundings, limited, takes
from pointsman.actions.sql.dialects import VALID, dialect_named
from pointsman.config.action_schema import ActionConfig
from pointsman.domain.action import QUESTION, ActionSpec
from pointsman.domain.errors import Problem, Problems, did_you_mean
from pointsman.domain.said import Said, said

STEPS = ("syntax_check", "index_suggestion", "explain_plan")
ROLES = ("analyst", "dba")
LONGEST = 60_000
"""Characters of a statement, and of the words around it."""
_ABOUT = {
    "en": "Checks an SQL statement: syntax, risk, indexes, a better form, the database's plan. It never runs it.",
    "zh": "检查 SQL 语句：语法、风险、索引建议、改写和执行计划。不会执行语句。",
}


def spec_of(name: str, config: ActionConfig, surroundings: Surroundings) -> ActionSpec:
    """Raises Problems."""
    sql = config.sql
    assert sql is not None
    path = f"actions.{name}.sql"
    problems = []
    sources = surroundings.config.sources
    if sql.source is not None:
        known = sources.get(sql.source)
        if known is None:
            en, zh = "no source {source!r}{hint}", "没有数据源 {source!r}{hint}"
            hint = did_you_mean(sql.source, list(sources))
            wrong = said(en, zh, source=sql.source, hint=hint)
            problems.append(Problem(f"{path}.source", wrong, valid=", ".join(sources) or Said("none", "无")))
        elif not known.demo and (known.url or "").partition(":")[0].partition("+")[0] not in ("sqlite", "postgresql"):
            en = "plans are asked of SQLite and PostgreSQL alone; of other databases EXPLAIN may run parts of a statement"
            zh = "只向 SQLite 和 PostgreSQL 查询执行计划；其他数据库的 EXPLAIN 可能会执行语句的一部分"
            problems.append(Problem(f"{path}.source", Said(en, zh)))
    if sql.dialect is not None and dialect_named(sql.dialect) is None:
        en, zh = "unknown dialect {it!r}", "未知的方言 {it!r}"
        problems.append(Problem(f"{path}.dialect", said(en, zh, it=sql.dialect), valid=VALID))
    if problems:
        raise Problems(problems)
    text = {"type": "string", "maxLength": LONGEST}
    short = {"type": "string", "maxLength": 40}
    parameters = takes(
        {
            QUESTION: {**text, "description": "the words with the statement in them"},
            "sql": {**text, "description": "the statement alone", "x-about": {"en": "the statement", "zh": "SQL 语句"}},
            "dialect": {**short, "description": f"whose SQL it is: {VALID}"},
            "to": {**short, "description": "the dialect to translate it to"},
            "role": {
                **short,
                "description": "analyst: advice on indexes in detail; dba: the plan in detail",
            },
        },
        [],
    )
    spec = ActionSpec(
        name=name, kind="sql", about=_ABOUT, parameters=parameters, steps=STEPS, seconds=30.0, cpu_seconds=0.05
    )
    return limited(spec, config)
