"""Looks at a statement and tells what it found. Nothing is executed."""

from __future__ import annotations

import datetime
from typing import Any

import msgspec

from pointsman.actions.child import Work, limits_of
from pointsman.actions.sql.asked import NOTHING, statement_in, wanted_in
from pointsman.actions.sql.dialects import VALID, dialect_named
from pointsman.actions.sql.job import LEVELS, Found, Level, Task
from pointsman.actions.sql.spec import LONGEST, ROLES
from pointsman.actions.sql.told import text_of
from pointsman.actions.tools import Tools
from pointsman.config.action_schema import ActionConfig
from pointsman.config.action_schema.sql import Sql
from pointsman.domain.action import QUESTION, ActionSpec
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, said
from pointsman.ports.action import Action, ActionFailed, Effect, Occasion

WORK = Work("pointsman.actions.sql.child:examine", Task, Found, extra="pointsman[sql]", warm=True, forks=True)


def made(spec: ActionSpec, config: ActionConfig, tools: Tools) -> Action:
    assert config.sql is not None
    return SqlAction(spec, config.sql, tools)


class SqlAction:
    def __init__(self, spec: ActionSpec, settings: Sql, tools: Tools) -> None:
        self._spec = spec
        self._settings = settings
        self._tools = tools

    @property
    def spec(self) -> ActionSpec:
        return self._spec

    def check(self, parameters: dict[str, Any]) -> None:
        """Raises PointsmanError where there is neither a statement nor words."""
        if not str(parameters.get("sql") or parameters.get(QUESTION) or "").strip():
            en, zh = "one of sql and question is needed", "sql 和 question 至少要有一个"
            raise PointsmanError(Said(en, zh), code="bad_parameters", param="parameters.sql")
        for key in ("dialect", "to"):
            _dialect(parameters.get(key), key)

    async def run(self, parameters: dict[str, Any], occasion: Occasion) -> Effect:
        question = str(parameters.get(QUESTION) or "")
        sql, around = str(parameters.get("sql") or "").strip(), question
        if not sql:
            sql, around = statement_in(question)
        if not sql or len(sql) > LONGEST:
            raise ActionFailed("no_statement", NOTHING, refused=True)
        named, target = wanted_in(around) if around != sql else (None, None)
        source = self._tools.sources.get(self._settings.source or "")
        demo = (source.folder or str(self._tools.data / "demo")) if source is not None and source.demo else None
        task = Task(
            sql=sql.replace("\x00", " "),
            dialect=_dialect(parameters.get("dialect"), "dialect") or named,
            to=_dialect(parameters.get("to"), "to") or target,
            default=dialect_named(self._settings.dialect or ""),
            source=self._settings.source,
            url=source.url if source is not None else None,
            demo=demo,
            today=datetime.datetime.fromtimestamp(self._tools.wall(), datetime.UTC).date().isoformat(),
        )
        limits = limits_of(self._spec)
        async with self._tools.children.folder() as folder:
            found = await self._tools.children.run(WORK, task, folder, limits)
        role = str(parameters.get("role") or occasion.role or "").lower()
        return Effect(text_of(found, role if role in ROLES else "", occasion.tongue), values=values_of(found))


def _dialect(text: Any, key: str) -> str | None:
    """sqlglot's name. Raises PointsmanError (400)."""
    if not text:
        return None
    name = dialect_named(str(text))
    if name is None:
        en, zh = "{key}: unknown dialect “{it}” (valid: {valid})", "{key}：未知的方言“{it}”（可用的有：{valid}）"
        raise PointsmanError(
            said(en, zh, key=key, it=str(text)[:40], valid=VALID), code="bad_parameters", param=f"parameters.{key}"
        )
    return name


def risk_of(found: Found) -> Level:
    """The worst of its findings."""
    return min((one.level for one in found.findings), key=LEVELS.index, default="info")


def values_of(found: Found) -> dict[str, Any]:
    """For programs and later steps."""
    values: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(found))  # lists, no tuples: slots go into them
    risk = risk_of(found)
    return {**values, "risk": "none" if risk == "info" else risk, "valid": not found.errors}
