"""`fit` for vLLM: blocks that a card gives, or those of a running one."""

from __future__ import annotations

import argparse
from typing import Any

from pointsman.cli.fit_asked import asked_room, asked_types, check_context, checked, not_of
from pointsman.cli.output import print_json, print_line
from pointsman.cli.table import table
from pointsman.domain.said import Said, Tongue, said, told
from pointsman.fleet.model_network import ModelNetwork
from pointsman.fleet.vllm_metrics import fetch_metrics
from pointsman.memory.network import Unreadable
from pointsman.memory.rows import VLLM_TYPES
from pointsman.memory.sizes import shown
from pointsman.memory.vllm import UTILIZATION, Blocks, Running, VllmSetup, read_metrics, vllm_blocks

LLAMA_ONLY = ("unified", "no_flash_attention", "swa_full", "gpu_layers", "mmproj", "draft")


def fit_in_vllm(options: argparse.Namespace, model: ModelNetwork) -> int:
    """0 if the blocks hold the sequences that were asked for. Raises Unreadable."""
    network = model.network
    for flag in LLAMA_ONLY:
        given = getattr(options, flag)
        if given is not None and given is not False:
            raise Unreadable(not_of("--" + flag.replace("_", "-"), "vLLM"))
    room = asked_room(options)
    if not room.gpu:
        raise Unreadable(
            Said(
                "vLLM needs a GPU, and none answers here: give its memory, as --gpu 24GiB",
                "vLLM 需要显卡，而这里没有找到：请给出显存，如 --gpu 24GiB",
            )
        )
    parallel = checked(options.parallel, "--parallel", 1, 65_536)
    trained = network.trained_context
    whole = checked((trained or 4096) * parallel if options.ctx is None else options.ctx, "--ctx")
    check_context("--ctx", whole, parallel, trained)
    types = asked_types(options.kv_type, VLLM_TYPES)
    utilization = UTILIZATION if options.gpu_memory_utilization is None else options.gpu_memory_utilization
    setup = VllmSetup(-(-whole // parallel), utilization, types)
    blocks = vllm_blocks(network, setup, room.size, context=room.context)
    fits = blocks.count >= blocks.per_sequence * parallel > 0
    if options.json:
        print_json(_as_json(options.model, model, setup, parallel, blocks, fits, room.size))
        return 0 if fits else 1
    for line in _lines(options.tongue, setup, parallel, blocks, fits, room.size):
        print_line(line)
    for note in network.notes:
        print_line(told(note, options.tongue))
    return 0 if fits else 1


def _as_json(
    name: str, model: ModelNetwork, setup: VllmSetup, parallel: int, blocks: Blocks, fits: bool, card: int
) -> dict[str, Any]:
    return {
        "model": name,
        "path": str(model.path),
        "format": model.kind,
        "engine": "vllm",
        "architecture": model.network.architecture,
        "trained_context": model.network.trained_context,
        "tokens_per_sequence": setup.ctx,
        "parallel": parallel,
        "kv_type": {"k": setup.types.k, "v": setup.types.v},
        "device": {"kind": "gpu", "size": card},
        "gpu_memory_utilization": setup.utilization,
        "budget": blocks.budget,
        "weights": blocks.weights,
        "weights_source": model.network.weights.source,
        "compute": blocks.activation,
        "kv_bytes": blocks.kv,
        "total": blocks.budget,
        "block_size": blocks.block,
        "blocks": blocks.count,
        "blocks_per_sequence": blocks.per_sequence,
        "kv_tokens": blocks.tokens,
        "sequences": round(blocks.concurrency, 3),
        "fits": fits,
        "notes": list(model.network.notes),
    }


def _lines(tongue: Tongue, setup: VllmSetup, parallel: int, blocks: Blocks, fits: bool, card: int) -> list[str]:
    rows = [
        (Said("weights", "权重"), blocks.weights),
        (Said("one step, about", "一步计算，约"), blocks.activation),
        (Said("KV cache", "KV 缓存"), blocks.kv),
    ]
    head, *ends = _said(setup, parallel, blocks, fits, card)
    parts = table(["", ""], [[told(word, tongue), shown(size)] for word, size in rows], {1})[1:]
    return [told(head, tongue), "", *parts, "", *(told(line, tongue) for line in ends)]


def _said(setup: VllmSetup, parallel: int, blocks: Blocks, fits: bool, card: int) -> list[Said]:
    lines = [
        said(
            "vLLM takes {budget} of {card} ({share:.0%}), whatever the model:",
            "vLLM 会占用 {card} 中的 {budget}（{share:.0%}），与模型无关：",
            budget=shown(blocks.budget),
            card=shown(card),
            share=setup.utilization,
        ),
        said(
            "{count:,} blocks of {block} tokens hold {tokens:,} tokens: {many:.1f} sequences of {each:,} at once.",
            "共 {count:,} 块，每块 {block} 个 token，可容纳 {tokens:,} 个 token：同时 {many:.1f} 个长度为 {each:,} 的序列。",
            count=blocks.count,
            block=blocks.block,
            tokens=blocks.tokens,
            many=blocks.concurrency,
            each=setup.ctx,
        ),
    ]
    if fits:
        lines.append(said("It fits: {n} at once.", "放得下：同时 {n} 个。", n=parallel))
    elif blocks.count >= blocks.per_sequence > 0:
        lines.append(
            said(
                "{n} at once do not fit at full length; further ones wait, or give their blocks up and begin anew.",
                "同时 {n} 个满长序列放不下；多出来的会等待，或让出块后重新开始。",
                n=parallel,
            )
        )
    else:
        longest = int(setup.ctx * blocks.concurrency) // setup.block * setup.block
        lines.append(
            said(
                "It does not fit: not even one sequence of {ctx:,} tokens; vLLM would not start. Fits: {longest}",
                "放不下：连一个 {ctx:,} 个 token 的序列也不行，vLLM 会启动失败。能放下的是：{longest}",
                ctx=setup.ctx,
                longest=said("--max-model-len {n}", "--max-model-len {n}", n=longest)
                if longest
                else Said("none; the weights alone are too much", "没有；单是权重就太大"),
            )
        )
    return lines


def fit_running(options: argparse.Namespace) -> int:
    """What a running vLLM says. Raises Unreadable where it does not answer, or is none."""
    running = read_metrics(fetch_metrics(options.metrics))
    if options.json:
        print_json(
            {
                "engine": "vllm",
                "blocks": running.blocks,
                "block_size": running.block,
                "kv_tokens": running.tokens,
                "kv_cache_usage": running.used,
                "kv_tokens_free": running.free_tokens,
                "gpu_memory_utilization": running.utilization,
                "cache_type": running.cache_type,
            }
        )
    else:
        _print_running(running, options.tongue)
    return 0


def _print_running(running: Running, tongue: Tongue) -> None:
    line = said(
        "{blocks:,} blocks of {block} tokens: {tokens:,} tokens, {free:,} of them free now",
        "{blocks:,} 块，每块 {block} 个 token：共 {tokens:,} 个 token，现在空闲 {free:,} 个",
        blocks=running.blocks,
        block=running.block,
        tokens=running.tokens,
        free=running.free_tokens,
    )
    print_line(told(line, tongue))
    if running.utilization is not None:
        share = said(
            "it took {share:.0%} of the card when it started",
            "启动时占用了显卡的 {share:.0%}",
            share=running.utilization,
        )
        print_line(told(share, tongue))
