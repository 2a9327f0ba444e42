"""Whether a model fits on a device, and what would make it fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import msgspec

from pointsman.memory.cache import PAD, tokens_per_sequence
from pointsman.memory.estimate import ALONE, CONTEXT, Beside, Estimate, Setup, estimate, offloadable
from pointsman.memory.network import Network, Unreadable
from pointsman.memory.offload import USUAL, Bandwidths, slower
from pointsman.memory.rows import Types

LARGEST = 1 << 24  # tokens up to which a longer context is looked for
_SMALLER = ("q8_0", "q5_1", "q5_0", "q4_1", "q4_0")


class Change(msgspec.Struct, frozen=True):
    """One change that alone makes it fit: the setup with it, and what it takes then. `lost`: for layers on the CPU the
    share of its speed that the model loses at least."""

    what: Literal["ctx", "parallel", "kv_type", "gpu_layers"]
    setup: Setup
    total: int
    lost: float | None = None


class Verdict(msgspec.Struct, frozen=True):
    """`spare`: bytes left beside everything, the margin too; below 0, what is missing. `largest_ctx`: with all else as it
    is, the longest context that fits, and that the model has learnt (None: none does, not even the shortest). `changes`
    where it does not fit."""

    fits: bool
    spare: int
    largest_ctx: int | None
    changes: tuple[Change, ...] = ()


class Room(msgspec.Struct, frozen=True):
    """The device: its bytes, whether it is a GPU, and what is never the model's. `used`: what is in use on it now, where
    that was asked; the verdict is on the whole device."""

    size: int
    gpu: bool
    context: int = CONTEXT
    margin: int | None = None
    bandwidths: Bandwidths = USUAL
    used: int | None = None


def judge(network: Network, setup: Setup, room: Room, beside: Beside = ALONE) -> tuple[Estimate, Verdict]:
    """Raises Unreadable for a setup that an engine would refuse."""

    def takes(changed: Setup) -> int:
        """`beside` stays as it is, also where its own cache would shrink: the changes are on the safe side."""
        return estimate(network, changed, beside, gpu=room.gpu, context=room.context, margin=room.margin).main.total

    now = estimate(network, setup, beside, gpu=room.gpu, context=room.context, margin=room.margin)
    spare = room.size - now.main.total
    longest = longest_ctx(network, setup, lambda changed: takes(changed) <= room.size)
    if spare >= 0:
        return now, Verdict(True, spare, longest)
    found = [
        _shorter(setup, longest, takes),
        _fewer(setup, room, takes),
        _smaller(setup, room, takes),
        _offloaded(network, setup, room, takes) if room.gpu else None,
    ]
    return now, Verdict(False, spare, longest, tuple(change for change in found if change))


def longest_ctx(network: Network, setup: Setup, fits: Callable[[Setup], bool]) -> int | None:
    """The longest context that fits, of those that the model has learnt; None where none does. By halving: more tokens
    never take less."""
    learnt = (network.trained_context or LARGEST) * setup.parallel
    step = PAD if setup.unified else PAD * setup.parallel
    low, high = 0, max(1, min(LARGEST, learnt) // step)
    while low < high:
        middle = (low + high + 1) // 2
        if fits(msgspec.structs.replace(setup, ctx=middle * step)):
            low = middle
        else:
            high = middle - 1
    return low * step or None


def _shorter(setup: Setup, longest: int | None, takes: Callable[[Setup], int]) -> Change | None:
    if longest is None or longest >= setup.ctx:
        return None
    changed = msgspec.structs.replace(setup, ctx=longest)
    return Change("ctx", changed, takes(changed))


def _fewer(setup: Setup, room: Room, takes: Callable[[Setup], int]) -> Change | None:
    """Fewer sequences of the same length."""
    each = tokens_per_sequence(setup.ctx, setup.parallel, False)
    for parallel in range(setup.parallel - 1, 0, -1):
        changed = msgspec.structs.replace(setup, parallel=parallel, ctx=each * parallel)
        if (total := takes(changed)) <= room.size:
            return Change("parallel", changed, total)
    return None


def _smaller(setup: Setup, room: Room, takes: Callable[[Setup], int]) -> Change | None:
    """The best type of cache that is small enough, of those that the heads' size admits."""
    if not setup.flash:
        return None  # llama.cpp refuses a quantised V cache without flash attention
    for kind in _SMALLER:
        changed = msgspec.structs.replace(setup, types=Types(kind, kind))
        try:
            total = takes(changed)
        except Unreadable:
            continue
        if total <= room.size:
            return Change("kv_type", changed, total)
    return None


def _offloaded(network: Network, setup: Setup, room: Room, takes: Callable[[Setup], int]) -> Change | None:
    """As many layers on the GPU as go there."""
    most = offloadable(network) if setup.gpu_layers is None else min(setup.gpu_layers, offloadable(network))
    for layers in range(most - 1, -1, -1):
        changed = msgspec.structs.replace(setup, gpu_layers=layers)
        if (total := takes(changed)) <= room.size:
            return Change("gpu_layers", changed, total, slower(network, layers, room.bandwidths))
    return None
