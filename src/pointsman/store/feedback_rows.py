"""Feedback in the log: a row each, the comment kept as prompts are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pointsman.domain.feedback import Feedback
from pointsman.store.log_row import Prompts
from pointsman.store.log_schema import has_table
from pointsman.store.log_sql import Connection
from pointsman.store.seal import Seal

_SHOWN = "request_id, received, caller, adopted, rating, edited, retried, prompts, comment"
_WRITE = """
insert into feedback (asked, request_id, received, caller, adopted, rating, edited, retried, prompts, comment)
values (?,?,?,?,?,?,?,?,?,?)
on conflict (request_id) do update set
  received = excluded.received, caller = excluded.caller, adopted = excluded.adopted, rating = excluded.rating,
  edited = excluded.edited, retried = excluded.retried, prompts = excluded.prompts, comment = excluded.comment
where excluded.received >= feedback.received
"""


def write_feedback(
    connection: Connection, feedback: Feedback, asked: float, prompts: Prompts, seal: Seal | None
) -> None:
    """In place of an earlier one of the same request, in whatever order two processes come to write them. `asked` is when
    the request came. Raises apsw.Error."""
    comment = None if feedback.comment is None or prompts == "off" else feedback.comment.encode()
    if comment is not None and prompts == "sealed":
        assert seal is not None
        comment = seal.close(comment, about_feedback(feedback.request_id))
    said = (feedback.adopted, feedback.rating, feedback.edited, feedback.retried)
    row = (asked, feedback.request_id, feedback.received, feedback.caller, *said, prompts, comment)
    connection.execute(_WRITE, row)


def read_feedback(
    connection: Connection, seal: Seal | None, *, since: float | None = None, request_id: str | None = None
) -> Iterator[Feedback]:
    """Newest first; of one request, or all that came at `since` (seconds since the epoch) or later. A log that was begun
    before there was feedback has none. Raises apsw.Error."""
    if not has_table(connection, "feedback"):
        return
    where, values = ["1 = 1"], list[Any]()
    if since is not None:
        where.append("received >= ?")
        values.append(since)
    if request_id is not None:
        where.append("request_id = ?")
        values.append(request_id)
    query = f"select {_SHOWN} from feedback where {' and '.join(where)} order by received desc, request_id desc"  # noqa: S608
    for name, received, caller, adopted, rating, edited, retried, prompts, comment in connection.execute(query, values):
        yield Feedback(
            request_id=name,
            received=received,
            caller=caller,
            adopted=None if adopted is None else bool(adopted),
            rating=rating,
            edited=bool(edited),
            retried=bool(retried),
            comment=_opened(comment, prompts, seal, name),
        )


def _opened(comment: bytes | None, prompts: str, seal: Seal | None, request_id: str) -> str | None:
    if comment is not None and prompts == "sealed":
        comment = seal.open(comment, about_feedback(request_id)) if seal else None
    return None if comment is None else comment.decode(errors="replace")


def about_feedback(request_id: str) -> bytes:
    """What the sealed comment is bound to: in another row it does not open."""
    return b"feedback " + request_id.encode()
