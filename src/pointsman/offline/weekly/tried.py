"""Suggestions, replayed over the week's log."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from pointsman.domain.policy import PolicyDocument
from pointsman.domain.said import Said, said
from pointsman.offline.replay.outcome import Replay
from pointsman.offline.replay.run import Asked, replay
from pointsman.offline.weekly.suggested import Suggestion
from pointsman.pipeline.policy import Policy
from pointsman.store.log_reader import LogReader

MOST = 8
"""Suggestions that are replayed: each one is a pass over the log."""
REQUESTS = 100_000
"""That each is replayed over: the latest ones."""


class Tried(msgspec.Struct, frozen=True):
    """`replay` is None where the changed policy does not hold together; `why` says so."""

    suggestion: Suggestion
    replay: Replay | None
    why: Said | None = None

    @property
    def counts(self) -> bool:
        """Whether it does anything, or is meant to do nothing: a rule that takes nothing goes."""
        return self.suggestion.idle or self.replay is None or self.replay.moved > 0

    @property
    def moves_nothing(self) -> Said:
        return said(
            "{what} ({why}): replayed, it moves nothing, so it is not suggested",
            "{what}（{why}）：回放后什么也不变，因此不作建议",
            what=self.suggestion.what,
            why=self.suggestion.why,
        )


class Trials:
    """`like` has the trained models that the documents name, where they are not those that ship."""

    def __init__(self, reader: LogReader, like: Policy, since: float, until: float) -> None:
        self._reader = reader
        self._like = like
        self._asked = Asked(now=until, since=since, shown=0)

    def of(self, wanted: Iterable[Suggestion]) -> list[Tried]:
        """In their order. Raises LogError."""
        return [self._try(each) for each in wanted]

    def as_it_is(self, document: PolicyDocument) -> Replay:
        """The newest policy itself, over the whole week. Raises LogError."""
        return self.replayed(self._policy(document))

    def replayed(self, policy: Policy) -> Replay:
        return replay(self._reader, policy, self._asked)

    def _try(self, each: Suggestion) -> Tried:
        try:
            policy = self._policy(each.document)
        except (KeyError, ValueError) as error:
            why = Said(f"the policy does not hold together with it: {error}", f"加上它之后策略不成立：{error}")
            return Tried(each, None, why)
        return Tried(each, self.replayed(policy))

    def _policy(self, document: PolicyDocument) -> Policy:
        return Policy(document, own_tasks=self._like.own_tasks, own_difficulty=self._like.own_difficulty)
