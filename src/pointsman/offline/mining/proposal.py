"""A rule that the traffic suggests, with what there is to say for and against it."""

from __future__ import annotations

from typing import Any

import msgspec

from pointsman.domain.said import Said


class Conflict(msgspec.Struct, frozen=True):
    """What a rule in force has to do with a proposal. `kind`: `takes` (of the proposal's questions, it takes `count`
    already), or one of the kinds of `pointsman check` that concern the two."""

    rule: str
    kind: str
    message: Said
    count: int = 0


class Proposal(msgspec.Struct, frozen=True):
    """`rule` is the rule as plain data, `yaml` the same to paste. It takes `questions` of `of` (`share`), and `ids` are
    those, as far as they have ids. `precision` is estimated on `tried` questions that it was not made from (see
    estimate.py), with its 95 % interval `low` to `high`. `intent` says how many questions want the same, by what their
    words tell, whether it takes them or not. `doubtful` are questions that it takes and that may want something else.
    `seconds` is what models' engines spent on the questions that it takes, as far as known: of `timed` of them."""

    id: str
    yaml: str
    rule: dict[str, Any]
    questions: int
    of: int
    precision: float
    low: float
    high: float
    tried: int
    intent: int
    examples: tuple[str, ...]
    counter_examples: tuple[str, ...]
    doubtful: tuple[str, ...]
    conflicts: tuple[Conflict, ...]
    seconds: float | None
    timed: int
    ids: tuple[str, ...]

    @property
    def share(self) -> float:
        return self.questions / self.of if self.of else 0.0


class Mined(msgspec.Struct, frozen=True):
    """All proposals, the one that takes most first. `questions` were looked at, `different` of them; `taken` of them a rule
    took already, `unread` could not be read, `left_out` were too many."""

    proposals: tuple[Proposal, ...]
    questions: int
    different: int
    taken: int
    unread: int
    left_out: int
