"""KV bytes: the figures of well-known models, an oracle, and what cannot be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.networks import CONFIGS, GGUF
from memory.oracle import cache_bytes, cells_of
from pointsman.domain.target import ModelFacts
from pointsman.memory import (
    Layer,
    Network,
    Types,
    Unreadable,
    cells,
    kv_bytes,
    kv_tokens_available,
    tokens_per_sequence,
    uniform,
)
from pointsman.memory.gguf_network import gguf_network
from pointsman.memory.hf_network import hf_network
from pointsman.memory.rows import LLAMA_TYPES

MIB = 1 << 20


@pytest.mark.parametrize("name", CONFIGS)
def test_known_figures_by_config_and_by_gguf(name: str) -> None:
    config, mib = CONFIGS[name]
    assert kv_bytes(hf_network(config), 32_768) == mib * MIB
    assert kv_bytes(gguf_network(GGUF[name], {}), 32_768) == mib * MIB


def test_facts_alone_are_an_upper_bound() -> None:
    facts = ModelFacts(layers=32, heads=32, kv_heads=8, head_size=128, embedding_size=4096)
    network = uniform(facts)
    assert network is not None and kv_bytes(network, 32_768) == 4096 * MIB
    assert uniform(ModelFacts(layers=32)) is None


heads = st.sampled_from([32, 64, 96, 128, 256])


@st.composite
def layers(draw: st.DrawFn) -> Layer:
    if draw(st.booleans()) and draw(st.booleans()):
        return Layer(state=draw(st.integers(0, 3000)))
    count, k, v = draw(st.integers(1, 8)), draw(heads), draw(st.sampled_from([0, 32, 64, 128]))
    window = draw(st.none() | st.integers(1, 5000))
    return Layer(count * k, count * v, k, v, window, draw(st.integers(0, 9)), draw(st.sampled_from([0, 0, 128])))


setups = st.tuples(st.integers(1, 20_000), st.integers(1, 9), st.booleans())


@given(
    st.lists(layers(), min_size=1, max_size=6).map(tuple),
    setups,
    st.sampled_from(LLAMA_TYPES),
    st.sampled_from(LLAMA_TYPES),
    st.integers(1, 2048),
)
def test_as_counted_cell_by_cell(
    listed: tuple[Layer, ...], setup: tuple[int, int, bool], k: str, v: str, ubatch: int
) -> None:
    ctx, n_seq, unified = setup
    found = kv_bytes(Network(listed), ctx, n_seq, unified, Types(k, v), ubatch=ubatch)
    assert found == cache_bytes(listed, ctx, n_seq, unified, k, v, ubatch)
    full = kv_bytes(Network(listed), ctx, n_seq, unified, Types(k, v), ubatch=ubatch, swa_full=True)
    assert full >= found


@given(setups, st.none() | st.integers(1, 5000), st.integers(1, 2048))
def test_cells(setup: tuple[int, int, bool], window: int | None, ubatch: int) -> None:
    ctx, n_seq, unified = setup
    assert cells(ctx, n_seq, unified, window=window, ubatch=ubatch) == cells_of(ctx, n_seq, unified, window, ubatch)
    each = tokens_per_sequence(ctx, n_seq, unified)
    assert each % 256 == 0 and (each >= ctx if unified else each * n_seq >= ctx)


@given(setups, st.integers(1, 3000))
def test_more_tokens_never_take_less(setup: tuple[int, int, bool], more: int) -> None:
    ctx, n_seq, unified = setup
    network = Network((Layer(64, 64, 64, 64), Layer(64, 64, 64, 64, window=300), Layer(state=7)))
    assert kv_bytes(network, ctx + more, n_seq, unified) >= kv_bytes(network, ctx, n_seq, unified)


@given(setups, st.lists(st.integers(1, 5000), max_size=12))
def test_what_may_begin_has_cells(setup: tuple[int, int, bool], held: list[int]) -> None:
    """Beside sequences that were let in by it, the next has a cell for each of its tokens, and a sequence of its own."""
    ctx, n_seq, unified = setup
    running: list[int] = []
    for wish in held:
        free = kv_tokens_available(ctx, n_seq, unified, running)
        if wish <= free:
            running.append(wish)
        assert len(running) <= n_seq
        whole = tokens_per_sequence(ctx, n_seq, unified)
        assert sum(running) <= whole if unified else all(each <= whole for each in running)
    if len(running) == n_seq:
        assert kv_tokens_available(ctx, n_seq, unified, running) == 0


@pytest.mark.parametrize(
    ("wish", "en", "zh"),
    [
        ({"ctx": 0}, "ctx is 0 (valid: 1 and more)", "ctx 是 0"),
        ({"ctx": -5}, "ctx is -5", "ctx 是 -5"),
        ({"n_seq": 0}, "parallel is 0", "parallel 是 0"),
        ({"ubatch": 0}, "ubatch is 0", "ubatch 是 0"),
        ({"types": Types("q9", "f16")}, 'no KV cache type "q9" (valid: f32', "没有“q9”"),
        (
            {"types": Types("q4_0", "f16")},
            "K cannot be kept as q4_0: heads have 80 numbers, no multiple of 32",
            "K 不能存成",
        ),
        ({"types": Types("f16", "q8_0")}, "V cannot be kept as q8_0: heads have 80 numbers", "V 不能存成"),
    ],
)
def test_what_cannot_be(wish: dict[str, object], en: str, zh: str) -> None:
    asked: dict[str, object] = {"ctx": 4096, "n_seq": 1, "ubatch": 512, "types": Types(), **wish}
    network = Network((Layer(320, 320, 80, 80, window=512),))
    with pytest.raises(Unreadable) as caught:
        kv_bytes(network, asked["ctx"], asked["n_seq"], False, asked["types"], ubatch=asked["ubatch"])  # type: ignore[arg-type]
    assert en in caught.value.message and zh in caught.value.message.zh
