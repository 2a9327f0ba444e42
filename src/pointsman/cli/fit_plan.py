"""`fit --plan FILE`: which models fit together, and what becomes of the rest."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import msgspec

from pointsman.cli.fit_asked import asked_room
from pointsman.cli.fit_model import setup_json, share_json
from pointsman.cli.output import print_json, print_line
from pointsman.cli.plan_file import Planned, no_card, read_plan, wanted
from pointsman.cli.table import table
from pointsman.domain.said import Said, Tongue, said, told
from pointsman.fleet.room import main_memory
from pointsman.memory.estimate import CPU_MARGIN, MARGIN
from pointsman.memory.plan import Card, Plan, Wanted, plan
from pointsman.memory.sizes import shown


def fit_plan(options: argparse.Namespace) -> int:
    """0 if all of them run, maybe with layers on the CPU; else 1. Raises Problem, Problems, Unreadable."""
    planned = read_plan(Path(options.plan))
    room = asked_room(options)
    if options.gpu is None and planned.gpu is not None:
        room = msgspec.structs.replace(room, size=planned.gpu, gpu=True)
    if not room.gpu:
        raise no_card()
    ram = planned.ram if planned.ram is not None else main_memory() - CPU_MARGIN
    card = Card(room.size, room.context, MARGIN if room.margin is None else room.margin, room.bandwidths, ram)
    models = [wanted(name, each, card.size) for name, each in zip(planned.names, planned.models, strict=True)]
    found = plan(models, card)
    if options.json:
        print_json(_as_json(planned, models, card, found))
    else:
        for line in _lines(planned, models, card, found, options.tongue):
            print_line(line)
    return 0 if found.placed else 1


def _as_json(planned: Planned, models: list[Wanted], card: Card, found: Plan) -> dict[str, Any]:
    return {
        "gpu": card.size,
        "margin": card.margin,
        "ram": card.ram,
        "together": [{"models": each.names, "total": each.used, "left": each.left} for each in found.together],
        "placed": [
            {
                "name": each.name,
                **setup_json(model.setup),
                "gpu_layers": each.gpu_layers,
                "layers": each.of,
                **share_json(each.gpu),
                "host": each.host,
                "lost": round(each.lost, 4),
                "more_tokens": found.more_tokens[each.name],
            }
            for each, model in zip(found.placed, models, strict=False)
        ],
        "fits": bool(found.placed),
        "left": found.left,
        "missing": found.missing,
        "method": found.method,
        "left_out": planned.left_out,
    }


def _lines(planned: Planned, models: list[Wanted], card: Card, found: Plan, tongue: Tongue) -> list[str]:
    lines = [
        said(
            "card {size}, {margin} of it kept free",
            "显卡 {size}，其中留空 {margin}",
            size=shown(card.size),
            margin=shown(card.margin),
        ),
        Said("", ""),
        Said("Whole on the card, together:", "可以一起完整放进显卡的："),
    ]
    if not found.together:
        lines.append(Said("  none of them", "  一个也没有"))
    for each in found.together:
        lines.append(
            said(
                "  {names}: {used}, {left} left",
                "  {names}：{used}，剩余 {left}",
                names=" + ".join(each.names),
                used=shown(each.used),
                left=shown(each.left),
            )
        )
    lines += [Said("", ""), _all_of_them(models, found)]
    done = [told(line, tongue) for line in lines] + _placed(found, tongue)
    ends = [found.method]
    if planned.left_out:
        ends.append(
            said(
                "not counted, they run elsewhere: {names}",
                "没有计入，不在本机运行：{names}",
                names=", ".join(planned.left_out),
            )
        )
    notes = [
        said("{name}: {note}", "{name}：{note}", name=model.name, note=note)
        for model in models
        for note in model.network.notes
    ]
    return [*done, *(told(line, tongue) for line in (*ends, *notes))]


def _all_of_them(models: list[Wanted], found: Plan) -> Said:
    if not found.placed:
        return said(
            "All {n} at once do not fit, not even with their layers on the CPU: {missing}",
            "{n} 个同时运行放不下，把层放到 CPU 也不行：{missing}",
            n=len(models),
            missing=said("{size} are missing on the card", "显卡还差 {size}", size=shown(found.missing))
            if found.missing
            else Said("main memory is too small", "内存不够"),
        )
    if all(each.whole for each in found.placed):
        return said("All {n} at once:", "{n} 个同时运行：", n=len(models))
    return said(
        "All {n} at once, with layers on the CPU where that costs least:",
        "{n} 个同时运行，把部分层放到 CPU，放在损失最小的地方：",
        n=len(models),
    )


def _placed(found: Plan, tongue: Tongue) -> list[str]:
    if not found.placed:
        return [""]
    heads = (
        Said("model", "模型"),
        Said("layers on the card", "显卡上的层"),
        Said("weights", "权重"),
        Said("KV cache", "KV 缓存"),
        Said("card, all", "显卡合计"),
        Said("main memory", "内存"),
        Said("slower", "变慢"),
        Said("tokens that still fit", "还能放下的 token"),
    )
    rows = [
        [
            each.name,
            f"{each.gpu_layers}/{each.of}",
            shown(each.gpu.weights),
            shown(each.gpu.kv_bytes),
            shown(each.gpu.total),
            shown(each.host),
            f"{each.lost:.0%}" if each.lost else "-",
            f"{found.more_tokens[each.name]:,}",
        ]
        for each in found.placed
    ]
    left = said(
        "{left} of the card are left: for a longer context of one of them, or more sequences",
        "显卡还剩 {left}：可用于其中一个的更长上下文，或更多序列",
        left=shown(found.left),
    )
    return [*table([told(head, tongue) for head in heads], rows, set(range(1, 8))), "", told(left, tongue)]
