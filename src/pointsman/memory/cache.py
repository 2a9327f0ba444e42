"""The cells of a KV cache, and their bytes, as llama.cpp allocates them when it loads a model.

A cell holds one token's keys and values. `ctx` is llama.cpp's `--ctx-size`: tokens of all `n_seq` sequences together. A
unified cache lets any sequence take any cell; else each has its own, `ctx / n_seq` of them. Nothing more is allocated
when requests come."""

from __future__ import annotations

from collections.abc import Iterable

from pointsman.domain.said import Said
from pointsman.memory.network import Layer, Network, positive
from pointsman.memory.rows import F16, Types, check_types, row

PAD = 256  # llama.cpp rounds cells up to it
UBATCH = 512  # its default
_STATE = 4  # bytes of a number of a recurrent state

_CTX = Said("ctx", "ctx ")
_SEQUENCES = Said("parallel", "parallel ")
_UBATCH = Said("ubatch", "ubatch ")


def tokens_per_sequence(ctx: int, n_seq: int, unified: bool) -> int:
    """What one sequence may hold: all of a unified cache, else its share, rounded up to 256. Raises Unreadable for
    numbers below 1."""
    whole = _pad(positive(ctx, _CTX))
    positive(n_seq, _SEQUENCES)
    return whole if unified else _pad(whole // n_seq)


def cells(ctx: int, n_seq: int, unified: bool, *, window: int | None = None, ubatch: int = UBATCH) -> int:
    """Cells of one layer, of all sequences together. With a sliding `window` it keeps what the window and one step of
    the prefill (`ubatch` tokens, never more than `ctx`) reach, and no more. Raises Unreadable."""
    return cells_per_stream(ctx, n_seq, unified, window=window, ubatch=ubatch) * (1 if unified else n_seq)


def cells_per_stream(ctx: int, n_seq: int, unified: bool, *, window: int | None = None, ubatch: int = UBATCH) -> int:
    """Cells that stand in a row: all of a unified cache, else those of one sequence."""
    full = tokens_per_sequence(ctx, n_seq, unified)
    if window is None:
        return full
    step = min(positive(ubatch, _UBATCH), ctx)
    return _pad(min(full, window * (n_seq if unified else 1) + step))


def kv_bytes(
    network: Network,
    ctx: int,
    n_seq: int = 1,
    unified: bool = False,
    types: Types = F16,
    *,
    ubatch: int = UBATCH,
    swa_full: bool = False,
) -> int:
    """Bytes of all that is kept of sequences: KV cache, side caches, recurrent states. `swa_full` is llama.cpp's
    `--swa-full`: layers with a window keep all tokens too. Raises Unreadable for what an engine would refuse."""
    return sum(layer_bytes(network.layers, ctx, n_seq, unified, types, ubatch=ubatch, swa_full=swa_full))


def layer_bytes(
    layers: Iterable[Layer],
    ctx: int,
    n_seq: int = 1,
    unified: bool = False,
    types: Types = F16,
    *,
    ubatch: int = UBATCH,
    swa_full: bool = False,
) -> tuple[int, ...]:
    """`kv_bytes` of each layer: they go where their layer goes, to the GPU or not."""
    listed = tuple(layers)
    check_types(listed, types)
    known: dict[Layer, int] = {}
    for layer in listed:
        if layer not in known:
            window = None if swa_full else layer.window
            own = cells(ctx, n_seq, unified, window=window, ubatch=ubatch) * token_bytes(layer, types)
            side = cells(ctx, n_seq, unified) * row(types.k, layer.index)
            known[layer] = own + side + n_seq * _STATE * layer.state
    return tuple(known[layer] for layer in listed)


def token_bytes(layer: Layer, types: Types = F16) -> int:
    """Bytes of one cell of the layer, side caches apart."""
    return row(types.k, layer.k) + row(types.v, layer.v)


def kv_tokens_available(ctx: int, n_seq: int, unified: bool, held: Iterable[int] = ()) -> int:
    """How many tokens the longest sequence may have that can begin now, beside running ones that are promised `held`
    tokens each (prompt and reply): 0 where all sequences are taken or no cell is free. Raises Unreadable."""
    promised = list(held)
    each = tokens_per_sequence(ctx, n_seq, unified)
    if len(promised) >= n_seq:
        return 0
    return max(0, each - sum(promised)) if unified else each


def _pad(count: int) -> int:
    return -(-count // PAD) * PAD
