"""Which models come and go, and by whose hands."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from pointsman.domain.said import Said, said
from pointsman.memory.sizes import shown
from pointsman.ports.model_driver import ModelDriver
from pointsman.residency.unit import Rules, Shortage, Unit


class Plan(msgspec.Struct, frozen=True):
    """`drivers` are by target; `groups` say which targets belong to which group of the config, `memory` how many bytes each
    is taken to need. `drains`: seconds that replies under way have to end where somebody asks that a model goes."""

    units: tuple[Unit, ...] = ()
    rules: Rules = Rules()
    drivers: Mapping[str, ModelDriver] = {}
    groups: Mapping[str, str] = {}
    memory: Mapping[str, int] = {}
    drains: Mapping[str, float] = {}


def never_fits(unit: Unit, lacks: Shortage) -> Said:
    """With the numbers."""
    if lacks.rival is not None:
        return said(
            "{name} is never loaded: {rival} is pinned, and of the group {group} one is in memory at a time",
            "{name} 永远不会加载：{rival} 已固定，而 {group} 组同一时间只有一个在内存中",
            name=unit.name,
            rival=lacks.rival,
            group=unit.exclusive,
        )
    if unit.memory is None:
        return said(
            "{name} is never loaded: nobody says how much memory it needs (load.memory), so it would get all of the "
            "budget, of which pinned models have {pinned}",
            "{name} 永远不会加载：没有说明它需要多少内存（load.memory），只能占用全部预算，而其中 {pinned} 属于固定的模型",
            name=unit.name,
            pinned=shown(lacks.pinned),
        )
    return said(
        "{name} never fits: it needs {needs}, the budget is {budget}, of which pinned models have {pinned}",
        "{name} 永远放不下：它需要 {needs}，预算为 {budget}，其中 {pinned} 属于固定的模型",
        name=unit.name,
        needs=shown(lacks.needs),
        budget=shown(lacks.budget),
        pinned=shown(lacks.pinned),
    )
