"""Everything that the report of a week says, as plain data."""

from __future__ import annotations

import gc
from contextlib import closing
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec

from pointsman.domain.said import Said
from pointsman.domain.target import Snapshot
from pointsman.offline.audit.run import audit
from pointsman.offline.replay.outcome import Replay
from pointsman.offline.review.report import Review, review
from pointsman.offline.weekly.balance import Balance, balances
from pointsman.offline.weekly.looked import Looked, look
from pointsman.offline.weekly.misroutes import Misroute, misroutes
from pointsman.offline.weekly.spans import Day, Span, days_of, hour_before, latest, span_of
from pointsman.offline.weekly.suggested import suggestions
from pointsman.offline.weekly.tried import MOST, REQUESTS, Trials, Tried
from pointsman.offline.weekly.unsettled import Unsettled, unsettled
from pointsman.pipeline.policy import Policy
from pointsman.store.log_reader import LogReader
from pointsman.store.rollups import Rollups

RULE_DAYS = 30
"""Days over which rules are judged: a week is too short to call one dead."""
_DAY = 86_400.0


class Wanted(msgspec.Struct, frozen=True):
    """`now` in seconds since the epoch; the `span` before it in seconds. `like` is the policy of the config, `against`
    another one that is to be replayed, with the name of its file."""

    now: float
    span: float
    zone: ZoneInfo
    like: Policy
    against: tuple[str, Policy] | None = None


class Weekly(msgspec.Struct, frozen=True):
    """`rules` are judged over RULE_DAYS, or the week, where that is longer. `as_it_is`: the newest policy replayed over the
    week, where others decided some of it. Replays are of the requests since `replayed`; `left_out` suggestions were not
    replayed; `none` says of what nothing could be suggested. `erased` requests are in the sums only."""

    now: float
    week: Span
    before: Span
    days: tuple[Day, ...]
    looked: Looked
    misroutes: tuple[Misroute, ...]
    balances: tuple[Balance, ...]
    rules: Review
    unsettled: Unsettled
    as_it_is: Replay | None
    against: tuple[str, Replay] | None
    tried: tuple[Tried, ...]
    replayed: float
    left_out: int
    none: tuple[Said, ...]
    erased: int


def weekly(folder: Path, wanted: Wanted) -> Weekly:
    """Several passes over the log, one batch at a time. Raises LogError, and FileNotFoundError where there is no log."""
    with closing(Rollups(folder)) as rollups, closing(LogReader(folder)) as reader:
        gc.disable()  # passes make no cycles, and looking for some takes a tenth of their time
        try:
            return _made(folder, reader, rollups, wanted)
        finally:
            gc.enable()


def _made(folder: Path, reader: LogReader, rollups: Rollups, wanted: Wanted) -> Weekly:
    now = wanted.now
    since = hour_before(now - wanted.span)
    end = now + 1.0  # what came this very second
    week = span_of(rollups, since, end)
    before = span_of(rollups, hour_before(since - wanted.span), since)
    looked = look(reader, since, now)
    document = reader.policy(looked.policy) if looked.policy is not None else None
    snapshot = reader.snapshot(looked.snapshot) if looked.snapshot is not None else None
    state = snapshot if snapshot is not None else Snapshot.of(())
    bad = misroutes(looked, state.shifts)
    loads = balances(looked, week, document.targets if document is not None else ())
    rules = review(audit(reader, min(since, now - RULE_DAYS * _DAY), now=now))
    open_ones = unsettled(folder, rollups, since, now)
    replayed = latest(rollups, since, end, REQUESTS)
    trials = Trials(reader, wanted.like, replayed, now)
    ideas, none = (
        suggestions(document, state, misroutes=bad, balances=loads, rules=rules, heaps=open_ones.heaps)
        if document is not None
        else ([], [])
    )
    tried = trials.of(ideas[:MOST])
    against = wanted.against
    return Weekly(
        now=now,
        week=week,
        before=before,
        days=days_of(rollups, week, before, wanted.zone),
        looked=looked,
        misroutes=tuple(bad),
        balances=tuple(loads),
        rules=rules,
        unsettled=open_ones,
        as_it_is=trials.as_it_is(document) if document is not None and ideas and looked.policies > 1 else None,
        against=(against[0], trials.replayed(against[1])) if against is not None and looked.requests else None,
        replayed=replayed,
        tried=tuple(each for each in tried if each.counts),
        left_out=max(0, len(ideas) - MOST),
        none=(*none, *(each.moves_nothing for each in tried if not each.counts)),
        erased=reader.erased(int(since // _DAY), int(now // _DAY)),
    )
