"""Which statement is meant, and what is wanted of it: read from a person's words."""

from __future__ import annotations

import itertools
import re

from pointsman.actions.sql.dialects import dialect_named
from pointsman.domain.said import Said
from pointsman.extractors.extract import extract
from pointsman.ports.action import ActionFailed

_FENCE = re.compile(r"```[ \t]*([A-Za-z0-9_+-]{0,20})[^\n`]*\n(.{1,60000}?)```", re.DOTALL)
_NAMES = (
    r"(mysql|mariadb|postgresql|postgres|pg|sqlite|sql ?server|mssql|t-?sql|oracle|duckdb|clickhouse|hive|spark(?: ?sql)?"
    r"|snowflake|bigquery)"
)
_TO = re.compile(
    rf"(?:\b(?:to|into|for)\s+|转换?[为成到]?\s*|改[写为成]+\s*|翻译[为成到]?\s*|换成\s*|→\s*|->\s*){_NAMES}(?![a-z])",
    re.IGNORECASE,
)
_TURNS = re.compile(
    r"\b(?:translate|transpile|convert|port|rewrite|migrate|turn|change)\b|转|改写|改成|改为|翻译|换成|迁移|→|->",
    re.IGNORECASE,
)
_FROM = re.compile(
    rf"(?:\bfrom\s+|\bthis\s+|\bmy\s+|从|这[条段个句]\s*|我的\s*)?(?<![a-z]){_NAMES}(?![a-z])", re.IGNORECASE
)
_BEGINS = re.compile(r"(?i)\b(?:sel[a-z]{1,4}|inser[a-z]?|upd[a-z]{2,4}|del[a-z]{2,4}|with|create|alter|drop)\s+\S")
_WINDOW = 4000
NOTHING = Said(
    "I found no SQL statement in this. Send it as a code block: ```sql … ```",
    "这里没有找到 SQL 语句。请放在代码块中发送：```sql … ```",
)


def statement_in(question: str) -> tuple[str, str]:
    """The statement, and the words around it. Raises ActionFailed where there is none."""
    for fence in _FENCE.finditer(question):
        language = fence[1].lower()
        if "sql" in language or dialect_named(language) or not language:
            return fence[2].strip(), question[: fence.start()] + "\n" + question[fence.end() :]
    found = extract("sql", question)
    if found:
        start, end = found[0].start, found[-1].end
        pieces = [question[one.start : one.end].rstrip().rstrip(";") for one in found]
        between = [question[a.end : b.start].strip(" \t\r\n;") for a, b in itertools.pairwise(found)]
        whole = question[start:end] if not any(between) else ";\n".join(pieces)
        return whole.strip(), question[:start] + "\n" + question[end:]
    near = _BEGINS.search(question[-_WINDOW:] if len(question) > _WINDOW else question)
    if near is not None:  # it is broken so badly that nothing is sure but its first word
        begin = near.start() + max(0, len(question) - _WINDOW)
        rest = question[begin:]
        stop = re.search(r"[。？！]|\n\s*\n|[一-鿿]{4,}", rest)
        text = rest[: stop.start()] if stop and "'" not in rest[: stop.start()][-2:] else rest
        if re.search(r"(?i)\b(from|fro?m|form|into|set|table|values)\b|[=*]", text):
            return text.strip(), question[:begin]
    raise ActionFailed("no_statement", NOTHING, refused=True)


def wanted_in(words: str) -> tuple[str | None, str | None]:
    """The dialect that the words around a statement say it is in, and the one that it is to be translated to."""
    words = words[:_WINDOW]
    to = None
    if _TURNS.search(words) and (target := _TO.search(words)):
        to = dialect_named(target[1])
        words = words[: target.start()] + " " + words[target.end() :]
    named = [name for found in _FROM.finditer(words) if (name := dialect_named(found[1]))]
    return (named[0] if len(set(named)) == 1 else None), to
