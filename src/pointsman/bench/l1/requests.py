"""Queries as an arbiter gets them, Chinese and English, and the intents that they are put to."""

from __future__ import annotations

from pointsman.domain.intent import Intent
from pointsman.domain.request import Request, Turn
from pointsman.domain.wording import Tongue

INTENTS: tuple[Intent, ...] = (
    Intent(
        "export_report",
        {"zh": "导出报表", "en": "export a report"},
        ("Export the sales report of last month as PDF", "把上周五销售报表导出为PDF"),
    ),
    Intent(
        "sql_optimization",
        {"zh": "优化或检查 SQL", "en": "optimise or review SQL"},
        ("Why is this query slow: SELECT * FROM orders", "帮我看看这段SQL有什么问题"),
    ),
    Intent(
        "code_review",
        {"zh": "检查代码", "en": "review code"},
        ("Please look for bugs in this function", "检查一下这段代码有没有漏洞"),
    ),
    Intent(
        "account_unlock",
        {"zh": "账号解锁、重置密码", "en": "unlock an account, reset a password"},
        ("My account is locked", "管理员密码忘了怎么办"),
    ),
    Intent(
        "convert_media",
        {"zh": "转换音视频", "en": "convert audio or video"},
        ("Turn this clip into an MP3", "把这个视频转成 mp4"),
    ),
)
QUERIES: tuple[tuple[str, Tongue], ...] = (
    ("give me the revenue report for Q3 as Excel", "en"),
    ("导出华东区第三季度的销售汇总", "zh"),
    ("can you speed up SELECT name FROM users WHERE age > 18", "en"),
    ("优化这段SQL：SELECT * FROM orders WHERE status='shipped'", "zh"),
    ("is there a bug in def f(x): return x / 0", "en"),
    ("review 一下我的 python 代码", "zh"),
    ("I cannot log in any more, it says locked", "en"),
    ("我的账号被锁了怎么办", "zh"),
    ("make an mp3 out of talk.mov", "en"),
    ("把 会议录像.mov 转成音频", "zh"),
    ("write me a poem about autumn", "en"),
    ("为什么华东区Q3销量下滑", "zh"),
)


def _asked(question: str, *before: Turn, role: str | None = None) -> Request:
    return Request("bench", "chat", "auto", (*before, Turn("user", question)), caller_role=role)


ENHANCED: tuple[Request, ...] = (
    _asked("优化这段SQL：SELECT * FROM orders WHERE status='shipped' LIMIT 100", role="analyst"),
    _asked("is it safe to run DELETE FROM sessions WHERE created < NOW() - INTERVAL '7 days'", role="dba"),
    _asked("what does this do?\n```python\nfor i in range(3):\n    print(i)\n```"),
    _asked("把 季度汇总.xlsx 转成 PDF"),
    _asked("导出上个月华东区的销售报表", role="manager"),
    _asked(
        "and the same for March",
        Turn("user", "export the sales report of February as PDF"),
        Turn("assistant", "Here is the sales report of February."),
    ),
)
"""Requests of which the rules' level can tell something besides their words."""
