"""The buffer in which llama.cpp computes: it is made when a model loads, for the largest step.

Measured with xllamacpp 2026.10 on SmolLM2 135M and Gemma 3 270M (tests/memory/recorded), `ubatch` tokens a step: with
flash attention 3 inner widths and 5 embeddings a token in f32, and a mask of one f16 a cell; within 2 % from 64 to 1024
tokens a step (8 % where seven sequences want a row each of a vocabulary of 262,144). Without it, all heads' scores in f32
besides: up to 25 % above what it takes."""

from __future__ import annotations

from pointsman.memory.cache import cells_per_stream
from pointsman.memory.network import Network
from pointsman.memory.rows import F16, Types

_F32, _MASK = 4, 2
_QUANTISED = ("q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl")


def compute_bytes(
    network: Network,
    ctx: int,
    n_seq: int = 1,
    unified: bool = False,
    types: Types = F16,
    *,
    ubatch: int,
    flash: bool = True,
    swa_full: bool = False,
    outputs: int | None = None,
) -> int:
    """Bytes of the compute buffer. `outputs`: rows of the vocabulary that one step may want (default: one a sequence, as
    in a server; embedding models and old engines want one a token). Raises Unreadable."""
    step = -(-min(ubatch, ctx) // n_seq) * n_seq  # of each sequence as many
    windows = {layer.window for layer in network.layers if layer.k}  # one cache, and one mask, for each
    kept = [None if swa_full else window for window in windows]
    in_a_row = [cells_per_stream(ctx, n_seq, unified, window=window, ubatch=ubatch) for window in kept]
    inner = _F32 * (3 * network.feed_forward + 5 * network.embedding)
    logits = _F32 * network.vocabulary * (n_seq if outputs is None else outputs)
    rotation = 0
    for kind, heads in (
        (types.k, {each.k_head for each in network.layers}),
        (types.v, {each.v_head for each in network.layers}),
    ):
        if kind in _QUANTISED:
            rotation += _F32 * max(heads, default=0) ** 2
    work = max(step * inner, logits) + rotation
    if flash:
        return work + step * _MASK * sum(in_a_row)
    scores = _F32 * step * network.heads * max(in_a_row, default=0)
    return work + scores + step * _F32 * sum(in_a_row)


def output_bytes(network: Network, n_seq: int) -> int:
    """Bytes of what a step gives back: a row of the vocabulary for each sequence, in main memory."""
    return _F32 * network.vocabulary * n_seq
