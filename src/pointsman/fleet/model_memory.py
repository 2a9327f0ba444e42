"""What a model will take of memory, before it is loaded; and what would make it fit, where it did not."""

from __future__ import annotations

import psutil

from pointsman.domain.errors import Problem
from pointsman.domain.said import Said, said
from pointsman.fleet.gpu import driver_there
from pointsman.fleet.model_network import read_model
from pointsman.fleet.room import largest_gpu
from pointsman.fleet.settings import DEFAULT_CONTEXT, Sizing
from pointsman.memory.estimate import Setup, estimate
from pointsman.memory.network import Network, Unreadable
from pointsman.memory.sizes import MIB
from pointsman.memory.verdict import Change, Room, Verdict, judge

UBATCH = 256


def memory_of(sizing: Sizing, *, gpu: bool | None = None) -> int | None:
    """Bytes that it will take of the GPU, or of main memory where none is used, without a margin; None where the file does
    not tell, or is not there. Blocking, tens of ms. `gpu` None: look."""
    try:
        network = read_model(sizing.model).network
        on_gpu = sizing.gpu_layers != 0 and (driver_there() if gpu is None else gpu)
        return estimate(network, _setup(sizing, network), gpu=on_gpu).main.used
    except (Problem, Unreadable):
        return None


def what_fits(sizing: Sizing, room: Room | None = None) -> Said | None:
    """A sentence: what it takes, what is free, and each change that alone would make it fit. None where the file does not
    tell. Blocking. `room` None: what is free now."""
    try:
        network = read_model(sizing.model).network
        here = room or _free(sizing)
        found, verdict = judge(network, _setup(sizing, network), here)
    except (Problem, Unreadable):
        return None
    takes = said(
        "it takes an estimated {takes}, and {free} are free",
        "估计需要 {takes}，而空闲的只有 {free}",
        takes=_mib(found.main.total),
        free=_mib(here.size),
    )
    if verdict.fits:
        return said(
            "{takes}: by the estimate it fits, so something else took memory meanwhile, or somebody ended it",
            "{takes}：按估计是装得下的，可能是别的程序此时占用了内存，或是有人终止了它",
            takes=takes,
        )
    return said("{takes}; {changes}", "{takes}；{changes}", takes=takes, changes=_changes(verdict))


def _setup(sizing: Sizing, network: Network) -> Setup:
    each = sizing.context or min(DEFAULT_CONTEXT, network.trained_context or DEFAULT_CONTEXT)
    return Setup(each * sizing.slots, sizing.slots, ubatch=UBATCH, gpu_layers=sizing.gpu_layers)


def _free(sizing: Sizing) -> Room:
    card = largest_gpu() if sizing.gpu_layers != 0 else None
    if card is not None:
        return Room(card.total - card.used, gpu=True)
    return Room(int(psutil.virtual_memory().available), gpu=False)


def _changes(verdict: Verdict) -> Said:
    ways = [_change(change) for change in verdict.changes]
    if not ways:
        return said("no shorter context makes it fit", "缩短上下文也装不下")
    return said(
        "it would fit with {ways}",
        "改成以下任一项就装得下：{ways}",
        ways=Said(", or ".join(map(str, ways)), "，或 ".join(way.zh for way in ways)),
    )


def _change(change: Change) -> Said:
    setup = change.setup
    if change.what == "ctx":
        return said("context {n}", "context {n}", n=setup.ctx // setup.parallel)
    if change.what == "parallel":
        return said("slots {n}", "slots {n}", n=setup.parallel)
    if change.what == "kv_type":
        return said("a KV cache in {kind}", "KV 缓存类型 {kind}", kind=setup.types.k)
    return said("gpu_layers {n}", "gpu_layers {n}", n=setup.gpu_layers)


def _mib(size: int) -> Said:
    return said("{n:,} MiB", "{n:,} MiB", n=size // MIB)
