"""Looks at a statement, in a process of its own: parsers of such texts may run wild."""

from __future__ import annotations

import contextlib
import datetime
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import sqlglot
from sqlglot import exp
from sqlglot.errors import ErrorLevel, SqlglotError

from pointsman.actions.child.deeper import deeper
from pointsman.actions.child.work import Room
from pointsman.actions.sql import told_plan
from pointsman.actions.sql.dialects import shown
from pointsman.actions.sql.explained import Refusal, statement
from pointsman.actions.sql.findings import findings
from pointsman.actions.sql.grammar import marked, read
from pointsman.actions.sql.indexes import indexes
from pointsman.actions.sql.job import Found, Mistake, Plan, Task, words
from pointsman.actions.sql.on_sqlite import OnSqlite, sqlite_open
from pointsman.actions.sql.rewrite import rewritten
from pointsman.actions.sql.schema import Schema
from pointsman.domain.said import Said, said
from pointsman.extractors.sql import dialect as dialect_of
from pointsman.ports.action import ActionFailed

_DEEP = 20_000
_ASK_AT_MOST = 15.0  # seconds for the database


@deeper(_DEEP)
def examine(task: Task, room: Room) -> Found:
    """Raises ActionFailed for what is too long or too deep."""
    said_by_itself = dialect_of(task.sql)
    parsed = read(task.sql, task.dialect or said_by_itself, task.default or _family(task))
    dialect = parsed.dialect or task.dialect or said_by_itself
    try:
        return _looked(task, room, parsed.trees, parsed.mistakes, dialect)
    except RecursionError:
        en, zh = "This is nested too deeply to be looked at.", "嵌套太深，无法分析。"
        raise ActionFailed("too_deep", Said(en, zh), refused=True) from None


def _looked(task: Task, room: Room, trees: list[exp.Expr], mistakes: list[Mistake], dialect: str | None) -> Found:
    schema: Schema = {}
    plan = None
    if task.url or task.demo:
        with contextlib.ExitStack() as stack:
            try:
                source = stack.enter_context(_opened(task, min(room.left * 0.6, _ASK_AT_MOST)))
                names = {table.name.lower() for tree in trees for table in tree.find_all(exp.Table)}
                schema = source.schema(names) if names else {}
                if trees and not mistakes:
                    plan, wrong = _plan(task, source, trees, schema, dialect)
                    mistakes = [*mistakes, *wrong]
            except Exception as error:  # drivers raise all there is
                plan = Plan(source=task.source or "", problem=words(_unreachable(error, task)))
    found = findings(task.sql, trees, schema, dialect)
    advice = indexes(trees, schema, dialect)
    better = rewritten(trees[0], schema, dialect) if len(trees) == 1 and not mistakes else None
    translated, lost = _translated(trees, dialect, task.to)
    return Found(
        dialect=dialect,
        statements=tuple(_verb(tree) for tree in trees),
        errors=tuple(mistakes),
        findings=tuple(found),
        indexes=advice.indexes,
        rewritten=better,
        plan=plan,
        translated=translated,
        lost=lost,
    )


def _verb(tree: exp.Expr) -> str:
    if isinstance(tree, exp.Command):
        return tree.name.lower()[:40]
    kind = tree.args.get("kind") if isinstance(tree, exp.Create | exp.Drop | exp.Alter) else None
    names = {"truncatetable": "truncate table", "union": "select", "except": "select", "intersect": "select"}
    verb = names.get(tree.key, tree.key)
    return f"{verb} {str(kind).lower()}" if kind else verb


def _family(task: Task) -> str | None:
    if task.demo or (task.url or "").startswith("sqlite"):
        return "sqlite"
    return "postgres" if (task.url or "").startswith("postgres") else None


@contextlib.contextmanager
def _opened(task: Task, seconds: float) -> Iterator[OnSqlite]:
    if _family(task) == "sqlite":
        path = urlsplit(task.url).path[1:] if task.url else ""
        if task.demo:
            from pointsman.actions.report.demo import demo_database

            path = str(demo_database(Path(task.demo), datetime.date.fromisoformat(task.today)))
        with sqlite_open(path, seconds) as source:
            yield source
        return
    from pointsman.actions.sql.on_postgres import postgres_open

    with postgres_open(task.url or "", seconds) as database:
        yield database  # type: ignore[misc]


def _plan(
    task: Task, source: OnSqlite, trees: list[exp.Expr], schema: Schema, dialect: str | None
) -> tuple[Plan, list[Mistake]]:
    name = task.source or ""
    other = dialect is not None and dialect != source.dialect
    try:
        asked = statement(trees, source.dialect, numbered=source.dialect == "postgres")
        answer = source.explain(asked)
    except Refusal as refusal:
        return Plan(source=name, problem=words(refusal.message)), []
    except Exception as error:  # what the database says of a statement, as its driver has it
        message, place = _told(error)
        if other:
            en, zh = "{source} says: {it}", "{source} 报错：{it}"
            return Plan(source=name, problem=words(said(en, zh, source=name, it=message))), []
        en, zh = "the database says: {it}", "数据库报错：{it}"
        mistake = marked(task.sql, _where(task.sql, message, place), said(en, zh, it=message))
        return Plan(source=name, problem=words(said(en, zh, it=message))), [mistake]
    if isinstance(answer, list) and answer and isinstance(answer[0], dict):
        top = answer[0].get("Plan") or {}
        cost, rows = told_plan.totals(top)
        steps = told_plan.postgres_steps(top, schema)
        return Plan(source=name, steps=steps, cost=cost, rows=rows, translated=other, raw=answer[0]), []
    names = {table.alias.lower(): table.name for table in trees[0].find_all(exp.Table) if table.alias}
    steps = told_plan.sqlite_steps(answer, schema, names)
    return Plan(source=name, steps=steps, translated=other, raw=list(answer)), []


def _told(error: Exception) -> tuple[str, int]:
    """The server's own sentence, bounded, and the name or word it is about."""
    first = error.args[0] if error.args else ""
    text = str(first.get("M", "")) if isinstance(first, dict) else str(first)
    if not isinstance(error, sqlite3.Error) and not isinstance(first, dict):
        text = type(error).__name__
    return "".join(c if c.isprintable() else " " for c in text)[:200], 0


def _where(sql: str, message: str, place: int) -> int:
    """Where the word stands that the message names."""
    for quote in ('"', ": "):
        _, found, rest = message.partition(quote)
        word = rest.partition('"')[0].rpartition(".")[2].strip()
        if found and word and (at := sql.lower().find(word.lower())) >= 0:
            return at
    return place


def _unreachable(error: Exception, task: Task) -> Said:
    del error  # it may hold an address or a password
    en, zh = "the source “{name}” cannot be reached", "无法连接数据源“{name}”"
    return said(en, zh, name=task.source)


def _translated(trees: list[exp.Expr], dialect: str | None, to: str | None) -> tuple[str | None, tuple[str, ...]]:
    """In the other dialect; and what that one does not have."""
    if to is None or not trees:
        return None, ()
    lost: list[str] = []
    texts = []
    for tree in trees:
        generator = sqlglot.Dialect.get_or_raise(to).generator(pretty=True, unsupported_level=ErrorLevel.IGNORE)
        with contextlib.suppress(SqlglotError):
            texts.append(generator.generate(tree))
        lost += generator.unsupported_messages
        if isinstance(tree, exp.Command):
            lost.append(f"{tree.name} ({shown(dialect)})")
    return ";\n\n".join(texts), tuple(message[:200] for message in lost[:5])
