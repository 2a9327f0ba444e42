"""What tokens take of the targets that there are, by what routing knows of their speed."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from pointsman.domain.features import Features
from pointsman.domain.policy import PolicyDocument
from pointsman.domain.target import BackendState, Load, ModelFacts, Snapshot, Target
from pointsman.routing.latency import duration, expected_output
from pointsman.telemetry.prices import Price, Prices

_FALLING = ("heavy", "medium", "light")
_F16 = 2
"""Bytes of a number in the KV cache."""
_PLAIN = Features(
    input_tokens=200,
    question_tokens=200,
    characters=800,
    language="en",
    turns=1,
    asked=False,
    code=False,
    tools=False,
    images=0,
    structured=False,
    brief=False,
    task_type=None,
    task_source="none",
)


def prices_of(document: PolicyDocument, snapshot: Snapshot) -> Prices:
    """As one request alone would take, at measured rates, else at those that are usual for a model of that size. The heavy
    model is the first of the highest tier that there is, of targets without a tier the slowest."""
    targets = {target.name: _price(target, snapshot.state(target.name)) for target in document.targets}
    chats = {target.name for target in document.targets if not target.embedding}
    tiers = (name for tier in _FALLING for name in document.names.get(tier, ()) if name in chats)
    slowest = max(sorted(chats), key=lambda name: targets[name].decode, default=None)
    return Prices(targets, next(tiers, slowest), _usual)


def _price(target: Target, state: BackendState) -> Price:
    ready = msgspec.structs.replace(state, resident=True, health="up")
    return Price(
        prefill=duration(target, ready, Load(), 1, 0).work,
        decode=duration(target, ready, Load(), 0, 1).work,
        kv_bytes=_kv_bytes(state.facts),
        money=None if target.money_per_hour is None else target.money_per_hour / 3600,
        watts=target.watts,
    )


def _kv_bytes(facts: ModelFacts) -> float:
    """Of a token, where every layer has a cache of its own for all that came before; 0 where the model does not say."""
    if facts.layers is None or facts.head_size is None:
        return 0.0
    heads = facts.kv_heads if facts.kv_heads is not None else facts.heads
    return 0.0 if heads is None else 2.0 * facts.layers * heads * facts.head_size * _F16


@lru_cache(maxsize=64)
def _usual(task: str | None) -> int:
    return expected_output(msgspec.structs.replace(_PLAIN, task_type=task), None)
