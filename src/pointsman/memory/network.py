"""A network, as far as its memory depends on it."""

from __future__ import annotations

import msgspec

from pointsman.domain.said import Said, said
from pointsman.domain.target import ModelFacts

MOST = 1 << 62  # no count or size of a network is above it; a product of several may be: Python's numbers hold that


class Unreadable(ValueError):
    """A network, or a wish of how to run it, that cannot be. `args[0]` says why, in both languages."""

    def __init__(self, message: Said) -> None:
        super().__init__(message)
        self.message = message


class Layer(msgspec.Struct, frozen=True, gc=False):
    """One layer's part in what is kept of each sequence.

    `k` and `v` are numbers kept per token (KV heads x head size; 0 where nothing is kept: `v` of MLA, all of a layer that
    uses another layer's cache). `k_head` and `v_head` are the sizes of one head. `window`: of a layer with a sliding
    window, how many tokens it sees, else None. `state`: 32-bit numbers kept per sequence, whatever its length (recurrent
    layers). `index`: numbers per token in a
    side cache of keys (indexers of sparse attention), in K's type."""

    k: int = 0
    v: int = 0
    k_head: int = 0
    v_head: int = 0
    window: int | None = None
    state: int = 0
    index: int = 0


class Weights(msgspec.Struct, frozen=True):
    """Bytes of a model's tensors. `layers[n]` are those of layer n, `input` the token embeddings (llama.cpp keeps them in
    main memory), `output` the output matrix and its norm, `other` what is of no layer. `tied`: there is no output matrix,
    the embeddings serve as one; on a GPU they are there once more. `source` says how it is known: "tensors" (from the
    files), "index" (the sum that an index of the files tells), "config" (counted from the config's numbers)."""

    layers: tuple[int, ...] = ()
    input: int = 0
    output: int = 0
    other: int = 0
    tied: bool = False
    source: str = "tensors"

    @property
    def total(self) -> int:
        """Bytes of all of them, as in the file."""
        return sum(self.layers) + self.input + self.output + self.other


class Network(msgspec.Struct, frozen=True):
    """What a model's file says. `feed_forward` is the widest inner layer that one token goes through (of a mixture: all
    experts that it takes together). `notes` are sentences about what is only bounded, not known."""

    layers: tuple[Layer, ...]
    weights: Weights = Weights()
    architecture: str = ""
    embedding: int = 0
    heads: int = 0
    feed_forward: int = 0
    vocabulary: int = 0
    trained_context: int | None = None
    notes: tuple[Said, ...] = ()


def uniform(facts: ModelFacts) -> Network | None:
    """The network of facts that know no more than sizes: all layers alike, each with its own KV of all tokens. An upper
    bound for models with sliding windows. None where the facts are silent."""
    if not (facts.layers and facts.kv_heads and facts.head_size):
        return None
    width = facts.kv_heads * facts.head_size
    layer = Layer(width, width, facts.head_size, facts.head_size)
    return Network(
        (layer,) * facts.layers,
        architecture=facts.architecture or "",
        embedding=facts.embedding_size or 0,
        heads=facts.heads or 0,
        trained_context=facts.trained_context,
    )


def positive(value: int, what: Said, *, least: int = 1) -> int:
    """The value, if it is one. Raises Unreadable."""
    if not least <= value <= MOST:
        raise Unreadable(
            said(
                "{what} is {value} (valid: {least} and more)",
                "{what}是 {value}（合法取值：不小于 {least}）",
                what=what,
                value=value,
                least=least,
            )
        )
    return value
