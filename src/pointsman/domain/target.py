"""Models, the backends that serve them, and what is known of their state at one moment."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cached_property
from typing import Literal

import msgspec

from pointsman.domain.node import NodeStatus
from pointsman.domain.quality import QualityShift

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

    `tier` is the key in `models:` under which it stands (light, medium, heavy, or a name of the user's). What an hour of its
    work costs: `money_per_hour` in a currency of the user's, `watts`; None: nobody said."""

    name: str
    tier: str
    model: str
    backend: str
    engine: str
    external: bool = False
    embedding: bool = False
    money_per_hour: float | None = None
    watts: float | None = None


class BackendState(msgspec.Struct, frozen=True):
    """What the prober last saw of the backend behind one target. `breaker`: whether requests may go there first (`trying`:
    half open, and one is under way); `cause`: why it is open.

    As measured, None where it was not: `prefill_rate` and `decode_rate` in tokens a second, to two digits, of one request;
    `load_seconds` to load the model. `resident`: whether it is loaded now; None: the engine does not say.
    `nodes` are those that serve it, where it is a pool."""

    target: str
    health: Health = "unknown"
    facts: ModelFacts = ModelFacts()
    problem: str | None = None
    breaker: BreakerState = "closed"
    cause: str | None = None
    prefill_rate: float | None = None
    decode_rate: float | None = None
    load_seconds: float | None = None
    resident: bool | None = None
    nodes: tuple[NodeStatus, ...] = ()


class Load(msgspec.Struct, frozen=True, gc=False):
    """What a target has to do at the moment of a decision: requests that it holds, and `wait`, the seconds until it takes
    one more, to tenths."""

    in_flight: int = 0
    wait: float = 0.0


class Snapshot(msgspec.Struct, frozen=True, dict=True):
    """The state of the fleet as the deciders see it, and what feedback moved. Made by `Snapshot.of`; equal states have equal
    hashes."""

    states: tuple[BackendState, ...] = ()
    hash: str = ""
    shifts: tuple[QualityShift, ...] = ()

    @classmethod
    def of(cls, states: Iterable[BackendState], shifts: Iterable[QualityShift] = ()) -> Snapshot:
        kept = tuple(sorted(states, key=lambda state: state.target))
        moved = tuple(sorted(shifts, key=lambda shift: (shift.model, shift.task or "")))
        data = msgspec.msgpack.encode((kept, moved), order="deterministic")
        return cls(kept, hashlib.sha256(data).hexdigest()[:12], moved)

    def state(self, target: str) -> BackendState:
        return self._by_target.get(target) or BackendState(target)

    def shift(self, model: str, task: str | None) -> float:
        """What feedback moved the model's quality at that kind of task by; at all kinds, where it says nothing of this."""
        by_task = self._shift_of
        found = by_task.get((model, task))
        return by_task.get((model, None), 0.0) if found is None else found

    @cached_property
    def _shift_of(self) -> dict[tuple[str, str | None], float]:
        return {(shift.model, shift.task): shift.shift for shift in self.shifts}

    @cached_property
    def _by_target(self) -> dict[str, BackendState]:
        return {state.target: state for state in self.states}
