"""All parts together, the verdict, and what would make it fit."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.networks import GEMMA_3_270M, LLAMA_31_8B, SMOLLM2_135M
from pointsman.memory import Network, Types, Unreadable, kv_bytes
from pointsman.memory.estimate import CONTEXT, MARGIN, Beside, Setup, draft_bytes, estimate, offloadable
from pointsman.memory.gguf_network import gguf_network
from pointsman.memory.hf_network import hf_network
from pointsman.memory.network import Weights
from pointsman.memory.offload import Bandwidths, slower, token_seconds
from pointsman.memory.sizes import MIB, parse_bytes, shown
from pointsman.memory.verdict import Room, judge

LLAMA = hf_network(LLAMA_31_8B)
SMALL = msgspec.structs.replace(
    gguf_network(SMOLLM2_135M, {}), weights=Weights((2 * MIB,) * 30, 28 * MIB, 0, MIB, tied=True)
)
GEMMA = msgspec.structs.replace(
    gguf_network(GEMMA_3_270M, {}), weights=Weights((3 * MIB,) * 18, 170 * MIB, 0, 0, tied=True)
)
GIB = 1 << 30


def test_the_sum_is_that_of_its_parts() -> None:
    setup = Setup(32_768)
    found = estimate(LLAMA, setup, Beside(100, 50), gpu=True)
    main = found.main
    assert main.kv_bytes == kv_bytes(LLAMA, 32_768) == 4 * GIB
    assert main.total == main.weights + main.kv_bytes + main.compute + 100 + 50 + CONTEXT + MARGIN
    assert main.used == main.total - MARGIN
    assert found.host and main.weights + found.host.weights == LLAMA.weights.total
    assert found.gpu_layers == offloadable(LLAMA) == 33


def test_tied_embeddings_are_there_twice() -> None:
    found = estimate(SMALL, Setup(4096), gpu=True)
    assert found.main.weights == (60 + 28 + 1) * MIB
    assert found.host and found.host.weights == 28 * MIB


def test_without_a_gpu_everything_is_in_one_place() -> None:
    found = estimate(SMALL, Setup(4096, gpu_layers=3), gpu=False)
    assert found.host is None and found.gpu_layers == 0
    assert found.main.weights == SMALL.weights.total and found.main.context == 0


@given(st.integers(0, 40), st.integers(1, 4), st.booleans())
def test_layers_are_on_one_side_or_the_other(layers: int, parallel: int, unified: bool) -> None:
    setup = Setup(8192, parallel, unified, gpu_layers=layers)
    found = estimate(GEMMA, setup, gpu=True)
    assert found.host
    assert found.main.kv_bytes + found.host.kv_bytes == kv_bytes(GEMMA, 8192, parallel, unified)
    twice = GEMMA.weights.input if layers else 0
    assert found.main.weights + found.host.weights == GEMMA.weights.total + twice
    more = estimate(GEMMA, msgspec.structs.replace(setup, gpu_layers=layers + 1), gpu=True)
    assert more.main.total >= found.main.total


def test_files_with_other_numbers_of_layers() -> None:
    ahead = msgspec.structs.replace(SMALL, weights=Weights((MIB,) * 31, 0, 0, 0))
    assert estimate(ahead, Setup(4096), gpu=True).main.weights == 31 * MIB
    lump = msgspec.structs.replace(SMALL, weights=Weights(other=90 * MIB))
    assert estimate(lump, Setup(4096), gpu=True).main.weights == 90 * MIB


def test_a_draft_model_has_its_own_cache_in_f16() -> None:
    plain = draft_bytes(SMALL, Setup(4096))
    assert plain == draft_bytes(SMALL, Setup(4096, types=Types("q8_0", "q8_0"), gpu_layers=3))
    assert plain > SMALL.weights.total + kv_bytes(SMALL, 4096)


def test_it_fits_by_how_much_and_how_far() -> None:
    found, verdict = judge(LLAMA, Setup(32_768), Room(24 * GIB, True))
    assert verdict.fits and verdict.spare == 24 * GIB - found.main.total and not verdict.changes
    assert verdict.largest_ctx and verdict.largest_ctx % 256 == 0
    room = Room(24 * GIB, True)
    assert judge(LLAMA, Setup(verdict.largest_ctx), room)[1].fits
    assert not judge(LLAMA, Setup(verdict.largest_ctx + 256), room)[1].fits
    assert judge(SMALL, Setup(4096), Room(900 * GIB, True))[1].largest_ctx == 8192  # what it was trained for


@given(
    st.integers(256, 60_000), st.integers(1, 6), st.booleans(), st.integers(200, 3000), st.sampled_from(["f32", "f16"])
)
def test_each_change_alone_makes_it_fit(ctx: int, parallel: int, unified: bool, mib: int, kind: str) -> None:
    for network in (SMALL, GEMMA):
        setup, room = Setup(ctx, parallel, unified, Types(kind, kind)), Room(mib * MIB, True, 10 * MIB, 0)
        found, verdict = judge(network, setup, room)
        assert verdict.fits == (found.main.total <= room.size) == (verdict.spare >= 0)
        for change in verdict.changes:
            again, then = judge(network, change.setup, room)
            assert then.fits and again.main.total == change.total
            differing = {
                name for name in Setup.__struct_fields__ if getattr(setup, name) != getattr(change.setup, name)
            }
            assert differing <= {"ctx": {"ctx"}, "parallel": {"parallel", "ctx"}, "kv_type": {"types"}}.get(
                change.what, {change.what}
            )
            assert (change.lost is not None) == (change.what == "gpu_layers")
        for change in verdict.changes:
            if change.what == "gpu_layers" and change.setup.gpu_layers is not None:
                one_more = msgspec.structs.replace(change.setup, gpu_layers=change.setup.gpu_layers + 1)
                assert not judge(network, one_more, room)[1].fits


def test_a_quantised_cache_is_only_advised_where_it_can_be() -> None:
    setup, room = Setup(8192, types=Types("f16", "f16")), Room(200 * MIB, True, 0, 0)
    assert "kv_type" in {change.what for change in judge(SMALL, setup, room)[1].changes}
    plain = msgspec.structs.replace(setup, flash=False)
    assert "kv_type" not in {change.what for change in judge(SMALL, plain, room)[1].changes}
    odd = Network(
        tuple(msgspec.structs.replace(layer, k_head=80, v_head=80, k=240, v=240) for layer in SMALL.layers),
        SMALL.weights,
        embedding=720,
        heads=9,
    )
    assert "kv_type" not in {change.what for change in judge(odd, setup, room)[1].changes}


def test_nothing_helps_where_the_device_is_too_small() -> None:
    verdict = judge(LLAMA, Setup(4096), Room(100 * MIB, False))[1]
    assert not verdict.fits and verdict.changes == () and verdict.largest_ctx is None


def test_layers_on_the_cpu_cost_speed() -> None:
    bandwidths = Bandwidths(gpu=100.0, cpu=10.0)
    network = Network(SMALL.layers[:4], Weights((100, 100, 100, 100), 7, 50, 0))
    assert [token_seconds(network, layers, bandwidths) for layers in (5, 4, 1, 0)] == [
        pytest.approx(4.5),
        pytest.approx(3.5 + 10),
        pytest.approx(0.5 + 40),
        pytest.approx(45),
    ]
    assert slower(network, 5, bandwidths) == 0 and slower(network, 4, bandwidths) == pytest.approx(1 - 4.5 / 13.5)
    assert slower(Network(SMALL.layers), 0) == 0.0  # nothing is known of the weights
    lost = [slower(LLAMA, layers) for layers in (32, 31, 30)]  # B 3.1: 30 to 50 % for a few layers
    assert 0.25 < lost[0] < 0.5 < lost[2]


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("24GiB", 24 * GIB),
        ("24 GB", 24 * GIB),
        ("512MiB", 512 * MIB),
        ("1.5g", 3 * GIB // 2),
        ("4096", 4096),
        ("2TiB", 2 << 40),
    ],
)
def test_sizes(text: str, size: int) -> None:
    assert parse_bytes(text) == size


@pytest.mark.parametrize("text", ["", "0", "-1GiB", "GiB", "24 GiBs", "1e9", "nan", "９GiB", "24,5GiB", "9" * 40])
def test_no_sizes(text: str) -> None:
    with pytest.raises(Unreadable, match="is no size"):
        parse_bytes(text)


def test_shown() -> None:
    assert shown(1536 * MIB + MIB // 2) == "1,536.5 MiB"
