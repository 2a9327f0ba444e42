"""Plans beside all plans there are."""

from __future__ import annotations

from itertools import combinations, product

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.memory import Layer, Network, Unreadable
from pointsman.memory import plan as plan_module
from pointsman.memory.estimate import Setup, estimate, offloadable
from pointsman.memory.network import Weights
from pointsman.memory.offload import token_seconds
from pointsman.memory.plan import Card, Wanted, plan
from pointsman.memory.sizes import MIB
from pointsman.memory.verdict import LARGEST


@st.composite
def networks(draw: st.DrawFn) -> Network:
    count = draw(st.integers(1, 4))
    layers = tuple(Layer(64, 64, 64, 64, draw(st.none() | st.just(100))) for _ in range(count))
    sizes = tuple(draw(st.integers(0, 40)) * MIB for _ in range(count))
    weights = Weights(sizes, draw(st.integers(0, 20)) * MIB, draw(st.integers(0, 20)) * MIB, 0, draw(st.booleans()))
    return Network(layers, weights, embedding=64, heads=1, feed_forward=100, vocabulary=500)


@st.composite
def wishes(draw: st.DrawFn) -> list[Wanted]:
    count = draw(st.integers(1, 3))
    return [
        Wanted(
            f"m{at}",
            draw(networks()),
            Setup(draw(st.sampled_from([256, 4096])), gpu_layers=draw(st.none() | st.integers(0, 6))),
            share=draw(st.sampled_from([0.2, 1.0, 3.0])),
            fixed=draw(st.none() | st.none() | st.just(30 * MIB)),
        )
        for at in range(count)
    ]


cards = st.builds(
    Card,
    st.integers(1, 300).map(lambda mib: mib * MIB),
    st.just(3 * MIB),
    st.just(5 * MIB),
    ram=st.none() | st.integers(1, 200).map(lambda mib: mib * MIB),
)


def on_card(model: Wanted, layers: int, card: Card) -> tuple[int, int]:
    if model.fixed is not None:
        return model.fixed, 0
    setup = msgspec.structs.replace(model.setup, gpu_layers=layers)
    found = estimate(model.network, setup, gpu=True, context=card.context, margin=0)
    assert found.host
    return found.main.total, found.host.total


def ways(model: Wanted) -> list[int]:
    most = offloadable(model.network)
    if model.setup.gpu_layers is not None:
        return [min(model.setup.gpu_layers, most)]
    return [most] if model.fixed is not None else list(range(most + 1))


@given(wishes(), cards)
def test_the_best_of_all(models: list[Wanted], card: Card) -> None:
    found = plan(models, card)
    possible = []
    for layers in product(*(ways(model) for model in models)):
        sizes = [on_card(model, each, card) for model, each in zip(models, layers, strict=True)]
        gpu, host = sum(size[0] for size in sizes), sum(size[1] for size in sizes)
        if gpu <= card.size - card.margin and (card.ram is None or host <= card.ram):
            times = [
                model.share * token_seconds(model.network, each) for model, each in zip(models, layers, strict=True)
            ]
            possible.append((sum(times), gpu))
    assert bool(found.placed) == bool(possible)
    if possible:
        best = min(possible)
        chosen = [placed.gpu_layers for placed in found.placed]
        time = sum(model.share * token_seconds(model.network, each) for model, each in zip(models, chosen, strict=True))
        assert time == pytest.approx(best[0])
        used = sum(on_card(model, each, card)[0] for model, each in zip(models, chosen, strict=True))
        assert used <= card.room and found.left == card.room - used


@given(wishes(), cards)
def test_sets_that_fit_whole(models: list[Wanted], card: Card) -> None:
    whole = {model.name: on_card(model, ways(model)[-1], card)[0] for model in models}
    fitting = [
        set(names)
        for count in range(1, len(models) + 1)
        for names in combinations(whole, count)
        if sum(whole[name] for name in names) <= card.room
    ]
    largest = [names for names in fitting if not any(names < other for other in fitting)]
    found = plan(models, card).together
    assert sorted(map(sorted, largest)) == sorted(sorted(each.names) for each in found)
    assert all(each.used + each.left == card.room for each in found)


@given(networks(), st.sampled_from([256, 4096]), st.integers(20, 400))
def test_what_is_left_holds_so_many_more_tokens(network: Network, ctx: int, mib: int) -> None:
    card = Card(mib * MIB, 3 * MIB, 5 * MIB)
    model = Wanted("one", network, Setup(ctx))
    found = plan([model], card)
    if not found.placed:
        return
    layers, more = found.placed[0].gpu_layers, found.more_tokens["one"]
    longer = msgspec.structs.replace(model, setup=Setup(ctx + more))
    assert on_card(longer, layers, card)[0] <= card.room
    assert more >= 0
    further = msgspec.structs.replace(model, setup=Setup(max(512, ctx + more + 256)))
    assert (
        not layers
        or found.placed[0].gpu.kv_bytes == 0
        or on_card(further, layers, card)[0] > card.room
        or ctx + more >= LARGEST - 256
    )


def test_many_choices_are_merged_to_the_mib_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = tuple((at * 7 + 3) * 40_000 for at in range(30))
    network = Network((Layer(64, 64, 64, 64),) * 30, Weights(sizes, 0, MIB, 0), embedding=64, heads=1)
    models = [Wanted(f"m{at}", network, Setup(1024 * (at + 1))) for at in range(4)]
    card = Card(200 * MIB, MIB, 0)
    exact = plan(models, card)
    monkeypatch.setattr(plan_module, "MOST_KEPT", 50)
    rough = plan(models, card)
    assert "to the MiB" in rough.method and "精确到 MiB" in rough.method.zh and "to the MiB" not in exact.method
    total = {
        name: sum(token_seconds(network, placed.gpu_layers) for placed in found.placed)
        for name, found in (("exact", exact), ("rough", rough))
    }
    assert total["exact"] <= total["rough"] * (1 + 1e-9) and total["rough"] < total["exact"] * 1.2
    assert sum(placed.gpu.total for placed in rough.placed) <= card.room


def test_what_cannot_be_planned() -> None:
    one = Wanted("a", Network((Layer(64, 64, 64, 64),)), Setup(256))
    with pytest.raises(Unreadable, match="same name"):
        plan([one, one], Card(1 << 30))
    with pytest.raises(Unreadable, match="0 models"):
        plan([], Card(1 << 30))
    with pytest.raises(Unreadable, match="13 models to plan for"):
        plan([msgspec.structs.replace(one, name=str(at)) for at in range(13)], Card(1 << 30))


def test_how_much_is_missing() -> None:
    whole = Wanted("a", Network((Layer(64, 64, 64, 64),)), Setup(256), fixed=100 * MIB)
    found = plan([whole], Card(60 * MIB, 0, 10 * MIB))
    assert not found.placed and not found.together and found.missing == 50 * MIB
