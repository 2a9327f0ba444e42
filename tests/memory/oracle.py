"""The cache counted the slow and obvious way: a cell at a time, a block of numbers at a time."""

from __future__ import annotations

from pointsman.memory import Layer

BLOCK_BYTES = {"q8_0": 34, "q5_1": 24, "q5_0": 22, "q4_1": 20, "q4_0": 18, "iq4_nl": 18}
NUMBER_BYTES = {"f32": 4, "f16": 2, "bf16": 2, "fp8": 1}


def row_bytes(kind: str, numbers: int) -> int:
    if kind in NUMBER_BYTES:
        return sum(NUMBER_BYTES[kind] for _ in range(numbers))
    return sum(BLOCK_BYTES[kind] for _ in range(numbers // 32))


def rounded(cells: int) -> int:
    while cells % 256:
        cells += 1
    return cells


def cells_of(ctx: int, n_seq: int, unified: bool, window: int | None, ubatch: int) -> int:
    """Cells of all streams."""
    each = rounded(ctx) if unified else rounded(rounded(ctx) // n_seq)
    if window is not None:
        sees = window * (n_seq if unified else 1) + min(ubatch, ctx)
        each = rounded(min(each, sees))
    return sum(each for _ in range(1 if unified else n_seq))


def cache_bytes(layers: tuple[Layer, ...], ctx: int, n_seq: int, unified: bool, k: str, v: str, ubatch: int) -> int:
    total = 0
    for layer in layers:
        cells = cells_of(ctx, n_seq, unified, layer.window, ubatch)
        total += cells * row_bytes(k, layer.k) + cells * row_bytes(v, layer.v)
        total += cells_of(ctx, n_seq, unified, None, ubatch) * row_bytes(k, layer.index)
        total += sum(4 * layer.state for _ in range(n_seq))
    return total
