"""What was seen of a gateway, its engines, its files and its log: plain values, on which judgement rests. Sizes in bytes,
times in seconds since the epoch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from pointsman.domain.said import Said
from pointsman.domain.target import BackendState


class NotKnown(msgspec.Struct, frozen=True):
    """A look that came to nothing: it took too long, or failed."""

    why: Said


class TargetFacts(msgspec.Struct, frozen=True):
    """A target as the config has it. `ours`: the gateway starts its engine; `local`: it is on this machine; `sequences` what
    limits it: a number, auto, or nothing. `on_demand`: its model is loaded when it is asked for."""

    name: str
    tier: str
    model: str
    engine: str
    address: str | None = None
    ours: bool = False
    local: bool = False
    external: bool = False
    sequences: int | str | None = None
    on_demand: bool = False


class Extra(msgspec.Struct, frozen=True):
    """A part of the install that something of this config needs, and whether it is there."""

    name: str
    wants: Said
    there: bool


class ConfigFacts(msgspec.Struct, frozen=True):
    """`path` None: built-in defaults. `checked`: rules and cases were read to the end."""

    path: Path | None
    problems: tuple[Said, ...]
    rules: int
    cases: int
    targets: tuple[TargetFacts, ...]
    host: str
    port: int
    keys: int
    public: bool
    data_dir: Path
    store: str
    extras: tuple[Extra, ...] = ()


class ModelNow(msgspec.Struct, frozen=True):
    """A model that comes and goes, as the gateway tells: how often it was loaded and pushed out, since when the gateway
    runs."""

    target: str
    stage: str
    loads: int = 0
    evictions: int = 0
    load_seconds: float | None = None
    problem: Said | None = None


class GatewayFacts(msgspec.Struct, frozen=True):
    """`running` False: nobody answers at `url`. `problems` are what it says itself. `models` None: none comes and goes, or a
    key is needed to ask. `scale` are signs that one more machine is needed, in words."""

    url: str
    running: bool
    ready: bool = False
    problems: tuple[Said, ...] = ()
    limits: dict[str, int | None] = {}
    models: tuple[ModelNow, ...] | None = None
    scale: tuple[Said, ...] = ()


class Repeated(msgspec.Struct, frozen=True):
    id: str
    times: int


class Recount(msgspec.Struct, frozen=True):
    """Decisions of the log computed again; `ids` of some that came out otherwise."""

    equal: int
    different: int
    unread: int
    ids: tuple[str, ...] = ()


class LogFacts(msgspec.Struct, frozen=True):
    """The last `days` of the request log. `whole` False: time ran out before all of it was read. `by_rules` of `asked` chat
    requests were answered by rules alone; `heard` were put to an arbiter, of which `cut` shortened. `ratios`: target → the
    engine's count of tokens / our estimate, in the middle, and of how many. `causes`: target → why tries failed → how
    often."""

    days: int
    requests: int = 0
    whole: bool = True
    newest: float | None = None
    asked: int = 0
    by_rules: int = 0
    heard: int = 0
    cut: int = 0
    repeated: tuple[Repeated, ...] = ()
    ratios: dict[str, tuple[float, int]] = {}
    causes: dict[str, dict[str, int]] = {}


class EngineFacts(msgspec.Struct, frozen=True):
    """What an engine says now. `blocks`, `block`: vLLM's cache, `share` of the card that it took, `cache_type`. `loaded`:
    bytes that an Ollama has of the model, `on_gpu` of them. `quant`: how the weights are kept, where anybody says.
    `port_owner`: who listens where it should, and does not answer as it should."""

    state: BackendState
    blocks: int | None = None
    block: int | None = None
    share: float | None = None
    cache_type: str | None = None
    loaded: int | None = None
    on_gpu: int | None = None
    quant: str | None = None
    port_owner: Said | None = None


class Holding(msgspec.Struct, frozen=True):
    """A process that has a model's file in memory; `memory` is what it has resident, `gpu` what it has of cards."""

    pid: int
    name: str
    memory: int
    gpu: int | None = None


class FileFacts(msgspec.Struct, frozen=True):
    """A model's file here. `problem`: it is not whole. `expected`, `sha256`: what it should have, and what is remembered of
    it (None: not hashed yet). `weights` of it; `needs` with its cache as it is configured, of the GPU where `on_gpu`."""

    model: str
    problem: Said | None = None
    expected: str | None = None
    sha256: str | None = None
    weights: int = 0
    needs: int | None = None
    cache: int | None = None
    slots: int | None = None
    context: int | None = None
    on_gpu: bool = False
    quant: str | None = None
    holders: tuple[Holding, ...] = ()


class Card(msgspec.Struct, frozen=True):
    uuid: str
    total: int
    used: int


class MachineFacts(msgspec.Struct, frozen=True):
    """`killed`: processes that the system ended for want of memory, since the machine (or the container) began. `owner`: who
    has the gateway's port, where somebody has; `owners`: those of engines that it starts."""

    available: int
    cards: tuple[Card, ...] = ()
    killed: int = 0
    disk_free: int = 0
    disk: int = 0
    unwritable: Said | None = None
    owner: Said | None = None
    owners: tuple[Said, ...] = ()
    now: float = 0.0


class EngineLog(msgspec.Struct, frozen=True):
    """The end of an engine's log: a line that says that memory (or a port) was wanting, and PyTorch's own figures of an
    allocation that failed: `tried`, and `reserved` but not in use."""

    name: str
    written: float
    kind: str | None = None
    line: str | None = None
    tried: int | None = None
    reserved: int | None = None


class StoreFacts(msgspec.Struct, frozen=True):
    shown: str
    problem: Said | None = None
    dead: int = 0


Facts = dict[str, Any]
"""By name: `config`, `gateway`, `log`, `recount`, `engines` (target → EngineFacts), `files`, `machine`, `logs`, `store`;
each as above, or NotKnown."""
