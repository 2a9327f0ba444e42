"""How many bytes a row of numbers takes in each type that a KV cache can have."""

from __future__ import annotations

import msgspec

from pointsman.domain.said import said
from pointsman.memory.network import Layer, Unreadable

BLOCKS = {
    "f32": (1, 4),
    "f16": (1, 2),
    "bf16": (1, 2),
    "fp8": (1, 1),
    "q8_0": (32, 34),
    "q5_1": (32, 24),
    "q5_0": (32, 22),
    "q4_1": (32, 20),
    "q4_0": (32, 18),
    "iq4_nl": (32, 18),
}
"""Type → (elements of a block, its bytes). fp8 is vLLM's, the rest are llama.cpp's."""

LLAMA_TYPES = tuple(name for name in BLOCKS if name != "fp8")
VLLM_TYPES = ("f16", "bf16", "f32", "fp8")


class Types(msgspec.Struct, frozen=True):
    """The types of the keys' and of the values' cache."""

    k: str = "f16"
    v: str = "f16"


F16 = Types()


def row(kind: str, elements: int) -> int:
    """Bytes of `elements` numbers, a multiple of the type's block. Raises Unreadable for a type that is none, and for
    what does not divide: an engine refuses it as well."""
    block, size = block_of(kind)
    if elements < 0 or elements % block:
        raise Unreadable(
            said(
                "a row of {elements} numbers cannot be kept as {kind}: it is no multiple of {block}",
                "一行 {elements} 个数不能存成 {kind}：不是 {block} 的倍数",
                elements=elements,
                kind=kind,
                block=block,
            )
        )
    return elements // block * size


def block_of(kind: str) -> tuple[int, int]:
    """Elements of a block of the type, and its bytes. Raises Unreadable for one that is not known."""
    if kind not in BLOCKS:
        raise Unreadable(
            said(
                'there is no KV cache type "{kind}" (valid: {valid})',
                "没有“{kind}”这种 KV 缓存类型（合法取值：{valid}）",
                kind=kind,
                valid=", ".join(BLOCKS),
            )
        )
    return BLOCKS[kind]


def check_types(layers: tuple[Layer, ...], types: Types) -> None:
    """llama.cpp wants each head, not only each row, to be a multiple of the block. Raises Unreadable."""
    for kind, side in ((types.k, "K"), (types.v, "V")):
        block, _ = block_of(kind)
        heads = sorted({layer.k_head if side == "K" else layer.v_head for layer in layers} - {0})
        if odd := [size for size in heads if size % block]:
            raise Unreadable(
                said(
                    "{side} cannot be kept as {kind}: heads have {size} numbers, no multiple of {block} (valid: {valid})",
                    "{side} 不能存成 {kind}：每个头有 {size} 个数，不是 {block} 的倍数（合法取值：{valid}）",
                    side=side,
                    kind=kind,
                    size=odd[0],
                    block=block,
                    valid=", ".join(name for name, (each, _) in BLOCKS.items() if not odd[0] % each and name != "fp8"),
                )
            )
