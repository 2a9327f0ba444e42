"""A model's weights, counted from the numbers of its config.json: for want of the files. Biases, norms and routers are
left out: together they are under 1 %."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from pointsman.memory.network import Layer, Weights

_BYTES = {"float32": 4.0, "float16": 2.0, "bfloat16": 2.0}
_SCALES = 0.16  # bits of a weight that scales and zeros of groups of 128 take
_USUAL = 2.0


class Told(Protocol):
    """A config that answers by the names of its keys."""

    count: int
    heads: int
    embedding: int
    kind: str

    @property
    def head_size(self) -> int: ...

    @property
    def kv_heads(self) -> int: ...

    @property
    def latent(self) -> tuple[int, int]: ...

    def number(self, *names: str) -> int: ...

    def setting(self, name: str) -> Any: ...


def counted_weights(told: Told, layers: Sequence[Layer]) -> Weights:
    """Bytes by the type of numbers, and by the bits of `quantization_config`, which leaves the embeddings alone."""
    plain = _BYTES.get(str(told.setting("torch_dtype") or told.setting("dtype")), _USUAL)
    each = _bits(told.setting("quantization_config")) / 8 or plain
    table = told.number("vocab_size") * told.embedding
    tied = told.setting("tie_word_embeddings") is not False  # configs leave out what is true by default
    per = tuple(int((_attention(told) + _inner(told, at)) * each) for at, _ in enumerate(layers))
    output = 0 if tied else int(table * plain)
    return Weights(per, int(table * plain), output, 0, tied=tied, source="config")


def _bits(quantized: Any) -> float:
    """Bits of a weight; 0 where nothing is quantised, or nobody knows how."""
    if not isinstance(quantized, Mapping):
        return 0.0
    bits = quantized.get("bits", quantized.get("w_bit"))
    if isinstance(bits, int) and not isinstance(bits, bool) and 0 < bits <= 16:
        return bits + _SCALES
    if quantized.get("load_in_4bit") is True:
        return 4 + _SCALES
    return 8.0 if quantized.get("quant_method") in ("fp8", "fbgemm_fp8") or quantized.get("load_in_8bit") else 0.0


def _attention(told: Told) -> int:
    compressed, rotated = told.latent
    if compressed:
        plain, value = told.number("qk_nope_head_dim"), told.number("v_head_dim")
        rank = told.number("q_lora_rank")
        query = (
            told.embedding * rank + rank * told.heads * (plain + rotated)
            if rank
            else told.embedding * told.heads * (plain + rotated)
        )
        keys = told.embedding * (compressed + rotated) + compressed * told.heads * (plain + value)
        return query + keys + told.heads * value * told.embedding
    return told.embedding * told.head_size * (2 * told.heads + 2 * told.kv_heads)


def _inner(told: Told, at: int) -> int:
    dense = told.number("intermediate_size", "n_inner", "ffn_dim") or 4 * told.embedding
    experts = told.number("num_local_experts", "n_routed_experts", "num_experts")
    if not experts or at < told.number("first_k_dense_replace"):
        return 3 * told.embedding * dense
    each = told.number("moe_intermediate_size") or dense
    shared = told.number("n_shared_experts") * each + told.number("shared_expert_intermediate_size")
    return 3 * told.embedding * (experts * each + shared)
