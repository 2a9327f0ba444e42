"""vLLM takes its share of the card whatever the model (`--gpu-memory-utilization`), and cuts what the weights leave into
blocks of tokens: one more request takes blocks, not bytes.

How its V1 engine does it: layers of one kind form groups of equal size; a block holds `block_size` tokens of one group's
layers; a layer with a window keeps the blocks that the window and one step of the prefill reach. The budget, the weights
and the blocks of a sequence are exact, what one step's activations take is not: a running engine's own /metrics
(`read_metrics`) outweigh this."""

from __future__ import annotations

import math
import re

import msgspec

from pointsman.domain.said import Said, said
from pointsman.memory.cache import token_bytes
from pointsman.memory.network import Layer, Network, Unreadable
from pointsman.memory.rows import Types

BLOCK = 16
UTILIZATION = 0.9  # its documented default
BATCHED = 2048
SEQUENCES = 256
_STATE = 4


class VllmSetup(msgspec.Struct, frozen=True):
    """`ctx` is of one sequence (`--max-model-len`), as vLLM counts. `batched`: tokens of one step; `sequences`: most at
    once (`--max-num-seqs`)."""

    ctx: int
    utilization: float = UTILIZATION
    types: Types = Types("bf16", "bf16")
    block: int = BLOCK
    batched: int = BATCHED
    sequences: int = SEQUENCES


class Blocks(msgspec.Struct, frozen=True):
    """What is there for sequences: bytes, blocks of `block` tokens, and how many sequences of full length they hold at
    once (`concurrency`, as vLLM prints it when it starts). `per_sequence`: blocks of one of full length."""

    budget: int
    weights: int
    activation: int
    kv: int
    block: int
    count: int
    per_sequence: int
    ctx: int

    @property
    def tokens(self) -> int:
        """Tokens of all sequences together, counted as vLLM does: at full length."""
        return math.floor(self.concurrency * self.ctx) if self.per_sequence else 0

    @property
    def concurrency(self) -> float:
        return self.count / self.per_sequence if self.per_sequence else 0.0


def vllm_blocks(network: Network, setup: VllmSetup, card: int, *, context: int) -> Blocks:
    """What vLLM makes of a card of `card` bytes of which the driver takes `context`. `count` is 0 where the weights leave
    nothing. Raises Unreadable for numbers that cannot be."""
    _check(setup)
    groups = _groups(network)
    page = max((len(group) * token_bytes(group[0], setup.types) for group in groups), default=0) * setup.block
    state = _STATE * max((layer.state for layer in network.layers), default=0)
    page = max(page, state * max((len(group) for group in groups), default=0) if state else 0)
    budget = int(card * setup.utilization)
    activation = setup.batched * 2 * (3 * network.feed_forward + 5 * network.embedding)
    activation += min(setup.batched, setup.sequences) * network.vocabulary * 4 * 2  # logits, and their sorted copy
    kv = max(0, budget - network.weights.total - activation - context)
    each = sum(_blocks_of(group[0], setup) for group in groups)
    return Blocks(
        budget, network.weights.total, activation, kv, setup.block, kv // page if page else 0, each, setup.ctx
    )


def _check(setup: VllmSetup) -> None:
    if not 0 < setup.utilization <= 1:
        raise Unreadable(
            said(
                "gpu_memory_utilization is {value} (valid: above 0, at most 1)",
                "gpu_memory_utilization 是 {value}（合法取值：大于 0，不超过 1）",
                value=setup.utilization,
            )
        )
    for name in ("ctx", "block", "batched", "sequences"):
        if getattr(setup, name) < 1:
            raise Unreadable(
                said(
                    "{name} is {value} (valid: 1 and more)",
                    "{name} 是 {value}（合法取值：不小于 1）",
                    name=name,
                    value=getattr(setup, name),
                )
            )


def _groups(network: Network) -> list[list[Layer]]:
    """Layers of one kind, cut into groups as large as the smallest kind; one group where all are alike."""
    kinds: dict[tuple[int | None, bool], list[Layer]] = {}
    for layer in network.layers:
        if layer.k or layer.state:
            kinds.setdefault((layer.window, layer.state > 0 and not layer.k), []).append(layer)
    if not kinds:
        return []
    size = min(len(layers) for layers in kinds.values())
    if max(len(layers) for layers in kinds.values()) < size * 1.25:
        size = max(len(layers) for layers in kinds.values())
    return [layers[at : at + size] for layers in kinds.values() for at in range(0, len(layers), size)]


def _blocks_of(layer: Layer, setup: VllmSetup) -> int:
    """Blocks of one sequence of full length in one group."""
    if not layer.k:
        return 1  # a state is one page
    if layer.window is None:
        return -(-setup.ctx // setup.block)
    kept = min(layer.window - 1 + setup.batched, setup.ctx)
    return -(-kept // setup.block) + 1


class Running(msgspec.Struct, frozen=True):
    """A running vLLM, as its /metrics tell: blocks, tokens of one, the share that is in use (0 to 1, None: not told)."""

    blocks: int
    block: int
    used: float | None = None
    utilization: float | None = None
    cache_type: str | None = None
    told_tokens: int | None = None

    @property
    def tokens(self) -> int:
        """Of all sequences together: as vLLM says, else by its blocks (short for models with windows)."""
        return self.told_tokens or self.blocks * self.block

    @property
    def free_tokens(self) -> int:
        """What is not in use; all, where that is not told."""
        return math.floor(self.tokens * (1 - (self.used or 0.0)))


_INFO = re.compile(r'^vllm:cache_config_info\{((?:[^"}]|"(?:[^"\\]|\\.)*")*)\}', re.MULTILINE)
_LABEL = re.compile(r'([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"')
_USED = re.compile(r"^vllm:(?:gpu_cache_usage_perc|kv_cache_usage_perc)(?:\{[^\n]*\})? +([0-9.eE+-]+)$", re.MULTILINE)


def read_metrics(text: str) -> Running:
    """Of the text of /metrics; engines of one server are alike, so the first counts, and the fullest for `used`. Raises
    Unreadable where it is no vLLM's, or the blocks are not told."""
    found = _INFO.search(text)
    if not found:
        raise Unreadable(Said("these metrics hold no vllm:cache_config_info", "这些指标里没有 vllm:cache_config_info"))
    labels = dict(_LABEL.findall(found[1]))
    blocks, block = (_whole(labels.get(name)) for name in ("num_gpu_blocks", "block_size"))
    if not blocks or not block:
        raise Unreadable(
            said(
                "vllm:cache_config_info does not tell its blocks (num_gpu_blocks={blocks}, block_size={block})",
                "vllm:cache_config_info 没有给出块数（num_gpu_blocks={blocks}，block_size={block}）",
                blocks=labels.get("num_gpu_blocks"),
                block=labels.get("block_size"),
            )
        )
    used = [share for each in _USED.findall(text) if (share := _share(each)) is not None]
    return Running(
        blocks,
        block,
        max(used, default=None),
        _share(labels.get("gpu_memory_utilization", "")),
        labels.get("cache_dtype"),
        _whole(labels.get("kv_cache_size_tokens")),
    )


def _whole(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 16 else None


def _share(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value <= 1 else None
