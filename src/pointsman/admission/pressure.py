"""Whether the machine is under pressure, so that new jobs had better wait. Pure: (state, sample, now) → state.

A mismatch: the CPU is full while the GPU idles, so more work would only queue for the CPU. Or memory runs out, the machine's
or the GPU's. It is noticed where it lasts for `dwell`, and over where it has been well below for `calm`. It is a help and no
lock: after `longest` seconds jobs go on in spite of it."""

from __future__ import annotations

from typing import Literal

import msgspec

Cause = Literal["mismatch", "memory", "gpu_memory"]
CAUSES: tuple[Cause, ...] = ("mismatch", "memory", "gpu_memory")
State = Literal["none", "on", "given_up"]


class Load(msgspec.Struct, frozen=True, gc=False):
    """Ratios from 0 to 1; None: not known. `accelerator` is how busy the GPU is; without a GPU (`engines`), how busy the
    engines are."""

    cpu: float | None = None
    accelerator: float | None = None
    memory: float | None = None
    gpu_memory: float | None = None
    engines: bool = False


class Thresholds(msgspec.Struct, frozen=True):
    """A mismatch begins with the CPU above `cpu` and the accelerator below `accelerator`, a shortage of memory above
    `memory` or `gpu_memory`; each is over where it is better by `margin`. Seconds: `dwell` until it counts, `calm` until it
    is over, `longest` that jobs wait for it."""

    cpu: float = 0.85
    accelerator: float = 0.2
    memory: float = 0.95
    gpu_memory: float = 0.98
    margin: float = 0.1
    dwell: float = 10.0
    calm: float = 10.0
    longest: float = 120.0


class Pressure(msgspec.Struct, frozen=True):
    """`cause` while there is some; `since` when it came into this state; `turning` when what speaks for another state began,
    if something does. `load` is the last sample."""

    state: State = "none"
    cause: Cause | None = None
    since: float = 0.0
    turning: float | None = None
    load: Load = Load()

    @property
    def holds(self) -> bool:
        """Whether new jobs are to wait."""
        return self.state == "on"


NONE = Pressure()


def sampled(pressure: Pressure, load: Load, now: float, limits: Thresholds) -> Pressure:
    """With one sample more. Samples come in the order of their times."""
    if pressure.state == "none":
        cause = cause_of(load, limits)
        if cause is None:
            return Pressure(since=pressure.since, load=load)
        turning = now if pressure.turning is None else pressure.turning
        if now - turning >= limits.dwell:
            return Pressure("on", cause, now, None, load)
        return Pressure("none", None, pressure.since, turning, load)
    cause = cause_of(load, limits, limits.margin)
    state, since, better = pressure.state, pressure.since, None
    if cause is None:
        better = now if pressure.turning is None else pressure.turning
        if now - better >= limits.calm:
            return Pressure("none", None, now, None, load)
    if state == "on" and now - since >= limits.longest:
        state, since = "given_up", now
    return Pressure(state, cause or pressure.cause, since, better, load)


def cause_of(load: Load, limits: Thresholds, margin: float = 0.0) -> Cause | None:
    """What one sample speaks for; with a margin, what it does not speak against yet."""
    if (
        load.cpu is not None
        and load.accelerator is not None
        and load.cpu > limits.cpu - margin
        and load.accelerator < limits.accelerator + margin
    ):
        return "mismatch"
    if load.memory is not None and load.memory > limits.memory - margin:
        return "memory"
    if load.gpu_memory is not None and load.gpu_memory > limits.gpu_memory - margin:
        return "gpu_memory"
    return None
