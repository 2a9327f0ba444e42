"""Rules as the console's pages ask for them: what is in force, its files, what the log says of them."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pointsman.app.console_trials import Trials
from pointsman.app.setup import Setup
from pointsman.config.rule_files import BUILTIN
from pointsman.config.yaml_source import read_yaml
from pointsman.console.rules.books import Hits, RulePlace, Taken
from pointsman.console.rules.told import Answer, Job, Reviewed
from pointsman.domain.errors import PointsmanError, Problems
from pointsman.domain.policy import PolicyDocument
from pointsman.domain.said import Said
from pointsman.store.log_reader import LogError
from pointsman.store.rollups import Rollups

MONTH = 30 * 86_400.0
DAY, HOUR = 86_400, 3600
_CARD = "pack.yaml"


class ConsoleBooks:
    """`reload` raises Problems, or PointsmanError for what they came to. `folder` is the data folder."""

    def __init__(
        self,
        setup: Callable[[], Setup],
        reload: Callable[[], Awaitable[dict[str, Any]]],
        trials: Trials,
        folder: Path,
    ) -> None:
        self._setup = setup
        self._reload = reload
        self._trials = trials
        self.folder = folder

    @property
    def policy(self) -> tuple[PolicyDocument, str]:
        policy = self._setup().policy
        return policy.document, policy.hash

    @property
    def known(self) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        keys = self._setup().config.auth.keys
        return (
            tuple(key.role for key in keys if key.role),
            tuple(key.name for key in keys),
            tuple(key.group for key in keys if key.group),
        )

    def places(self) -> Sequence[RulePlace]:
        setup = self._setup()
        base, found = Path(setup.base), []
        for name in setup.config.rules.packs:
            ships = name.startswith("builtin:")
            folder = BUILTIN / name.removeprefix("builtin:") if ships else base / name
            cards = [folder / _CARD] if (folder / _CARD).is_file() else sorted(folder.glob(f"*/{_CARD}"))
            for card in cards:
                found += _of_pack(card, ships)
        for name in setup.config.rules.files:
            path = base / name
            found.append(RulePlace(path, path.stem, f"{path.stem}/{path.name}", guard=False, ships=False))
        return found

    def hits(self, since: float, until: float) -> Mapping[str, Hits]:
        try:
            rollups = Rollups(self.folder)
        except FileNotFoundError:
            return {}
        start = since // DAY * DAY
        try:
            days = rollups.between(start, until, DAY, ("rule",))
            hours = rollups.between(start, until, HOUR, ("rule",))
        except LogError:
            return {}
        finally:
            rollups.close()
        by_day: defaultdict[str, dict[float, int]] = defaultdict(dict)
        for each in days:
            if (rule := each.values[0]) is not None:
                by_day[rule][each.start] = by_day[rule].get(each.start, 0) + each.figures.count
        last = {each.values[0]: float(each.start) for each in hours if each.values[0] is not None}
        moments = [start + DAY * place for place in range(int((until - start) // DAY) + 1)]
        return {
            rule: Hits(sum(counts.values()), last.get(rule), [(moment, counts.get(moment, 0)) for moment in moments])
            for rule, counts in by_day.items()
        }

    def review(self) -> Reviewed | None:
        return self._trials.review(MONTH)

    def review_failed(self) -> Said | None:
        return self._trials.review_failed

    async def ask(self, job: Job) -> Answer:
        return await self._trials.ask(job)

    async def reload(self) -> Taken:
        try:
            told = await asyncio.shield(asyncio.ensure_future(self._reload()))
        except Problems as error:
            return Taken(self._setup().policy.hash, refused=error.said)
        except PointsmanError as error:
            message = error.message
            refused = message if isinstance(message, Said) else Said(message, message)
            return Taken(self._setup().policy.hash, refused=refused)
        return Taken(told["policy"], told["before"], tuple(told["notes"]))


def _of_pack(card: Path, ships: bool) -> list[RulePlace]:
    try:
        head = read_yaml(card).data
    except Problems:
        return []
    pack = str(head.get("name") or card.parent.name) if isinstance(head, dict) else card.parent.name
    guard = bool(isinstance(head, dict) and head.get("guard"))
    return [
        RulePlace(path, pack, f"{pack}/{path.name}", guard, ships)
        for path in sorted(card.parent.glob("*.yaml"))
        if path.name != _CARD
    ]
