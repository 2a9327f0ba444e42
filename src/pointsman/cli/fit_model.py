"""`fit MODEL`: one model in llama.cpp, part by part, with the verdict."""

from __future__ import annotations

import argparse
from typing import Any

from pointsman.cli.fit_asked import asked_beside, asked_room, asked_setup
from pointsman.cli.fit_vllm import fit_in_vllm
from pointsman.cli.fit_words import change_line, part_rows, verdict_lines
from pointsman.cli.output import print_json, print_line
from pointsman.cli.table import table
from pointsman.domain.said import Said, said, told
from pointsman.fleet.model_network import ModelNetwork, read_model
from pointsman.memory.cache import cells, tokens_per_sequence
from pointsman.memory.estimate import Estimate, Setup, Share, offloadable
from pointsman.memory.verdict import Room, Verdict, judge


def fit_model(options: argparse.Namespace) -> int:
    """0 if it fits, else 1. Raises Problem, Unreadable."""
    model = read_model(options.model, path="MODEL")
    if (options.engine or ("vllm" if model.kind == "hf" else "llamacpp")) == "vllm":
        return fit_in_vllm(options, model)
    setup, room = asked_setup(options, model.network), asked_room(options)
    beside = asked_beside(options, setup)
    found, verdict = judge(model.network, setup, room, beside)
    if options.json:
        print_json(_as_json(options.model, model, setup, room, found, verdict))
    else:
        for line in _lines(options, model, setup, room, found, verdict):
            print_line(line)
    return 0 if verdict.fits else 1


def setup_json(setup: Setup) -> dict[str, Any]:
    """The part of a setup that people choose."""
    return {
        "ctx": setup.ctx,
        "parallel": setup.parallel,
        "tokens_per_sequence": tokens_per_sequence(setup.ctx, setup.parallel, setup.unified),
        "unified": setup.unified,
        "kv_type": {"k": setup.types.k, "v": setup.types.v},
        "gpu_layers": setup.gpu_layers,
    }


def share_json(share: Share) -> dict[str, int]:
    """Bytes of each part."""
    return {
        "weights": share.weights,
        "kv_bytes": share.kv_bytes,
        "compute": share.compute,
        "output": share.output,
        "mmproj": share.mmproj,
        "draft": share.draft,
        "cuda_context": share.context,
        "margin": share.margin,
        "total": share.total,
    }


def _as_json(
    name: str, model: ModelNetwork, setup: Setup, room: Room, found: Estimate, verdict: Verdict
) -> dict[str, Any]:
    network = model.network
    return {
        "model": name,
        "path": str(model.path),
        "format": model.kind,
        "engine": "llamacpp",
        "architecture": network.architecture,
        "trained_context": network.trained_context,
        **setup_json(setup),
        "gpu_layers": found.gpu_layers,
        "layers": len(network.layers),
        "kv_cells": cells_of(model, setup),
        "device": {"kind": "gpu" if room.gpu else "memory", "size": room.size, "used": room.used},
        **share_json(found.main),
        "weights_source": network.weights.source,
        "host": share_json(found.host) if found.host else None,
        "fits": verdict.fits,
        "spare": verdict.spare,
        "largest_ctx": verdict.largest_ctx,
        "changes": [
            {"what": change.what, **setup_json(change.setup), "total": change.total, "lost": change.lost}
            for change in verdict.changes
        ],
        "notes": list(network.notes),
    }


def cells_of(model: ModelNetwork, setup: Setup) -> dict[str, int]:
    """Cells of the layers that keep all tokens, and of those with each window."""
    windows = {None if setup.swa_full else layer.window for layer in model.network.layers if layer.k}
    ordered = sorted(windows, key=lambda window: window or 0)
    return {
        "all" if window is None else f"window {window}": cells(
            setup.ctx, setup.parallel, setup.unified, window=window, ubatch=setup.ubatch
        )
        for window in ordered
    }


def _lines(
    options: argparse.Namespace, model: ModelNetwork, setup: Setup, room: Room, found: Estimate, verdict: Verdict
) -> list[str]:
    tongue = options.tongue
    network = model.network
    head = said(
        "{model} ({kind}, {layers} layers): {ctx:,} tokens, {parallel} sequence{s} of {each:,}{unified}, cache {k}/{v}",
        "{model}（{kind}，{layers} 层）：{ctx:,} 个 token，{parallel} 个序列，每个 {each:,}{unified}，缓存 {k}/{v}",
        model=options.model,
        kind=network.architecture,
        layers=len(network.layers),
        ctx=setup.ctx,
        parallel=setup.parallel,
        s="" if setup.parallel == 1 else "s",
        each=tokens_per_sequence(setup.ctx, setup.parallel, setup.unified),
        unified=said(" in one cache", "（共用一个缓存）") if setup.unified else "",
        k=setup.types.k,
        v=setup.types.v,
    )
    heads = [Said("part", "部分"), Said("GPU", "显卡") if room.gpu else Said("memory", "内存")]
    if found.host:
        heads.append(Said("main memory", "内存"))
    rows = [[told(cell, tongue) for cell in row] for row in part_rows(found)]
    lines = [told(head, tongue)]
    if found.host:
        layers = said(
            "layers on the GPU: {on} of {all} (the output matrix counts as one)",
            "放在显卡上的层：{on}/{all}（输出矩阵算一层）",
            on=found.gpu_layers,
            all=offloadable(network),
        )
        lines.append(told(layers, tongue))
    lines += ["", *table([told(name, tongue) for name in heads], rows, {1, 2}), ""]
    lines += [told(line, tongue) for line in verdict_lines(verdict, room)]
    lines += [told(change_line(change, setup), tongue) for change in verdict.changes]
    return lines + [told(note, tongue) for note in network.notes]
