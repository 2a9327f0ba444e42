"""`Rules`: load, decide, explain, run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from pointsman.domain.said import said, told
from pointsman.library.asking import Circumstances, check_language, request_of
from pointsman.library.outcome import Outcome, Reply

if TYPE_CHECKING:
    from typing import Unpack

    from pointsman.domain.request import Request
    from pointsman.library.explanation import Explanation
    from pointsman.library.ruling import Cases, Ruling
    from pointsman.library.sources import Source
    from pointsman.pipeline.near_rules import Probes

Action = Callable[[Outcome], str | Awaitable[str]]
"""Carries out what a rule names; gives the text of the reply. May be a coroutine function (then `arun` runs it)."""


class Rules:
    """Rules in force. Any number of threads and tasks may use one; `reload` puts new rules in force between two decisions.

    Made by `Rules.load` or `Rules.parse`. Reading and compiling takes some milliseconds, and a tenth of a second once a
    process for the code behind it, so that this is imported there and not above. Deciding takes microseconds and touches
    neither disk nor network.
    """

    def __init__(self, read: Callable[[], Ruling], actions: Mapping[str, Action]) -> None:
        from pointsman.library.deciding import outcome_of

        self._outcome_of = outcome_of
        self._read = read
        self._actions = actions
        self._ruling = read()
        self._probes: tuple[Ruling, Probes] | None = None

    @classmethod
    def load(
        cls,
        *sources: Source,
        cases: Cases = "run",
        actions: Mapping[str, Action] | None = None,
        language: Literal["zh", "en"] | None = None,
    ) -> Rules:
        """Rules of rule files, pack folders (or folders of them) and packs that ship (`builtin:smalltalk`), in this order.

        `cases`: whether the rules' own cases must hold. `actions`: what carries out the actions that rules name, for `run`
        alone; where they are given, a rule that names another is a mistake. `language`: of replies to questions in neither
        Chinese nor English. Raises RulesError with all that is wrong, each with file and line."""
        if not sources:
            raise TypeError("Rules.load needs a rule file, a pack folder or builtin:NAME")
        check_language(language)
        from pointsman.library.ruling import rule_by
        from pointsman.library.sources import read_sources

        names = None if actions is None else tuple(actions)

        def read() -> Ruling:
            return rule_by(*read_sources(sources), cases=cases, actions=names, language=language)

        return cls(read, dict(actions or {}))

    @classmethod
    def parse(
        cls,
        data: Any,
        *,
        name: str = "rules",
        cases: Cases = "run",
        actions: Mapping[str, Action] | None = None,
        language: Literal["zh", "en"] | None = None,
    ) -> Rules:
        """Rules of plain objects, as YAML or JSON gives them (a list of rules, or {"rules": [...]}), or of YAML text.
        `name` stands for the file in problems. Otherwise as `load`."""
        check_language(language)
        from pointsman.library.ruling import rule_by
        from pointsman.library.sources import plain_source

        names = None if actions is None else tuple(actions)
        ruling = rule_by(*plain_source(data, name), cases=cases, actions=names, language=language)
        return cls(lambda: ruling, dict(actions or {}))

    @property
    def ids(self) -> tuple[str, ...]:
        """The rules' ids in the order in which they were read, those that are off included."""
        return tuple(self._ruling.rules)

    @property
    def hash(self) -> str:
        """Equal for equal rules, in every process of one version."""
        return self._ruling.policy.hash

    @property
    def unbound(self) -> frozenset[str]:
        """Actions that rules name and nothing given here carries out: `run` says so to whoever asks for them."""
        return self._ruling.named.difference(self._actions)

    def decide(self, text: str, **about: Unpack[Circumstances]) -> Outcome:
        """What the rules say of a text that a user wrote. Pure: carries out nothing, and no text makes it
        fail. Raises TypeError or ValueError for a text that is no str and for circumstances that are none."""
        return self.decide_request(request_of(text, **about), about.get("language"))

    def decide_request(self, request: Request, language: Literal["zh", "en"] | None = None) -> Outcome:
        """The same for a whole request; its `model` is the entry."""
        check_language(language)
        return self._outcome_of(request, self._ruling, language)

    def explain(self, text: str, *, near: int = 3, **about: Unpack[Circumstances]) -> Explanation:
        """The outcome, and of up to `near` rules that came nearest besides, why they did not take the text. The first call
        takes about as long as loading did."""
        from pointsman.library.explanation import Explanation
        from pointsman.pipeline.near_rules import Probes, near_misses

        ruling, probes = self._ruling, self._probes
        if probes is None or probes[0] is not ruling:
            probes = self._probes = ruling, Probes(ruling.policy.document)
        request, language = request_of(text, **about), about.get("language")
        outcome = self._outcome_of(request, ruling, language)
        return Explanation(outcome, near_misses(outcome.rule, request, probes[1], near))

    def run(self, text: str, **about: Unpack[Circumstances]) -> Reply | None:
        """The reply of the rule that takes the text, its action carried out; None where no rule does. What an action raises
        goes to the caller. Raises TypeError for an action that must be awaited: `arun` does."""
        outcome = self.decide(text, **about)
        return self.carry_out(outcome) if outcome.taken else None

    async def arun(self, text: str, **about: Unpack[Circumstances]) -> Reply | None:
        """`run` for programs on an event loop: coroutine functions are awaited, other actions run in a thread."""
        outcome = self.decide(text, **about)
        return await self.acarry_out(outcome) if outcome.taken else None

    def carry_out(self, outcome: Outcome) -> Reply:
        """The reply of an outcome that is `taken`. As `run`."""
        if outcome.text is not None:
            return Reply(outcome.text, outcome)
        action = self._actions.get(outcome.action or "")
        return Reply(_unbound(outcome), outcome) if action is None else _reply(action(outcome), outcome)

    async def acarry_out(self, outcome: Outcome) -> Reply:
        """The reply of an outcome that is `taken`. As `arun`."""
        action = self._actions.get(outcome.action or "") if outcome.text is None else None
        if action is None:
            return self.carry_out(outcome)
        import asyncio
        import inspect

        carry_out: Any = action
        is_async = inspect.iscoroutinefunction(action)
        text = carry_out(outcome) if is_async else await asyncio.to_thread(carry_out, outcome)
        return _reply(await text if inspect.isawaitable(text) else text, outcome)

    def reload(self) -> bool:
        """Reads the same sources again; True where the rules are others than before. Raises RulesError where anything is
        wrong; then those in force stay. Decisions under way keep the rules that they began with."""
        ruling = self._read()
        before, self._ruling = self._ruling, ruling
        return ruling.policy.hash != before.policy.hash

    def __repr__(self) -> str:
        return f"<Rules {self.hash}: {len(self._ruling.rules)} rules>"


def _reply(text: Any, outcome: Outcome) -> Reply:
    if isinstance(text, str):
        return Reply(text, outcome)
    close = getattr(text, "close", None)
    if hasattr(text, "__await__"):
        if close is not None:
            close()
        raise TypeError(f"action {outcome.action!r} is asynchronous: use `await rules.arun(…)`")
    raise TypeError(f"action {outcome.action!r} must return str, the text of the reply, not {type(text).__name__}")


def _unbound(outcome: Outcome) -> str:
    text = said(
        "I understood this as a request for “{action}” (rule {rule}), but nothing here carries it out, so nothing was done.",
        "已识别为“{action}”请求（规则 {rule}），但这里没有程序执行这个动作，因此没有执行任何操作。",
        action=outcome.action,
        rule=outcome.rule,
    )
    return told(text, outcome.language)
