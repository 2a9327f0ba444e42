"""The files of the config's models that lie here: are they whole, what do they take, and who has them in memory already."""

from __future__ import annotations

import contextlib
from pathlib import Path

import msgspec
import psutil

from pointsman.app.doctor.facts import FileFacts, Holding
from pointsman.app.started import runs_here
from pointsman.config.paths import data_dir
from pointsman.config.schema import Backend, Config
from pointsman.domain.errors import Problem
from pointsman.fleet.file_hash import expected_hash, known_hash, memory_of
from pointsman.fleet.gguf import GgufError, read_gguf
from pointsman.fleet.gpu import NoGpu, driver_there, gpus
from pointsman.fleet.model_check import BadModel, check_model
from pointsman.fleet.model_network import read_model
from pointsman.fleet.same_file import holders
from pointsman.memory.estimate import Setup, estimate
from pointsman.memory.network import Unreadable
from pointsman.memory.tensors import GGML, size_of

_UBATCH = 256  # of the embedded engine
_ENDINGS = (".gguf", ".safetensors")


def look_at_files(config: Config) -> tuple[FileFacts, ...]:
    """One for each model. Reads headers; computes no hash."""
    memory = memory_of(data_dir(config))
    cards = _of_cards()
    found: dict[str, FileFacts] = {}
    for model in config.models.values():
        for backend in model.backends:
            if lies_here(backend) and backend.model not in found:
                found[backend.model] = _look(backend, memory, cards)
    return tuple(found.values())


def lies_here(backend: Backend) -> bool:
    """Whether the config names a file of this machine."""
    return runs_here(backend) or backend.model.endswith(_ENDINGS)


def _look(backend: Backend, memory: Path, cards: dict[int, int]) -> FileFacts:
    try:
        checked = check_model(backend.model)
    except BadModel as error:
        return FileFacts(backend.model, problem=error.said)
    path = checked.files[0]
    here = FileFacts(
        backend.model,
        quant=kept_as(path),
        expected=backend.sha256.removeprefix("sha256:") if backend.sha256 else expected_hash(path),
        sha256=known_hash(path, memory),
        weights=checked.size,
        holders=tuple(_holding(each.pid, each.name, cards) for each in holders(path)),
    )
    return _sized(here, backend)


def _sized(here: FileFacts, backend: Backend) -> FileFacts:
    """With what it takes as it is configured, where its file tells."""
    try:
        network = read_model(backend.model).network
        slots = backend.slots or (2 if backend.engine == "embedded" else 1)
        each = backend.context or min(4096, network.trained_context or 4096)
        on_gpu = driver_there() and backend.gpu_layers != 0
        setup = Setup(each * slots, slots, ubatch=_UBATCH, gpu_layers=backend.gpu_layers)
        share = estimate(network, setup, gpu=on_gpu).main
    except (Problem, Unreadable):
        return here
    return msgspec.structs.replace(
        here,
        weights=network.weights.total,
        needs=share.used,
        cache=share.kv_bytes,
        slots=slots,
        context=each,
        on_gpu=on_gpu,
    )


def kept_as(path: Path) -> str | None:
    """The type of most of a GGUF file's weights: `q4_K`."""
    try:
        metadata = read_gguf(path)
    except (GgufError, OSError):
        return None
    held: dict[int, int] = {}
    for tensor in metadata.table:
        held[tensor.type] = held.get(tensor.type, 0) + size_of(tensor)
    most = max(held, key=lambda kind: held[kind], default=-1)
    return GGML[most][0] if most in GGML else None


def _holding(pid: int, name: str, cards: dict[int, int]) -> Holding:
    resident = 0
    with contextlib.suppress(psutil.Error):
        resident = psutil.Process(pid).memory_info().rss
    return Holding(pid, name, resident, cards.get(pid))


def _of_cards() -> dict[int, int]:
    """Process → bytes of cards, as the driver says."""
    if not driver_there():
        return {}
    try:
        with gpus() as found:
            return found.processes()
    except NoGpu:
        return {}
