"""What the rules' level tells a model beside the words."""

import datetime

import msgspec
import pytest

from pointsman.arbiter.enhanced import MOST_TURN, context_of
from pointsman.domain.request import Request, Turn
from pointsman.features.extract import extract

TODAY = datetime.date(2025, 6, 18)


def told(question: str, *before: Turn, **more: object) -> dict[str, object]:
    request = Request("r", "chat", "auto", (*before, Turn("user", question)), **more)  # type: ignore[arg-type]
    context = context_of(request, extract(request, None, question), question, TODAY)
    msgspec.json.encode(context)
    return context


def test_nothing_to_tell():
    assert told("why is the sky blue") == {}


@pytest.mark.parametrize(
    "question, context",
    [
        (
            "优化这段SQL SELECT * FROM orders WHERE status='shipped' LIMIT 5;",
            {"sql_snippet": "SELECT * FROM orders WHERE status='shipped' LIMIT 5", "risk_level": "low"},
        ),
        (
            "is this ok: UPDATE t SET a = GETDATE() WHERE id = 3",
            {"sql_snippet": "UPDATE t SET a = GETDATE() WHERE id = 3", "db_type": "tsql", "risk_level": "medium"},
        ),
        ("run DROP TABLE users;", {"sql_snippet": "DROP TABLE users", "risk_level": "high"}),
        ("```python\nprint('x')\n```\nwhat does it do", {"code_language": "python"}),
        ("convert 报表.xlsx to pdf", {"files": ["报表.xlsx"]}),
        ("导出上个月的销售报表", {"time_range": {"from": "2025-05-01", "to": "2025-05-31"}}),
    ],
)
def test_what_there_is(question: str, context: dict[str, object]):
    assert told(question) == context


def test_who_asks_what_came_along_and_what_was_said_before():
    said = (
        Turn("system", "be brief"),
        Turn("user", "hi"),
        Turn("user", "word " * 99),
        Turn("assistant", "Yes?\n\nWell."),
    )
    context = told("and now?", *said, caller_role="analyst", files=("a.csv",))
    assert context["user_role"] == "analyst" and context["files"] == ["a.csv"]
    first, second = context["conversation"]  # type: ignore[misc]
    assert first.startswith("user: word word") and first.endswith("…") and len(first) <= MOST_TURN + 6
    assert second == "assistant: Yes? Well."


def test_it_stays_short():
    question = "SELECT a FROM t WHERE x = 1 " + "AND y = 2 " * 10_000
    long = told(question, Turn("user", "x " * 100_000), Turn("assistant", "y" * 100_000))
    assert len(msgspec.json.encode(long)) < 1200
