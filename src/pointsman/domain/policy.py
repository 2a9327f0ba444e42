"""Everything that decides, as plain data: what the log keeps, so that any decision can be computed again."""

from __future__ import annotations

import hashlib
from typing import Any, Literal

import msgspec

from pointsman.domain.action import ActionSpec
from pointsman.domain.channel import ChannelRule
from pointsman.domain.decision import Risk
from pointsman.domain.frame import Frame
from pointsman.domain.quality import Quality
from pointsman.domain.report import ReportSpec
from pointsman.domain.rule import ActionKind, Conditions, Rule
from pointsman.domain.target import Target


class RouteRule(msgspec.Struct, frozen=True):
    """One line of `routes:` in one form; None means any. Bounds are inclusive; tokens are input tokens. `keywords`: one of
    them stands in the question. `keys` and `groups` are names of API keys and of their groups, `sources` says which program
    asks."""

    name: str
    target: str
    priority: int
    min_tokens: int | None = None
    max_tokens: int | None = None
    task_types: tuple[str, ...] | None = None
    languages: tuple[str, ...] | None = None
    entries: tuple[str, ...] | None = None
    min_turns: int | None = None
    code: bool | None = None
    tools: bool | None = None
    images: bool | None = None
    brief: bool | None = None
    sources: tuple[str, ...] | None = None
    keys: tuple[str, ...] | None = None
    groups: tuple[str, ...] | None = None
    keywords: tuple[str, ...] | None = None
    min_difficulty: float | None = None
    max_difficulty: float | None = None


class Weights(msgspec.Struct, frozen=True):
    """What a score is made of: quality counts for it, latency and cost against it, each as a share of the largest among the
    targets. `stay`: how much better, as a share of all weights, another target must be than the one that served this
    session last."""

    quality: float
    latency: float
    cost: float
    stay: float = 0.1


class EntryRule(msgspec.Struct, frozen=True):
    """An entry: its packs (None: all), whether its requests stay on backends of this network, whether it tells that one
    went on to a model, and who arbitrates what no rule takes ("off": nobody). `policy`: the name of the weights by which
    targets are scored (None: they are not)."""

    name: str
    packs: tuple[str, ...] | None = None
    keep_local: bool = True
    hint: bool = False
    arbiter: str = "off"
    policy: str | None = None


class RoleRule(msgspec.Struct, frozen=True):
    """What an intent leads to for one role; None: the same as for all."""

    action: str | None = None
    parameters: dict[str, Any] = {}


class IntentRule(msgspec.Struct, frozen=True):
    """What an intent leads to: an action with values for its parameters, or a target or task to route by, or nothing.
    `about` is what people are shown, `gate` the confidence that it needs."""

    name: str
    about: dict[str, str]
    gate: float
    action: str | None = None
    parameters: dict[str, Any] = {}
    target: str | None = None
    task: str | None = None
    risk: Risk = "low"
    roles: dict[str, RoleRule] = {}


class ArbiterRules(msgspec.Struct, frozen=True):
    """How what an arbiter hears is acted on. `gate` holds where no intent is named; below `least` nothing is asked. At most
    `most_asked` questions about a request, `then` an action that it is handed to (None: on to a model). `drop`: so far below
    the mean before it, a confidence is doubted. `second`: another arbiter can be heard; `fills`: a model can read
    parameters."""

    intents: tuple[IntentRule, ...]
    gate: float = 0.7
    least: float = 0.35
    most_asked: int = 2
    then: str | None = None
    drop: float = 0.1
    second: bool = False
    fills: bool = False


class ActionRule(msgspec.Struct, frozen=True):
    """A name under `actions:` and what it does. `spec` is there for one of the kind `act`."""

    kind: ActionKind
    parameters: dict[str, Any] = {}
    spec: ActionSpec | None = None


class PeriodReading(msgspec.Struct, frozen=True):
    """How words for time are read: which of two periods one without a year means (the latest that has begun, or the
    nearest that has not ended), and in which month fiscal years begin."""

    prefer: Literal["past", "future"] = "past"
    fiscal_start: int = 1


LOOKING_BACK = PeriodReading()


class ClassifierRule(msgspec.Struct, frozen=True):
    """The model of task types, by its `version`; a task of which it is less sure than `least` is not told. `difficulty` is
    the version of the model of difficulties. `embedder` names the embedding model that either of them wants to be asked."""

    version: str
    least: float
    difficulty: str | None = None
    embedder: str | None = None


class PolicyDocument(msgspec.Struct, frozen=True):
    """Rules, routes, targets, reports and entries of one moment. It holds no secret and no address.

    `frames` are what products wrap around a question. `names` maps what a client may call (tier, alias, model) to
    target names in the order of trying. `version` is the gateway's; `timezone` an IANA name, by which days begin. `weights`
    are those of each name under `policy:`, `quality` what models were measured to reach, `explore` the share of scored
    requests that go to the second best target; without `classifier` no task is told from a text."""

    version: str
    targets: tuple[Target, ...]
    names: dict[str, tuple[str, ...]]
    entries: tuple[EntryRule, ...]
    guard_packs: tuple[str, ...]
    rules: tuple[Rule, ...]
    routes: tuple[RouteRule, ...]
    fallback: str | None
    max_retries: int
    frames: tuple[Frame, ...] = ()
    actions: dict[str, ActionRule] = {}
    reports: tuple[ReportSpec, ...] = ()
    channels: tuple[ChannelRule, ...] = ()
    timezone: str = "UTC"
    periods: PeriodReading = PeriodReading()
    language: Literal["zh", "en"] | None = None
    arbiter: ArbiterRules | None = None
    weights: dict[str, Weights] = {}
    quality: tuple[Quality, ...] = ()
    explore: float = 0.0
    classifier: ClassifierRule | None = None

    def encode(self) -> bytes:
        """MessagePack: the same document gives the same bytes in every process. Mappings keep the order that their author
        gave them, since names are listed and bodies are changed in it; only sets are put in order."""
        rules = [{**msgspec.structs.asdict(rule), "conditions": _ordered(rule.conditions)} for rule in self.rules]
        return msgspec.msgpack.encode({**msgspec.structs.asdict(self), "rules": rules})

    @property
    def hash(self) -> str:
        return hashlib.sha256(self.encode()).hexdigest()[:12]


def _ordered(conditions: Conditions) -> Any:
    return msgspec.to_builtins(conditions, order="deterministic")
