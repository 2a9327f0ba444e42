"""Models, the backends that serve them, and what is known of their state at one moment."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cached_property
from typing import Literal

import msgspec

Health = Literal["unknown", "loading", "up", "down"]
BreakerState = Literal["closed", "open", "half_open", "trying"]


class ModelFacts(msgspec.Struct, frozen=True, gc=False):
    """What a model's own file or its engine says of it. `context_length` is what one sequence may hold on this
    backend, in tokens; the rest describes the network (KV bytes per token follow from layers, KV heads, head size)."""

    context_length: int | None = None
    trained_context: int | None = None
    layers: int | None = None
    heads: int | None = None
    kv_heads: int | None = None
    head_size: int | None = None
    embedding_size: int | None = None
    parameters: int | None = None
    architecture: str | None = None
    engine_version: str | None = None
    slots: int | None = None


def merge_facts(first: ModelFacts, second: ModelFacts) -> ModelFacts:
    """What `first` says, and where it is silent, `second`."""
    silent = {name: getattr(second, name) for name in ModelFacts.__struct_fields__ if getattr(first, name) is None}
    return msgspec.structs.replace(first, **silent)


class Target(msgspec.Struct, frozen=True):
    """A model on a backend, the thing that routing picks. `name` is unique: `model@backend`.

    `tier` is the key in `models:` under which it stands (light, medium, heavy, or a name of the user's)."""

    name: str
    tier: str
    model: str
    backend: str
    engine: str
    external: bool = False
    embedding: bool = False


class BackendState(msgspec.Struct, frozen=True):
    """What the prober last saw of the backend behind one target. `breaker`: whether requests may go there first (`trying`:
    half open, and one is under way); `cause`: why it is open."""

    target: str
    health: Health = "unknown"
    facts: ModelFacts = ModelFacts()
    problem: str | None = None
    breaker: BreakerState = "closed"
    cause: str | None = None


class Snapshot(msgspec.Struct, frozen=True, dict=True):
    """The state of the fleet as the deciders see it. Made by `Snapshot.of`; equal states have equal hashes."""

    states: tuple[BackendState, ...] = ()
    hash: str = ""

    @classmethod
    def of(cls, states: Iterable[BackendState]) -> Snapshot:
        kept = tuple(sorted(states, key=lambda state: state.target))
        return cls(kept, hashlib.sha256(msgspec.msgpack.encode(kept, order="deterministic")).hexdigest()[:12])

    def state(self, target: str) -> BackendState:
        return self._by_target.get(target) or BackendState(target)

    @cached_property
    def _by_target(self) -> dict[str, BackendState]:
        return {state.target: state for state in self.states}
