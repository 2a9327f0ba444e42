"""The embedded engine, started for each context and number of sequences, and what it takes then."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from pointsman.domain.errors import Problem
from pointsman.domain.said import said
from pointsman.fleet.engine_memory import VERBOSITY, EngineMemory, read_engine_memory
from pointsman.fleet.memory_watch import resident
from pointsman.fleet.model_network import read_model
from pointsman.fleet.process import ModelProcess
from pointsman.fleet.settings import ModelSettings
from pointsman.memory.estimate import Setup, estimate

UBATCH = 256
_LOAD = 300.0


class Loaded(msgspec.Struct, frozen=True):
    """An engine that has loaded: `tokens` of each of `sequences`, bytes in `used`, what it says itself, and the estimate
    of its KV cache and of all."""

    tokens: int
    sequences: int
    used: int
    engine: EngineMemory | None
    kv_estimate: int
    estimate: int


async def loaded_at(
    model: str, tokens: Sequence[int], sequences: Sequence[int], repeat: int, card: Callable[[], int] | None
) -> list[Loaded]:
    """One after the other, each in a process of its own that is ended before the next. `card` reads the bytes in use on
    the GPUs (what was in use before is taken off); without it the process is looked at, and all stays off the GPU. Raises
    Problem."""
    return [await _load(model, each, many, card) for _ in range(repeat) for many in sequences for each in tokens]


async def _load(model: str, tokens: int, sequences: int, card: Callable[[], int] | None) -> Loaded:
    network = read_model(model).network
    settings = ModelSettings(
        model=model,
        name="measured",
        context=tokens,
        slots=sequences,
        threads=1,
        batch=UBATCH,
        gpu_layers=None if card else 0,
        extra={"verbosity": VERBOSITY, "warmup": False},
    )
    before = card() if card else 0
    process = ModelProcess(settings, log_lines=4000)
    await process.start()
    try:
        if await process.settled(_LOAD) != "up" or process.pid is None:
            wrong = process.problem or said("it did not load in time", "没有及时加载完成")
            raise Problem("MODEL", wrong)
        used = card() - before if card else resident(process.pid)
        each = process.facts.context_length or tokens
        engine = read_engine_memory(process.log_tail)
    finally:
        await process.stop()
    setup = Setup(each * sequences, sequences, ubatch=UBATCH)
    found = estimate(network, setup, gpu=card is not None, margin=0)
    return Loaded(each, sequences, used, engine, found.main.kv_bytes, found.main.total)
