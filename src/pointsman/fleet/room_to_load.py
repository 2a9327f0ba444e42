"""Is there room for a model at this moment, whatever a budget says? Other programs take memory as well."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from pointsman.domain.said import said
from pointsman.fleet.gpu import GpuMemory
from pointsman.fleet.room import free_memory, largest_gpu
from pointsman.memory.sizes import shown
from pointsman.ports.model_driver import NoRoom

Where = Literal["card", "both", "main"]
"""What it runs on: the card alone; the card, and with the layers that do not fit there main memory; main memory alone."""


def check_room(
    name: str,
    needs: int,
    where: Where,
    card: Callable[[], GpuMemory | None] = largest_gpu,
    main: Callable[[], int] = free_memory,
) -> None:
    """Raises NoRoom where less than `needs` bytes are free now. Without a card that can be asked, main memory counts.
    Blocking, some ms."""
    found = card() if where != "main" else None
    free = main() if found is None or where == "both" else 0
    if found is not None:
        free += max(found.total - found.used, 0)
    if needs <= free:
        return
    if found is None or where == "both":
        en = "{name} needs {needs}, and {free} are free now: other programs have the rest. See who: pointsman doctor"
        zh = "{name} 需要 {needs}，而现在只空闲 {free}：其余被别的程序占用。查看是谁：pointsman doctor"
    else:
        en = "{name} needs {needs}, and {free} are free on the card now: other programs have the rest. See who: nvidia-smi"
        zh = "{name} 需要 {needs}，而显卡上现在只空闲 {free}：其余被别的程序占用。查看是谁：nvidia-smi"
    raise NoRoom(said(en, zh, name=name, needs=shown(needs), free=shown(free)), free)
