"""Which flags an engine should be started with, so that a model fits: the arithmetic of `fit`, the other way round.

What was not asked for is chosen in this order: a plain cache before a small one, several sequences before one, and of
what is left the longest context. Only where nothing fits go layers to the CPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from pointsman.domain.said import Said, said
from pointsman.memory.estimate import Estimate, Setup, estimate, offloadable
from pointsman.memory.network import Network, Unreadable
from pointsman.memory.offload import slower
from pointsman.memory.rows import F16, Types
from pointsman.memory.sizes import shown
from pointsman.memory.verdict import Room, judge, longest_ctx

LONGEST = 32_768  # tokens of a sequence that are chosen at most: more is rarely sent, and memory is taken at the start
USEFUL = 4096  # and at least
Q8 = Types("q8_0", "q8_0")
_ORDER = ((F16, 4), (F16, 2), (Q8, 4), (Q8, 2), (F16, 1), (Q8, 1))


class Flag(msgspec.Struct, frozen=True):
    """One flag, or one variable of the environment; `value` None: it takes none."""

    name: str
    value: str | None
    reason: Said


class Launch(msgspec.Struct, frozen=True):
    """How to start an engine. `takes`: bytes of the device with these flags, `spare` what is left of it (below 0: what is
    missing; then it does not fit, and the flags are the closest)."""

    engine: Literal["llamacpp", "vllm", "ollama"]
    flags: tuple[Flag, ...]
    parallel: int
    tokens: int
    takes: int
    spare: int

    @property
    def fits(self) -> bool:
        return self.spare >= 0


class Wish(msgspec.Struct, frozen=True):
    """What a person settled; None leaves it to the arithmetic. `tokens` are of one sequence."""

    parallel: int | None = None
    tokens: int | None = None
    types: Types | None = None


class Chosen(msgspec.Struct, frozen=True):
    """A setup of llama.cpp, what it takes, and whether a plain cache would have been too large."""

    setup: Setup
    found: Estimate
    spare: int
    squeezed: bool = False

    @property
    def tokens(self) -> int:
        """Of one sequence."""
        return self.setup.ctx // self.setup.parallel


def choose(network: Network, room: Room, wish: Wish) -> Chosen:
    """The best setup that fits; where none does, the smallest with as many layers on the GPU as go there. Raises Unreadable
    for a wish that an engine would refuse."""
    most = min(network.trained_context or LONGEST, LONGEST)
    least = min(most, USEFUL)
    for types, parallel in _order(wish):
        setup = Setup(parallel * (wish.tokens or least), parallel, types=types)
        try:
            if not _fits(network, setup, room):
                continue
        except Unreadable:
            if wish.types is not None:
                raise
            continue  # heads that such a cache does not hold
        if wish.tokens is None:
            longest = longest_ctx(network, setup, lambda changed: _fits(network, changed, room)) or setup.ctx
            each = max(min(longest // parallel, most), least)
            setup = msgspec.structs.replace(setup, ctx=each * parallel)
        found = _estimate(network, setup, room)
        return Chosen(setup, found, room.size - found.main.total, types != F16 and wish.types is None)
    return _part_of_it(network, room, wish, least)


def _order(wish: Wish) -> Sequence[tuple[Types, int]]:
    pairs = [(wish.types or types, wish.parallel or parallel) for types, parallel in _ORDER]
    return list(dict.fromkeys(pairs))


def _part_of_it(network: Network, room: Room, wish: Wish, least: int) -> Chosen:
    parallel = wish.parallel or 1
    setup = Setup(parallel * (wish.tokens or least), parallel, types=wish.types or F16)
    found, verdict = judge(network, setup, room)
    for change in verdict.changes:
        if change.what == "gpu_layers":
            setup = change.setup
            found = _estimate(network, setup, room)
    return Chosen(setup, found, room.size - found.main.total)


def _estimate(network: Network, setup: Setup, room: Room) -> Estimate:
    return estimate(network, setup, gpu=room.gpu, context=room.context, margin=room.margin)


def _fits(network: Network, setup: Setup, room: Room) -> bool:
    return _estimate(network, setup, room).main.total <= room.size


def llama_launch(network: Network, room: Room, wish: Wish, path: str, cores: int) -> Launch:
    """`llama-server`'s flags. Raises Unreadable."""
    chosen = choose(network, room, wish)
    setup = chosen.setup
    flags = [
        Flag("-m", path, Said("the file that was read for this", "以上数字就是从这个文件读出来的")),
        Flag("-c", str(setup.ctx), context_reason(network, chosen, wish)),
        Flag("-np", str(setup.parallel), _parallel_reason(chosen, wish)),
        Flag("-ctk", setup.types.k, cache_reason(chosen, wish)),
        Flag("-ctv", setup.types.v, Said("as the keys: the figures count with it", "与键相同：以上按它计算"))
        if setup.types.k == setup.types.v
        else Flag("-ctv", setup.types.v, Said("as asked", "按要求")),
        Flag(
            "-fa",
            "on",
            Said(
                "flash attention: the figures count with it, and a quantised V cache needs it",
                "flash attention：以上按开启计算；量化的 V 缓存也必须开启",
            ),
        ),
        Flag("-ngl", *_layers(network, chosen, room)),
    ]
    if not room.gpu or (setup.gpu_layers is not None and setup.gpu_layers < offloadable(network)):
        flags.append(
            Flag(
                "-t",
                str(max(1, cores - 1)),
                said(
                    "{cores} cores, less one: llama.cpp's threads spin while they wait, and with as many threads as cores "
                    "everything else stands still",
                    "共 {cores} 个核，留一个：llama.cpp 的线程等待时会空转，线程数等于核数时别的程序都动不了",
                    cores=cores,
                ),
            )
        )
    return Launch("llamacpp", tuple(flags), setup.parallel, chosen.tokens, chosen.found.main.total, chosen.spare)


def context_reason(network: Network, chosen: Chosen, wish: Wish) -> Said:
    """Why so long a context, and what it takes."""
    takes = shown(chosen.found.main.kv_bytes + (chosen.found.host.kv_bytes if chosen.found.host else 0))
    if wish.tokens is not None:
        why = Said("as asked", "按要求")
    elif chosen.tokens == network.trained_context:
        why = Said("all that the model was trained for", "模型训练时的最大长度")
    elif chosen.tokens >= LONGEST:
        why = said("ample for chats; more only takes memory", "对话足够；再长只是多占内存")
    else:
        why = Said("the longest that fits", "放得下的最长值")
    return said(
        "{parallel} × {tokens:,} tokens a sequence ({why}); its cache of {takes} is allocated at the start, whether or not "
        "anybody asks",
        "{parallel} 个序列，每个 {tokens:,} 个 token（{why}）；{takes} 的缓存在启动时一次分配，与请求多少无关",
        parallel=chosen.setup.parallel,
        tokens=chosen.tokens,
        why=why,
        takes=takes,
    )


def _parallel_reason(chosen: Chosen, wish: Wish) -> Said:
    if wish.parallel is not None:
        return Said("requests at once, as asked", "同时处理的请求数，按要求")
    if chosen.setup.parallel == 1:
        return Said("one request at a time: two do not fit", "一次一个请求：两个放不下")
    return Said(
        "requests at once; the gateway reads it from the engine, and lets nobody else in",
        "同时处理的请求数；网关会从引擎读到它，不会多放请求进来",
    )


def cache_reason(chosen: Chosen, wish: Wish) -> Said:
    """Why that type of cache."""
    if wish.types is not None:
        return Said("the cache's type, as asked", "缓存类型，按要求")
    if chosen.squeezed:
        return Said(
            "8 bits a number instead of 16, which would not fit; answers change a little",
            "每个数 8 位；16 位放不下。回答会略有变化",
        )
    return Said("16 bits a number: nothing is lost, and it fits", "每个数 16 位：没有损失，也放得下")


def _layers(network: Network, chosen: Chosen, room: Room) -> tuple[str, Said]:
    most, wanted = offloadable(network), chosen.setup.gpu_layers
    if not room.gpu:
        return "0", Said("no GPU was found", "没有找到显卡")
    if wanted is None or wanted >= most:
        return "all", said(
            "all {most} layers (the output matrix counts as one) are on the GPU",
            "全部 {most} 层（输出矩阵算一层）都放在显卡上",
            most=most,
        )
    return str(wanted), said(
        "{wanted} of {most} layers fit on the GPU; the CPU does the rest, and replies take at least {lost:.0%} longer "
        "than with all",
        "显卡放得下 {most} 层中的 {wanted} 层，其余由 CPU 计算，回答至少比全部上卡时慢 {lost:.0%}",
        wanted=wanted,
        most=most,
        lost=_longer(slower(network, wanted, room.bandwidths)),
    )


def _longer(lost: float) -> float:
    """A loss of speed as what is added to the time."""
    return lost / (1 - lost) if lost < 1 else 0.0


def ollama_launch(network: Network, room: Room, wish: Wish) -> Launch:
    """Variables of `ollama serve`; they hold for all of its models. Raises Unreadable."""
    if wish.types is not None and (wish.types.k != wish.types.v or wish.types.k not in ("f16", "q8_0", "q4_0")):
        raise Unreadable(
            said(
                "Ollama has one cache type for keys and values (valid: {valid})",
                "Ollama 的键和值共用一种缓存类型（合法取值：{valid}）",
                valid="f16, q8_0, q4_0",
            )
        )
    chosen = choose(network, room, wish)
    setup, takes = chosen.setup, chosen.found.main
    alike = max(1, (room.size - takes.margin) // max(1, takes.used))
    flags = (
        Flag("OLLAMA_CONTEXT_LENGTH", str(chosen.tokens), context_reason(network, chosen, wish)),
        Flag("OLLAMA_NUM_PARALLEL", str(setup.parallel), _parallel_reason(chosen, wish)),
        Flag("OLLAMA_KV_CACHE_TYPE", setup.types.k, cache_reason(chosen, wish)),
        Flag(
            "OLLAMA_FLASH_ATTENTION",
            "1",
            Said("without it Ollama ignores the cache's type", "不开启时 Ollama 会忽略缓存类型"),
        ),
        Flag(
            "OLLAMA_MAX_LOADED_MODELS",
            str(min(alike, 8)),
            said(
                "one such model takes {takes} of {size}: so many fit at once, and none has to be pushed out in haste",
                "一个这样的模型占 {size} 中的 {takes}：最多同时放这么多个，不会临时挤掉别的模型",
                takes=shown(takes.used),
                size=shown(room.size),
            ),
        ),
        Flag(
            "OLLAMA_GPU_OVERHEAD",
            str(takes.margin if room.gpu else 0),
            said(
                "bytes that stay free on the card: {margin}",
                "显卡上保留不用的字节：{margin}",
                margin=shown(takes.margin),
            )
            if room.gpu
            else Said("no GPU was found", "没有找到显卡"),
        ),
    )
    return Launch("ollama", flags, setup.parallel, chosen.tokens, takes.total, chosen.spare)
