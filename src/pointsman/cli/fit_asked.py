"""The options of `fit` as the arithmetic takes them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from pointsman.domain.said import Said, said
from pointsman.fleet.model_network import read_model, read_tensors
from pointsman.fleet.room import largest_gpu, main_memory
from pointsman.memory.estimate import ALONE, Beside, Setup, draft_bytes
from pointsman.memory.network import Network, Unreadable
from pointsman.memory.rows import LLAMA_TYPES, Types
from pointsman.memory.sizes import parse_bytes
from pointsman.memory.verdict import Room

USUAL_CONTEXT = 4096  # tokens of one sequence, as the embedded engine takes them


def asked_types(text: str, valid: Sequence[str] = LLAMA_TYPES, place: str = "--kv-type") -> Types:
    """`q8_0`, or `q8_0,f16` for keys and values. Raises Unreadable for what the engine does not have."""
    k, comma, v = text.partition(",")
    for kind in (k, v) if comma else (k,):
        if kind not in valid:
            raise Unreadable(
                said(
                    '{place}: there is no "{kind}" (valid: {valid})',
                    "{place}：没有“{kind}”（合法取值：{valid}）",
                    place=place,
                    kind=kind,
                    valid=", ".join(valid),
                )
            )
    return Types(k, v if comma else k)


def checked(value: int, flag: str, least: int = 1, most: int = 1 << 31) -> int:
    """Raises Unreadable out of the bounds."""
    if not least <= value <= most:
        raise Unreadable(
            said(
                "{flag} {value}: out of bounds (valid: {least} to {most})",
                "{flag} {value}：超出范围（合法取值：{least} 到 {most}）",
                flag=flag,
                value=value,
                least=least,
                most=most,
            )
        )
    return value


def not_of(flag: str, engine: str) -> Said:
    """An option that the engine does not have."""
    return said(
        "{flag}: {engine}, for which this is computed, has no such option (see --engine)",
        "{flag}：这里是为 {engine} 计算，它没有这个选项（见 --engine）",
        flag=flag,
        engine=engine,
    )


def asked_setup(options: argparse.Namespace, network: Network) -> Setup:
    """Raises Unreadable: a number out of bounds, a context beyond what the model was trained for, a V cache that cannot
    be."""
    if options.gpu_memory_utilization is not None:
        raise Unreadable(not_of("--gpu-memory-utilization", "llama.cpp"))
    parallel = checked(options.parallel, "--parallel", 1, 65_536)
    trained = network.trained_context
    usual = min(USUAL_CONTEXT, trained or USUAL_CONTEXT) * parallel
    ctx = checked(usual if options.ctx is None else options.ctx, "--ctx")
    check_context("--ctx", ctx, parallel, trained)
    types = asked_types(options.kv_type)
    if options.no_flash_attention and types.v not in ("f32", "f16", "bf16"):
        raise Unreadable(
            Said(
                "--no-flash-attention: the engine refuses a quantised V cache without it",
                "--no-flash-attention：不用 flash attention 时，引擎不接受量化的 V 缓存",
            )
        )
    layers = options.gpu_layers
    return Setup(
        ctx,
        parallel,
        options.unified,
        types,
        checked(options.ubatch, "--ubatch", 1, 1 << 20),
        not options.no_flash_attention,
        options.swa_full,
        None if layers is None else checked(layers, "--gpu-layers", 0),
    )


def check_context(place: str, ctx: int, parallel: int, trained: int | None) -> None:
    """Raises Unreadable where sequences would be longer than the model has learnt."""
    if trained and ctx > trained * parallel:
        raise Unreadable(
            said(
                "{place} {ctx}: the model was trained for {trained} tokens a sequence (valid: up to {most})",
                "{place} {ctx}：模型训练时每个序列最长 {trained} 个 token（合法取值：不超过 {most}）",
                place=place,
                ctx=ctx,
                trained=trained,
                most=trained * parallel,
            )
        )


def asked_beside(options: argparse.Namespace, setup: Setup) -> Beside:
    """Raises Problem for files that cannot be read."""
    if options.mmproj is None and options.draft is None:
        return ALONE
    mmproj = read_tensors(options.mmproj, path="--mmproj") if options.mmproj is not None else 0
    draft = 0
    if options.draft is not None:
        draft = draft_bytes(read_model(options.draft, path="--draft").network, setup)
    return Beside(mmproj, draft)


def asked_room(options: argparse.Namespace) -> Room:
    """The card as it was told, else as its driver says, else main memory. Raises Unreadable."""
    margin = parse_bytes(options.margin) if options.margin is not None else None
    context = parse_bytes(options.cuda_context)
    if options.gpu is not None and options.gpu != "none":
        return Room(parse_bytes(options.gpu), True, context, margin)
    card = largest_gpu() if options.gpu is None else None
    if card is not None:
        return Room(card.total, True, context, margin, used=card.used)
    return Room(main_memory(), False, context, margin)
