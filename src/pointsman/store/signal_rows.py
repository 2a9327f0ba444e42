"""What feedback is about, and what callers did without a word, in the log: sums of days, so that reading them takes
milliseconds whatever the traffic was."""

from __future__ import annotations

from collections.abc import Iterable

from pointsman.domain.feedback import Served, Signs, Word
from pointsman.store.log_schema import has_table
from pointsman.store.log_sql import Connection

_SERVED = """
insert into feedback_on (request_id, asked, model, task) values (?,?,?,?)
on conflict (request_id) do nothing
"""
_SIGNS = """
insert into signs (day, caller, model, task, replies, asked_again, hung_up) values (?,?,?,?,?,?,?)
on conflict (day, caller, model, task) do update set
  replies = signs.replies + excluded.replies, asked_again = signs.asked_again + excluded.asked_again,
  hung_up = signs.hung_up + excluded.hung_up
"""
_WORDS = """
select cast(floor(received / 86400) as integer), caller, model, task, rating, adopted, edited, retried, count(*)
from feedback join feedback_on using (request_id)
where received >= ? and received < ?
group by 1, 2, 3, 4, 5, 6, 7, 8
"""
_NO_TASK = ""


def write_served(connection: Connection, request_id: str, asked: float, served: Served) -> None:
    """Which model a request's feedback is about. Raises apsw.Error."""
    connection.execute(_SERVED, (request_id, asked, served.model, served.task or _NO_TASK))


def write_signs(connection: Connection, several: Iterable[Signs]) -> None:
    """Adds them to what the log has. Raises apsw.Error."""
    connection.executemany(
        _SIGNS,
        [
            (each.day, each.caller, each.model, each.task or _NO_TASK, each.replies, each.asked_again, each.hung_up)
            for each in several
        ],
    )


def read_words(connection: Connection, first: int, last: int) -> list[Word]:
    """What was said from day `first` to day `last` (days since the epoch, both among them). Raises apsw.Error."""
    if not has_table(connection, "feedback_on"):
        return []
    rows = connection.execute(_WORDS, (first * 86_400.0, (last + 1) * 86_400.0))
    return [
        Word(
            day,
            caller,
            model,
            task or None,
            rating,
            None if adopted is None else bool(adopted),
            bool(edited),
            bool(retried),
            count,
        )
        for day, caller, model, task, rating, adopted, edited, retried, count in rows
    ]


def read_signs(connection: Connection, first: int, last: int) -> list[Signs]:
    """What was done in those days. Raises apsw.Error."""
    if not has_table(connection, "signs"):
        return []
    query = "select day, caller, model, task, replies, asked_again, hung_up from signs where day between ? and ?"
    return [
        Signs(day, caller, model, task or None, *numbers)
        for day, caller, model, task, *numbers in connection.execute(query, (first, last))
    ]


def remove_signs(connection: Connection, before: float, most: int) -> int:
    """What is of days, or of requests, that ended before that (seconds since the epoch), at most so many rows of each. How
    many went, of the kind that had more. Raises apsw.Error."""
    connection.execute(
        "delete from feedback_on where request_id in (select request_id from feedback_on where asked < ? limit ?)",
        (before, most),
    )
    removed = connection.changes()
    connection.execute("delete from signs where day < ?", (int(before // 86_400),))
    return removed
