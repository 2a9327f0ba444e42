"""What a database or a driver said, in words for the person who asked: no SQL, no address, no password."""

from __future__ import annotations

import re
from typing import Any

from pointsman.actions.report.failure import failure, out_of_memory, timed_out
from pointsman.actions.report.source import Circumstances
from pointsman.ports.action import ActionFailed

_PASSWORD = re.compile(r"(://[^:/@\s]*:)[^@\s]*@|(password\s*[=:]\s*)\S+", re.IGNORECASE)
_BUSY = (
    "database is locked",
    "database table is locked",
    "database schema is locked",
    "lock wait timeout",
    "lock request time out",
)
_BUSY_STATES = {"55P03", "40P01", "40001"}
_SLOW = (
    "interrupted",
    "statement timeout",
    "query execution was interrupted",
    "maximum statement execution time",
    "timed out",
)
_SLOW_STATES = {"57014"}
_GONE_STATES = {"57P01", "57P02", "57P03", "53300", "3D000", "28000", "28P01"}
_FORBIDDEN = ("permission denied", "access denied", "command denied", "permission was denied")


def explain(error: BaseException, about: Circumstances, *, connecting: bool = False) -> ActionFailed:
    """The failure to raise for `error`; `connecting` where there is no connection yet."""
    if isinstance(error, ActionFailed):
        return error
    cause = getattr(error, "orig", None) or error
    if isinstance(cause, MemoryError):
        return out_of_memory()
    state = _state(cause)
    said = str(cause).lower()
    detail = _detail(cause, state)
    name = about.name
    if state in _BUSY_STATES or any(words in said for words in _BUSY):
        return failure(
            "busy",
            f"数据源“{name}”正被其他程序锁定，请稍后再试。",
            f'The source "{name}" is locked by another program. Please try again in a moment.',
            detail,
        )
    slow = state in _SLOW_STATES or (not connecting and any(words in said for words in _SLOW))
    if slow or about.deadline.passed >= 1:
        return timed_out(about.deadline.seconds)
    if connecting or state in _GONE_STATES or state.startswith("08") or isinstance(cause, OSError):
        return failure(
            "source",
            f"无法连接数据源“{name}”，请联系管理员检查它的配置。",
            f'The source "{name}" cannot be reached. Please ask an administrator to check its configuration.',
            detail,
        )
    if state == "42501" or any(words in said for words in _FORBIDDEN):
        return failure(
            "query",
            f"数据源“{name}”不允许读取这些数据，请联系管理员授予读取权限。",
            f'The source "{name}" does not allow these data to be read. Please ask an administrator for read access.',
            detail,
        )
    return failure(
        "query",
        f"数据源“{name}”执行查询时出错，报表没有生成。详细原因已写入日志。",
        f'The source "{name}" failed to run the query, so no report was made. The details are in the log.',
        detail,
    )


def _state(cause: BaseException) -> str:
    """SQLSTATE, where the driver tells it: psycopg's attribute, psycopg2's, pg8000's mapping."""
    for attribute in ("sqlstate", "pgcode"):
        if isinstance(value := getattr(cause, attribute, None), str):
            return value
    first: Any = cause.args[0] if cause.args else None
    return str(first.get("C", "")) if isinstance(first, dict) else ""


def _detail(cause: BaseException, state: str) -> str:
    """The driver's own first line: for the log, shortened, without a password."""
    first: Any = cause.args[0] if cause.args else ""
    text = str(first.get("M", "")) if isinstance(first, dict) else str(cause)
    line = text.strip().splitlines()[0] if text.strip() else ""
    line = _PASSWORD.sub(lambda found: f"{found[1] or found[2]}***" + ("@" if found[1] else ""), line)
    return f"{type(cause).__name__}{f' {state}' if state else ''}: {line[:300]}".rstrip(": ")
