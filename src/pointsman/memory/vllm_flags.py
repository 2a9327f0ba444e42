"""`vllm serve`'s flags for a card: its share of it, and sequences that the share holds at full length."""

from __future__ import annotations

import math

from pointsman.domain.said import Said, said
from pointsman.memory.estimate import MARGIN
from pointsman.memory.flags import LONGEST, USEFUL, Flag, Launch, Wish
from pointsman.memory.network import Network
from pointsman.memory.rows import Types
from pointsman.memory.sizes import shown
from pointsman.memory.verdict import Room
from pointsman.memory.vllm import SEQUENCES, UTILIZATION, Blocks, VllmSetup, vllm_blocks

PLAIN, FP8 = Types("bf16", "bf16"), Types("fp8", "fp8")
_ORDER = ((PLAIN, 4), (PLAIN, 2), (FP8, 4), (FP8, 2), (PLAIN, 1), (FP8, 1))


def vllm_launch(network: Network, room: Room, wish: Wish, path: str, dtype: str | None) -> Launch:
    """`dtype` is what the model's config.json names. Raises Unreadable for numbers that cannot be."""
    share = utilization(room)
    setup = _choose(network, room, wish, share)
    blocks = vllm_blocks(network, setup, room.size, context=room.context)
    held = min(SEQUENCES, math.floor(blocks.concurrency))
    sequences = wish.parallel or max(1, held)
    needed = blocks.weights + blocks.activation + room.context + blocks.per_sequence * sequences * _page(network, setup)
    flags = (
        Flag("--max-model-len", str(setup.ctx), _length_reason(network, setup.ctx, wish, held)),
        Flag("--max-num-seqs", str(sequences), _sequences_reason(blocks, wish)),
        Flag("--max-num-batched-tokens", str(setup.batched), _step_reason(blocks)),
        Flag("--gpu-memory-utilization", f"{share:.2f}", _share_reason(room, share, blocks)),
        Flag("--kv-cache-dtype", "fp8" if setup.types == FP8 else "auto", _cache_reason(setup.types, wish)),
        Flag("--dtype", "auto", _dtype_reason(dtype)),
        Flag(
            "--enable-prefix-caching",
            None,
            Said(
                "the beginning that chats share is computed once; it lies in blocks that are free, and takes no more memory",
                "对话共有的开头只计算一次；它放在空闲的块里，不另占显存",
            ),
        ),
    )
    return Launch(
        "vllm",
        (Flag("", path, Said("the model", "模型")), *flags),
        sequences,
        setup.ctx,
        blocks.budget,
        blocks.budget - needed,
    )


def utilization(room: Room) -> float:
    """The share of the card that is left to vLLM: its documented default, or less where others have some of it already."""
    free = room.size - (room.used or 0) - (MARGIN if room.margin is None else room.margin)
    return max(0.01, min(UTILIZATION, math.floor(100 * free / room.size) / 100))


def _choose(network: Network, room: Room, wish: Wish, share: float) -> VllmSetup:
    """The longest context of which so many sequences fit; where none does, the least that was wanted."""
    most = wish.tokens or min(network.trained_context or LONGEST, LONGEST)
    least = wish.tokens or min(most, USEFUL)
    for types, many in dict.fromkeys((wish.types or types, wish.parallel or many) for types, many in _ORDER):
        low, high = least // 16, most // 16
        if not _holds(network, room, VllmSetup(least, share, types), many):
            continue
        while low < high:
            middle = (low + high + 1) // 2
            if _holds(network, room, VllmSetup(middle * 16, share, types), many):
                low = middle
            else:
                high = middle - 1
        return VllmSetup(max(least, min(most, low * 16)), share, types)
    return VllmSetup(least, share, wish.types or PLAIN)


def _holds(network: Network, room: Room, setup: VllmSetup, many: int) -> bool:
    blocks = vllm_blocks(network, setup, room.size, context=room.context)
    return blocks.count >= blocks.per_sequence * many > 0


def _page(network: Network, setup: VllmSetup) -> int:
    """Bytes of a block, by what a card without end would hold."""
    endless = vllm_blocks(network, setup, 1 << 60, context=0)
    return endless.kv // endless.count if endless.count else 0


def _length_reason(network: Network, tokens: int, wish: Wish, held: int) -> Said:
    if wish.tokens is not None:
        why = Said("as asked", "按要求")
    elif tokens == network.trained_context:
        why = Said("all that the model was trained for", "模型训练时的最大长度")
    elif tokens >= LONGEST:
        why = Said("ample for chats", "对话足够")
    elif not held:
        why = Said("the least that is of use", "有用的最小值")
    else:
        why = Said("the longest of which several fit at once", "能同时放下几个的最长值")
    return said("tokens of one request, its reply included: {why}", "一个请求的 token 数，含回答：{why}", why=why)


def _sequences_reason(blocks: Blocks, wish: Wish) -> Said:
    if wish.parallel is not None:
        return Said("requests at once, as asked", "同时处理的请求数，按要求")
    if not blocks.concurrency >= 1:
        return Said("not even one of full length fits", "连一个满长的请求也放不下")
    return said(
        "so many of full length fit into {blocks:,} blocks of {size} tokens; more would push each other out, and begin anew",
        "{blocks:,} 块（每块 {size} 个 token）能放下这么多个满长请求；再多就会互相挤出，重新开始",
        blocks=blocks.count,
        size=blocks.block,
    )


def _step_reason(blocks: Blocks) -> Said:
    return said(
        "tokens of one step: it takes about {size}, and the figures count with it",
        "一步计算的 token 数：约占 {size}，以上按它计算",
        size=shown(blocks.activation),
    )


def _share_reason(room: Room, share: float, blocks: Blocks) -> Said:
    left = room.size - blocks.budget
    used = (
        said(", of which others use {used} now", "（其中别的程序现在用了 {used}）", used=shown(room.used))
        if room.used
        else ""
    )
    return said(
        "vLLM takes this share of the card at once, whatever the model; {left} stay free for everything else{used}",
        "vLLM 启动时就占用显卡的这个比例，与模型无关；其余 {left} 留给别的程序{used}",
        left=shown(left),
        used=used,
    )


def _cache_reason(types: Types, wish: Wish) -> Said:
    if wish.types is not None:
        return Said("the cache's type, as asked", "缓存类型，按要求")
    if types == FP8:
        return Said(
            "8 bits a number instead of 16, with which too few would fit; answers change a little",
            "每个数 8 位；16 位能放下的太少。回答会略有变化",
        )
    return Said("as the weights': nothing is lost, and it fits", "与权重相同：没有损失，也放得下")


def _dtype_reason(dtype: str | None) -> Said:
    if dtype is None:
        return Said("as the model's files say", "按模型文件")
    if dtype == "bfloat16":
        return Said(
            "the model's own type is bfloat16; cards before Ampere have none: write float16 for those",
            "模型自己的类型是 bfloat16；Ampere 之前的显卡不支持，请写 float16",
        )
    return said("the model's own type is {dtype}", "模型自己的类型是 {dtype}", dtype=dtype)
