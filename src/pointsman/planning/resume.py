"""An open question and its answer, found in the conversation: the request that it began with, completed."""

from __future__ import annotations

import datetime

import msgspec

from pointsman.domain.policy import LOOKING_BACK, PeriodReading
from pointsman.domain.report import ReportSpec
from pointsman.domain.request import Request
from pointsman.domain.wording import Tongue
from pointsman.planning.answers import Reply, complete
from pointsman.planning.clarify import Asked, read_back
from pointsman.planning.draft import Draft, draft_of

_DEEPEST = 6  # questions in a row


class Resumed(msgspec.Struct, frozen=True):
    """`began_with` is the text of the request that the questions are about; `cancelled`: the person wants it no more."""

    began_with: str
    draft: Draft
    tongue: Tongue
    cancelled: bool = False


def resume(
    request: Request,
    catalog: tuple[ReportSpec, ...],
    today: datetime.date,
    reading: PeriodReading = LOOKING_BACK,
) -> Resumed | None:
    """None where the assistant's last message is no question of ours, or the user's last is no answer to it: then the
    question is dropped, and the message is looked at afresh."""
    turns = [turn for turn in request.turns if turn.role not in ("system", "developer")]
    answers: list[tuple[Asked, str]] = []
    while len(turns) >= 3 and len(answers) < _DEEPEST:
        before, assistant, user = turns[-3:]
        asked = read_back(assistant.text) if assistant.role == "assistant" else None
        if asked is None or user.role != "user" or before.role != "user":
            break
        answers.append((asked, user.text))
        turns = turns[:-2]
    if not answers:
        return None
    began_with = turns[-1].text
    draft = draft_of(began_with, catalog, today, reading)
    tongue = answers[-1][0].tongue
    for number, (asked, answer) in enumerate(reversed(answers), 1):
        result = complete(draft, asked, answer, catalog, today, reading)
        if isinstance(result, Draft):
            draft = result
        elif result is Reply.CANCEL and number == len(answers):
            return Resumed(began_with, draft, tongue, cancelled=True)
        elif result is not Reply.AGAIN:
            return None
    return Resumed(began_with, draft, tongue)
