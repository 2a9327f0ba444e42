"""A node: one machine or process that serves models, as it says of itself, and as a gateway sees it."""

from __future__ import annotations

from typing import Literal

import msgspec

ModelState = Literal["ready", "loading", "absent", "down"]
NodeHealth = Literal["unknown", "loading", "up", "down", "draining", "ejected", "refused"]
"""As a gateway sees it. `draining`: it wants no more requests; `ejected`: too much of what was sent there failed; `refused`:
what it says of itself is not so."""


class NodeModel(msgspec.Struct, frozen=True):
    """A model of a node: `name` is what gateways ask for, `id` what its engine calls it (None: the same)."""

    name: str
    state: ModelState = "ready"
    id: str | None = None


class NodeGpu(msgspec.Struct, frozen=True):
    """`busy` from 0 to 1, memory in bytes; None where the driver does not say."""

    name: str
    busy: float | None = None
    memory_used: int | None = None
    memory: int | None = None


class NodeReport(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a node says. `address` is the base URL of its engine as gateways reach it; `incarnation` is another one each time
    that it begins; `beat` counts its reports. No models: it does not say which. `slots`, `in_flight` and `queue` are
    requests; `cpu` and the shares of `gpus` from 0 to 1; memory in bytes. It holds no time: clocks of nodes may be wrong."""

    name: str
    address: str
    incarnation: str
    engine: str | None = None
    beat: int = 0
    draining: bool = False
    models: tuple[NodeModel, ...] = ()
    slots: int | None = None
    in_flight: int | None = None
    queue: int | None = None
    cpu: float | None = None
    memory_used: int | None = None
    memory: int | None = None
    gpus: tuple[NodeGpu, ...] = ()
    problem: str | None = None

    def model(self, name: str) -> NodeModel | None:
        """The one of that name."""
        return next((model for model in self.models if model.name == name), None)


class NodeChoice(msgspec.Struct, frozen=True, gc=False):
    """The node that got a request, and how it was found: the names that were looked at with the load of each, and the seed
    that drew them. By a shared prefix (`prefix`); the less loaded of two that were drawn (`two`); the `only` one; by a slot
    that became free (`turn`)."""

    node: str
    why: Literal["prefix", "two", "only", "turn"]
    seed: int = 0
    candidates: tuple[str, ...] = ()
    loads: tuple[float, ...] = ()


class NodeStatus(msgspec.Struct, frozen=True):
    """A node of one target as its gateway sees it. `slots` are those that it is given requests for (None: no limit known),
    `problem` a sentence for people."""

    name: str
    health: NodeHealth = "unknown"
    slots: int | None = None
    problem: str | None = None
