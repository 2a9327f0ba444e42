"""Who arbitrates, as the config has it."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Mapping

import msgspec

from pointsman.actions.residents import Residents
from pointsman.app.guards import masking_of
from pointsman.app.setup import Setup
from pointsman.arbiters.calibrations import kept_calibration
from pointsman.arbiters.embedded import EmbeddedArbiter, embedded
from pointsman.arbiters.first_up import FirstUp
from pointsman.arbiters.llm.arbiter import LlmArbiter
from pointsman.arbiters.llm.filler import LlmFiller
from pointsman.arbiters.masked import MaskedArbiter, MaskedFiller
from pointsman.config.paths import data_dir
from pointsman.domain.target import Snapshot, Target
from pointsman.pipeline.hearing import Ears
from pointsman.pipeline.intent_rules import EMBEDDED, filler_of, intents_of
from pointsman.ports.arbiter import Arbiter, Filler
from pointsman.ports.backend import Backend
from pointsman.ports.embed import Embed

FOLDER = "arbiter"
"""In the data folder: heads and calibrations."""


def ears_of(
    setup: Setup,
    backends: Mapping[str, Backend],
    snapshot: Callable[[], Snapshot],
    embed: Embed,
    residents: Residents,
) -> Ears:
    """Of a policy that has arbiters. The embedded one is trained from here on, and outlives a reload that leaves
    the intents as they are."""
    config = setup.config
    names = {entry.arbiter for entry in setup.policy.document.entries if entry.arbiter != "off"}
    verify, fill = config.arbiter.verify, filler_of(config)
    hearing = _Hearing(setup, backends, snapshot)
    made: dict[str, Arbiter] = {}
    for name in names | ({verify} if verify != "off" else set()):
        made[name] = _embedded(setup, embed, residents) if name == EMBEDDED else hearing.by_model(name)
    return Ears(
        arbiters=made,
        second=made.get(verify),
        filler=None if fill is None else hearing.by_model(fill),
        timeout=config.arbiter.timeout,
        concurrency=config.arbiter.concurrency,
        window=config.arbiter.drift.window,
        drop=config.arbiter.drift.drop,
    )


class _Hearing:
    """Models of the config that arbitrate or fill."""

    def __init__(self, setup: Setup, backends: Mapping[str, Backend], snapshot: Callable[[], Snapshot]) -> None:
        self._setup = setup
        self._backends = backends
        self._snapshot = snapshot
        self._intents = intents_of(setup.config)
        self._outside = tuple(setup.config.arbiter.outside)
        self._masking = masking_of(setup.config)
        self._folder = data_dir(setup.config) / FOLDER

    def by_model(self, name: str) -> FirstUp:
        """All backends of it that may hear: one outside of this network only where every entry with an arbiter lets its
        requests go there."""
        policy = self._setup.policy
        inside = any(entry.keep_local for entry in policy.document.entries if entry.arbiter != "off")
        targets = [policy.targets[target] for target in policy.document.names.get(name, ())]
        able = [t for t in targets if not t.embedding and not (t.external and inside) and t.name in self._backends]
        arbiters = {target.name: self._arbiter(name, target) for target in able}
        fillers = {target.name: self._filler(target) for target in able}
        return FirstUp(name, arbiters, fillers, self._snapshot)

    def _arbiter(self, name: str, target: Target) -> Arbiter:
        backend = self._backends[target.name]
        arbiter = LlmArbiter(name, backend, self._intents, outside=self._outside)
        kept = kept_calibration(self._folder, arbiter.model)
        if kept is not None:
            arbiter = LlmArbiter(name, backend, self._intents, outside=self._outside, calibration=kept)
        kinds = self._hidden_from(target)
        return MaskedArbiter(arbiter, kinds) if kinds else arbiter

    def _filler(self, target: Target) -> Filler:
        filler = LlmFiller(self._backends[target.name])
        kinds = self._hidden_from(target)
        return MaskedFiller(filler, kinds) if kinds else filler

    def _hidden_from(self, target: Target) -> tuple[str, ...]:
        return self._masking.kinds if self._masking is not None and self._masking.covers(target) else ()


def _embedded(setup: Setup, embed: Embed, residents: Residents) -> EmbeddedArbiter:
    intents, outside = intents_of(setup.config), tuple(setup.config.arbiter.outside)
    folder = data_dir(setup.config) / FOLDER
    calibrated = sorted((file.name, file.stat().st_mtime) for file in folder.glob("calibration-*.json"))
    key = hashlib.sha256(msgspec.msgpack.encode([intents, outside, embed.model, calibrated])).hexdigest()

    def made() -> Lasting:
        return Lasting(embedded(intents, embed, folder, outside))

    return residents.get(f"arbiter {key}", made, Lasting).arbiter


class Lasting:
    """An embedded arbiter as something that outlives reloads; it is trained as soon as it is there."""

    def __init__(self, arbiter: EmbeddedArbiter) -> None:
        self.arbiter = arbiter
        self._start = asyncio.get_running_loop().create_task(arbiter.start())

    async def retire(self) -> None:
        """Those that are heard now are through in a moment; what comes later is told that it is not there."""
        await self.close()

    async def close(self) -> None:
        self._start.cancel()
        await asyncio.gather(self._start, return_exceptions=True)
        await self.arbiter.aclose()
