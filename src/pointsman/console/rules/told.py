"""What the process beside the gateway that tries rules out is asked, and what it says: as plain data on a pipe."""

from __future__ import annotations

import msgspec

from pointsman.domain.request import Request
from pointsman.domain.said import Said

NEWEST = 10_000
"""Requests of the log over which a rule is tried."""


class Both(msgspec.Struct, frozen=True, array_like=True):
    """A text on its way, in both languages."""

    en: str
    zh: str

    @property
    def said(self) -> Said:
        return Said(self.en, self.zh)


def both(text: str) -> Both:
    return Both(str(text), text.zh if isinstance(text, Said) else str(text))


class Candidate(msgspec.Struct, frozen=True):
    """A rule file as it is to become. `place` is that of the rule in question, counted from 0, `line` the one on
    which it begins, from 0; `pack` and `label` are those of the file, `ids` the rules that it has now, `known` who
    may be named in conditions: roles, keys, groups."""

    text: str
    place: int
    line: int
    pack: str
    label: str
    ids: tuple[str, ...]
    guard: bool = False
    known: tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]] = ((), (), ())


class Check(msgspec.Struct, frozen=True, tag=True):
    """Is it sound, and do its cases hold?"""

    candidate: Candidate


class Effect(msgspec.Struct, frozen=True, tag=True):
    """What would it take, and what can be proved of it among the others?"""

    candidate: Candidate


class NearRules(msgspec.Struct, frozen=True, tag=True):
    """Which rules came near, of a request that `won` took (None: no rule)?"""

    request: Request
    won: str | None


class Sketch(msgspec.Struct, frozen=True, tag=True):
    """A rule for requests like that one. `owner` and `since` are written into it."""

    request: str
    owner: str
    since: str
    chinese: bool


class Review(msgspec.Struct, frozen=True, tag=True):
    """What is each rule worth, of the requests since that moment?"""

    since: float


Job = Check | Effect | NearRules | Sketch | Review


class Asked(msgspec.Struct, frozen=True):
    """`policy` is the hash of the policy in force, `document` the policy itself where it was not sent before,
    `folder` where the log is. What is `stop` is given up."""

    number: int
    policy: str
    folder: str
    job: Job | None = None
    document: bytes | None = None
    stop: bool = False


class Wrong(msgspec.Struct, frozen=True):
    """Something wrong with a rule. `line` is counted from the rule's own first line, from 1; None where it is
    elsewhere."""

    line: int | None
    message: Both
    valid: Both | None = None


class RanCase(msgspec.Struct, frozen=True):
    """A case of the rule: `won` is who took its text."""

    kind: str
    text: str
    why: str | None
    takes: bool
    holds: bool
    won: str | None


class Checked(msgspec.Struct, frozen=True, tag=True):
    """`wrong` is all that keeps it from being published; `cases` are its own. `rule` is its id, where it has one;
    `micros` what a decision with it takes on its own examples."""

    wrong: tuple[Wrong, ...]
    cases: tuple[RanCase, ...] = ()
    rule: str | None = None
    mode: str = "enforce"
    share: int | None = None
    action: str = ""
    micros: float | None = None

    @property
    def passes(self) -> bool:
        return not self.wrong


class Sample(msgspec.Struct, frozen=True):
    """A request of the log with what the user wrote; `by` is who took it."""

    id: str
    text: str
    by: str


class Found(msgspec.Struct, frozen=True):
    """One thing that was proved of the rule among the others. `mine`: it is said of this rule, else of the other."""

    kind: str
    warning: bool
    message: Both
    other: str | None
    mine: bool


class Effects(msgspec.Struct, frozen=True, tag=True):
    """Of the newest `of` requests that could be read, those that the rule would take if it were in force for all:
    `kept` it takes as it is written now, `rules` and `models` are those that others take now, by name; `lost` it took
    and would not any more. `unread` have no content here. `took` is in seconds. None of it where the rule is not
    sound."""

    of: int
    unread: int
    since: float | None
    kept: int
    rules: dict[str, int]
    models: dict[str, int]
    lost: int
    samples: tuple[Sample, ...]
    stolen: tuple[Sample, ...]
    gone: tuple[Sample, ...]
    findings: tuple[Found, ...]
    took: float
    sound: bool = True

    @property
    def hits(self) -> int:
        return self.kept + self.from_rules + self.from_models

    @property
    def from_rules(self) -> int:
        return sum(self.rules.values())

    @property
    def from_models(self) -> int:
        return sum(self.models.values())


class Near(msgspec.Struct, frozen=True):
    """A rule that did not take the text: which of its groups held by which words, and what was against it."""

    rule: str
    held: dict[str, tuple[str, ...]]
    why: tuple[Both, ...]


class Nears(msgspec.Struct, frozen=True, tag=True):
    """`rules` were looked at."""

    near: tuple[Near, ...]
    rules: int


class Sketched(msgspec.Struct, frozen=True, tag=True):
    """A rule to begin with, as YAML; `note` says what it was made from."""

    text: str
    note: Both


class Doubt(msgspec.Struct, frozen=True):
    """A text that the rule may have been wrong to take."""

    request: str
    text: str
    reason: str
    next: str | None


class Missed(msgspec.Struct, frozen=True):
    """Questions that lack one group of the rule."""

    group: str
    requests: int
    texts: tuple[str, ...]
    ids: tuple[str, ...]


class Health(msgspec.Struct, frozen=True):
    """What the log says of a rule in the period. `suspected` of `looked` requests were probably wrong to take, that
    is surely between `low` and `high` of them; `saved` are GPU seconds. `advice` is what to do, and `why`."""

    rule: str
    hits: int = 0
    share: float = 0.0
    saved: float | None = None
    suspected: int = 0
    looked: int = 0
    low: float = 0.0
    high: float = 1.0
    doubted: bool = False
    maybe: bool = False
    advice: str | None = None
    why: Both | None = None
    doubts: tuple[Doubt, ...] = ()
    near: tuple[Missed, ...] = ()
    shadow: int = 0
    from_whom: dict[str, int] = {}


class Reviewed(msgspec.Struct, frozen=True, tag=True):
    """`at` is when, seconds since the epoch; `reached` requests came to rules, of `unread` the content is not here."""

    at: float
    requests: int
    reached: int
    unread: int
    rules: dict[str, Health]


class Failed(msgspec.Struct, frozen=True, tag=True):
    """It could not be done. `status` as on the wire."""

    message: Both
    status: int = 500
    code: str = "trial_failed"


Answer = Checked | Effects | Nears | Sketched | Reviewed | Failed


class Told(msgspec.Struct, frozen=True):
    number: int
    answer: Answer
