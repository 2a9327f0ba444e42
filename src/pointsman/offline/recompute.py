"""Whether every decision in the log follows again from what the log has of it."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import msgspec

from pointsman.domain.errors import PointsmanError
from pointsman.domain.target import Snapshot
from pointsman.pipeline.policy import Policy
from pointsman.pipeline.recomputed import recomputed
from pointsman.store.log_reader import LogReader
from pointsman.store.log_row import Content

_SHOWN = 20


class Recomputed(msgspec.Struct, frozen=True):
    """`equal` decisions are the same again, `different` not (`ids` are of the first of them). Of `unread` ones the log has
    not kept enough; `none` requests had no decision."""

    equal: int
    different: int
    unread: int
    none: int
    ids: tuple[str, ...]


def recompute_log(folder: Path, since: float | None = None, most: int | None = None) -> Recomputed:
    """Of all requests from then on, or the first `most` of them. Raises what LogReader raises."""
    reader = LogReader(folder)
    equal = different = unread = none = 0
    ids: list[str] = []
    policies: dict[str, Policy | None] = {}
    snapshots: dict[str, Snapshot | None] = {}
    try:
        for logged in islice(reader.scan(since), most):
            head = logged.head
            if head.policy is None or head.snapshot is None:
                none += 1
                continue
            if head.policy not in policies:
                document = reader.policy(head.policy)
                policies[head.policy] = None if document is None else Policy(document, head.policy)
            if head.snapshot not in snapshots:
                snapshots[head.snapshot] = reader.snapshot(head.snapshot)
            policy, snapshot, content = policies[head.policy], snapshots[head.snapshot], logged.content()
            if policy is None or snapshot is None or content is None or content.decision is None:
                unread += 1
            elif _again(content, policy, snapshot, head.exact_tokens):
                equal += 1
            else:
                different += 1
                ids += [head.id] if len(ids) < _SHOWN else []
    finally:
        reader.close()
    return Recomputed(equal, different, unread, none, tuple(ids))


def _again(content: Content, policy: Policy, snapshot: Snapshot, exact_tokens: int | None) -> bool:
    assert content.decision is not None
    try:
        again = recomputed(content.request, content.decision, policy, snapshot, exact_tokens)
    except PointsmanError:
        return False
    return again == content.decision
