"""What llama.cpp itself says of its memory when it loads a model: lines of its log, at verbosity 4 and more.

It loads twice: a dry pass to see whether it fits, then in earnest. Only the last pass counts."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from pointsman.memory.sizes import MIB

VERBOSITY = 4
_LINE = re.compile(r"(\S+) +(KV|RS|compute|output|model) buffer size = +([0-9.]+) MiB")
_BEGINS = "loading model tensors"


class EngineMemory(msgspec.Struct, frozen=True):
    """Bytes, to a hundredth of a MiB for each buffer; `state` are recurrent states. `devices` are all of it by where it
    lies, such as CPU, CPU_Mapped, CUDA0."""

    model: int = 0
    kv: int = 0
    state: int = 0
    compute: int = 0
    output: int = 0
    devices: dict[str, int] = {}

    @property
    def total(self) -> int:
        return self.model + self.kv + self.state + self.compute + self.output


_FIELDS = {"KV": "kv", "RS": "state"}


def read_engine_memory(lines: Iterable[str]) -> EngineMemory | None:
    """None where it says nothing of a KV buffer: it has not loaded, or is too quiet."""
    sums: dict[str, int] = {}
    devices: dict[str, int] = {}
    for line in lines:
        if _BEGINS in line:
            sums, devices = {}, {}
        elif found := _LINE.search(line):
            device, kind, size = found[1], _FIELDS.get(found[2], found[2]), round(float(found[3]) * MIB)
            sums[kind] = sums.get(kind, 0) + size
            devices[device] = devices.get(device, 0) + size
    if not sums.get("kv") and not sums.get("state"):
        return None
    return EngineMemory(devices=devices, **sums)
