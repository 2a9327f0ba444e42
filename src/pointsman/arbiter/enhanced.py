"""Document A's enhanced request: what the rules' level can tell of a request besides its words, for a language model that
decides what is wanted. Pure."""

from __future__ import annotations

import datetime
from typing import Any

from pointsman.domain.features import Features
from pointsman.domain.request import Request
from pointsman.extractors.extract import extract
from pointsman.extractors.sql_dialect import dialect
from pointsman.extractors.sql_risk import destructive

MOST_SQL = 600
MOST_FILES = 5
MOST_TURN = 160
TURNS = 2
"""Earlier messages that the summary is made of."""
READ = 4000
"""Characters of the question that are looked at."""


def context_of(
    request: Request, features: Features, question: str, today: datetime.date | None = None
) -> dict[str, Any]:
    """Only what there is, in this order: `sql_snippet`, `db_type` (mysql, postgres, sqlite, tsql, oracle), `risk_level`
    (high: it destroys; else medium where it writes, low where it reads), `code_language`, `files`, `time_range` (first and
    last day; needs `today`), `user_role`, `conversation` (the last messages before the question, cut). Plain data, some
    hundred characters. `question` is what the user asks, out of the message."""
    text = question[:READ]
    found = _sql(text)
    if (code := _language(text, features)) is not None:
        found["code_language"] = code
    files = dict.fromkeys([*request.files, *(find.value["name"] for find in extract("file", text))])
    if files:
        found["files"] = list(files)[:MOST_FILES]
    if today is not None and (periods := extract("period", text, today=today)):
        first, after = periods[0].value["start"], periods[0].value["end"]
        last = datetime.date.fromisoformat(after) - datetime.timedelta(days=1)
        found["time_range"] = {"from": first, "to": last.isoformat()}
    if request.caller_role is not None:
        found["user_role"] = request.caller_role
    if summary := _before(request):
        found["conversation"] = summary
    return found


def _sql(text: str) -> dict[str, Any]:
    statements = extract("sql", text)
    if not statements:
        return {}
    whole = "; ".join(text[find.start : find.end].strip().rstrip(";") for find in statements)
    found: dict[str, Any] = {"sql_snippet": whole[:MOST_SQL]}
    if (kind := dialect(whole)) is not None:
        found["db_type"] = kind
    if destructive(whole) is not None:
        found["risk_level"] = "high"
    else:
        reads = all(find.of in _READS for find in statements)
        found["risk_level"] = "low" if reads else "medium"
    return found


_READS = frozenset(("select", "show", "explain", "describe", "desc", "with", "values"))


def _language(text: str, features: Features) -> str | None:
    if not features.code:
        return None
    return next((find.of for find in extract("code", text) if find.of not in (None, "sql")), None)


def _before(request: Request) -> list[str]:
    """The last messages before the question, each with who said it."""
    spoken = [turn for turn in request.turns if turn.role in ("user", "assistant") and turn.text.strip()]
    if spoken and spoken[-1].role == "user":
        spoken.pop()
    return [f"{turn.role}: {_short(turn.text)}" for turn in spoken[-TURNS:]]


def _short(text: str) -> str:
    """In one line, cut at its end."""
    line = " ".join(text[: 4 * MOST_TURN].split())
    return line if len(line) <= MOST_TURN else line[: MOST_TURN - 1].rstrip() + "…"
