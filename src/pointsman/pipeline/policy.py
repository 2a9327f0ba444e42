"""A policy document, compiled: what `decide` works with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from zlib import crc32

from pointsman.domain.errors import PointsmanError, did_you_mean
from pointsman.domain.policy import ActionRule, EntryRule, PolicyDocument, RouteRule
from pointsman.domain.request import Request
from pointsman.domain.rule import Rule
from pointsman.domain.said import said
from pointsman.domain.target import Target
from pointsman.domain.task_types import TASK_TYPES
from pointsman.framing import compile_frames
from pointsman.pipeline.degrade import degrade_rules
from pointsman.pipeline.delivery.wishes import Wishes
from pointsman.routing.choose import Wanted
from pointsman.routing.classifier.both import both
from pointsman.routing.classifier.difficulty import Difficulty, shipped_difficulty, shipped_difficulty_version
from pointsman.routing.classifier.tasks import Tasks, shipped_tasks, shipped_version
from pointsman.routing.quality import figures_of
from pointsman.routing.routes import in_order
from pointsman.rules import RuleSet, compile_rules, no_pause

_TIERS = ("light", "medium", "heavy")
_KINDS = ("answer", "refuse", "route", "mark")
EXPORT = "export_report"
REPORT_ACTIONS: dict[str, dict[str, Any]] = {
    EXPORT: {},
    "export_pdf": {"format": "pdf"},
    "export_excel": {"format": "xlsx"},
    "export_csv": {"format": "csv"},
}


class Policy:
    """Immutable. Built off the event loop, swapped by one assignment."""

    def __init__(
        self,
        document: PolicyDocument,
        hash: str | None = None,
        pause: Callable[[], None] = no_pause,
        own_tasks: Tasks | None = None,
        own_difficulty: Difficulty | None = None,
    ) -> None:
        """`hash` is the document's, where it is known; `pause` is called every now and then while it compiles; `own_tasks`
        and `own_difficulty` are the models that the document names, where they are not those that ship."""
        self.document = document
        self.own_tasks = own_tasks
        self.own_difficulty = own_difficulty
        self.hash = hash or document.hash
        self.targets: dict[str, Target] = {target.name: target for target in document.targets}
        self.entries: dict[str, EntryRule] = {entry.name: entry for entry in document.entries}
        self.frames = compile_frames(document.frames)
        self.routes = in_order(document.routes)
        self._by_difficulty = any(
            route.min_difficulty is not None or route.max_difficulty is not None for route in self.routes
        )
        self._by_task = any(route.task_types is not None for route in document.routes)
        self._scores = any(entry.policy is not None for entry in document.entries)
        tiers = [document.fallback, *(route.target for route in self.routes), *_TIERS]
        self.tier_targets = tuple(
            target
            for tier in tiers
            if tier
            for target in document.names.get(tier, ())
            if not self.targets[target].embedding
        )
        self._embedding = frozenset(target.name for target in document.targets if target.embedding)
        names, fallback = document.names, document.fallback
        self.fallback_groups = (Wanted("fallback", names[fallback]),) if fallback else ()
        self._groups = {
            id(route): (Wanted(f"route {route.name}", names.get(route.target, ())), *self.fallback_groups)
            for route in self.routes
        }
        self.figures = figures_of(document.quality)
        chat = tuple(target.name for target in document.targets if not target.embedding)
        self._scored_groups = {name: (Wanted(f"policy {name}", chat),) for name in document.weights}
        self.wishes = Wishes(document.channels, document.rules)
        self.degrades = degrade_rules(document.actions)
        self.gpu_memory = {rule.id: rule.gpu_memory for rule in document.rules if rule.gpu_memory is not None}
        self._actions: dict[int, tuple[str, dict[str, Any]] | None] = {}
        guards = [rule for rule in document.rules if rule.pack in document.guard_packs]
        self._guards = compile_rules(guards, pause)
        compiled: dict[tuple[str, ...] | None, RuleSet] = {}
        for entry in document.entries:
            if entry.packs not in compiled:
                compiled[entry.packs] = compile_rules(
                    [rule for rule in document.rules if entry.packs is None or rule.pack in entry.packs], pause
                )
        self._rules = {entry.name: compiled[entry.packs] for entry in document.entries}

    def read_models(self) -> None:
        """Reads the models of tasks and difficulties, if any request may ask for them: no decision waits for a file."""
        tasks = self.tasks if self._scores or self._by_task else None
        difficulty = self.difficulty if self._scores or self._by_difficulty else None
        if tasks is not None and difficulty is not None:
            both(tasks, difficulty)

    @property
    def classifies(self) -> bool:
        """Whether task or difficulty of any request are asked for."""
        return self._scores or self._by_task or self._by_difficulty

    @property
    def tasks(self) -> Tasks | None:
        """The model of task types that the document names; None where it names none, and where that is not at hand. The one
        that ships is read when it is first wanted."""
        rule = self.document.classifier
        if rule is None:
            return None
        if self.own_tasks is not None and self.own_tasks.version == rule.version:
            return self.own_tasks
        return shipped_tasks() if rule.version == shipped_version() else None

    @property
    def difficulty(self) -> Difficulty | None:
        """The model of difficulties that the document names, as `tasks`."""
        rule = self.document.classifier
        if rule is None or rule.difficulty is None:
            return None
        if self.own_difficulty is not None and self.own_difficulty.version == rule.difficulty:
            return self.own_difficulty
        return shipped_difficulty() if rule.difficulty == shipped_difficulty_version() else None

    def asks_task(self, request: Request) -> bool:
        """Whether anything depends on its kind of task, should it come to a model."""
        return (self._by_task and request.model in self.entries) or self.is_scored(request)

    def asks_difficulty(self, request: Request) -> bool:
        """Whether anything depends on how difficult it is, should it come to a model."""
        return self._by_difficulty or self.is_scored(request)

    def groups_of(self, route: RouteRule) -> tuple[Wanted, ...]:
        """Where one of `routes` sends, and then the fallback."""
        return self._groups[id(route)]

    def scored_groups(self, weights: str) -> tuple[Wanted, ...]:
        """All targets that chat, to be scored by the weights of that name."""
        return self._scored_groups[weights]

    def is_scored(self, request: Request) -> bool:
        """Whether targets for it are scored, should it come to a model."""
        entry = self.entries.get(request.model)
        return entry is not None and entry.policy is not None and request.endpoint in ("chat", "completions")

    def seed_of(self, request: Request) -> int:
        """What chance there is in a decision follows from this; 0 where there is none."""
        return crc32(request.id.encode()) if self.document.explore and self.is_scored(request) else 0

    def of_kind(self, group: Wanted, vectors: bool) -> Wanted:
        """No chat goes to a model for vectors, and nothing but chats to the others."""
        embedding = self._embedding
        if not vectors and embedding.isdisjoint(group.targets):
            return group
        return Wanted(group.why, tuple(name for name in group.targets if (name in embedding) is vectors))

    def rules_for(self, name: str) -> RuleSet:
        """An entry's own rules; the guard packs for a tier, alias or model named directly."""
        return self._rules.get(name, self._guards)

    def resolve(self, name: str) -> tuple[EntryRule | None, tuple[str, ...]]:
        """What a client named: an entry (and no targets yet), or the targets behind a tier, alias or model. Raises a 404
        that lists the valid names."""
        entry = self.entries.get(name)
        if entry is not None:
            return entry, ()
        targets = self.document.names.get(name)
        if targets is not None:
            return None, targets
        valid = [*self.entries, *self.document.names]
        raise PointsmanError(
            said(
                'there is no model "{name}"{hint}; valid: {valid}',
                "没有名为“{name}”的模型{hint}（可用的有：{valid}）",
                name=name[:200],
                hint=did_you_mean(name[:200], valid),
                valid=", ".join(valid),
            ),
            status=404,
            type="not_found_error",
            code="model_not_found",
            param="model",
        )

    def action_of(self, rule: Rule) -> tuple[str, dict[str, Any]] | None:
        """Kind and parameters of the action of one of the document's rules: built in, defined under `actions:`, or a task
        type to steer by. None where nothing provides it."""
        key = id(rule)
        if key not in self._actions:
            self._actions[key] = self._action_of(rule)
        return self._actions[key]

    def _action_of(self, rule: Rule) -> tuple[str, dict[str, Any]] | None:
        if rule.action in _KINDS:
            return rule.action, rule.parameters
        named = self.named_action(rule.action)
        if named is not None:
            return named[0], {**named[1], **rule.parameters}
        if rule.action in TASK_TYPES:
            return "route", {"task": rule.action}
        return None

    def named_action(self, name: str) -> tuple[str, dict[str, Any]] | None:
        """Kind and parameters of an action: one of `actions:`, or one that makes reports. None: there is none."""
        defined: ActionRule | None = self.document.actions.get(name)
        if defined is not None:
            return defined.kind, defined.parameters
        if name in REPORT_ACTIONS and self.document.reports:
            return "report", REPORT_ACTIONS[name]
        return None
