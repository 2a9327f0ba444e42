"""What is looked at before a model is loaded: its file, its hash, who else has it in memory."""

from __future__ import annotations

import hashlib
import mmap
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from fleet.gguf_writer import LLAMA, TENSORS, gguf
from pointsman.fleet.builtin import find_builtin
from pointsman.fleet.file_hash import memory_of as hashes_of
from pointsman.fleet.file_promise import check_hash
from pointsman.fleet.launch import EmbeddedChild
from pointsman.fleet.load_faults import fault_of
from pointsman.fleet.measured_memory import keep_measured, last_measured, measured_in
from pointsman.fleet.model_memory import memory_of, what_fits
from pointsman.fleet.same_file import holders, note_of
from pointsman.fleet.settings import ModelSettings, Sizing
from pointsman.memory.verdict import Room
from pointsman.ports.model_driver import LoadFailure

GO_ON = threading.Event()
MIB = 1 << 20


def failure(settings: ModelSettings) -> LoadFailure:
    with pytest.raises(LoadFailure) as raised:
        EmbeddedChild(settings).prepare(GO_ON)
    return raised.value


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "small.gguf"
    path.write_bytes(gguf(LLAMA, TENSORS) + bytes(2048))
    return path


@pytest.mark.parametrize(
    ("name", "content", "fault", "words"),
    [
        ("picture.gguf", b"\x89PNG\r\n\x1a\n" + bytes(64), "damaged", "it is no GGUF file but a PNG picture"),
        ("empty.gguf", b"", "damaged", "it is no GGUF file but empty"),
        ("page.gguf", b"<!DOCTYPE html><title>404</title>", "damaged", "a web page"),
        ("lfs.gguf", b"version https://git-lfs.github.com/spec/v1\n", "damaged", "a pointer of Git LFS"),
        ("head.gguf", gguf(LLAMA, TENSORS)[:400], "damaged", "the file ends inside"),
        ("cut.gguf", gguf(LLAMA, TENSORS) + bytes(900), "damaged", "bytes are missing"),
        ("folder.gguf", None, "missing", "is a folder"),
    ],
)
def test_files_that_are_none(tmp_path: Path, name: str, content: bytes | None, fault: str, words: str) -> None:
    if content is None:
        (tmp_path / name).mkdir()
    else:
        (tmp_path / name).write_bytes(content)
    found = failure(ModelSettings(model=str(tmp_path / name), name="m"))
    assert found.fault == fault
    assert words in str(found.said)
    assert found.said.zh != str(found.said)


def test_a_cut_file_is_named_with_both_offsets(tmp_path: Path) -> None:
    whole = gguf(LLAMA, TENSORS)
    (tmp_path / "cut.gguf").write_bytes(whole + bytes(900))
    start = -(-len(whole) // 32) * 32
    said = str(failure(ModelSettings(model=str(tmp_path / "cut.gguf"), name="m")).said)
    assert f"ends at {len(whole) + 900:,} bytes" in said
    assert f"at {start + 1024:,}" in said


def test_the_hash_is_checked_and_remembered(tmp_path: Path, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = "sha256:" + hashlib.sha256(model.read_bytes()).hexdigest()
    memory = hashes_of(tmp_path)
    good = ModelSettings(model=str(model), name="m", sha256=right, hashes=memory)
    EmbeddedChild(good).prepare(GO_ON)
    assert memory.exists()
    wrong = "sha256:" + "0" * 64
    found = failure(ModelSettings(model=str(model), name="m", sha256=wrong, hashes=memory))
    assert found.fault == "damaged"
    assert right in str(found.said)
    assert wrong in str(found.said)
    model.write_bytes(gguf(LLAMA, TENSORS) + bytes(2049))
    assert failure(good).fault == "damaged"  # the file is another one: nothing remembered counts


def test_the_file_beside_it_says_what_it_should_be(model: Path) -> None:
    check_hash(model, None, None, GO_ON)  # nobody says anything
    model.with_name("small.gguf.sha256").write_text(f"{'0' * 64}  small.gguf\n")
    with pytest.raises(LoadFailure, match="is not the file that was meant"):
        check_hash(model, None, None, GO_ON)


def test_a_hash_that_nobody_waits_for_ends(model: Path) -> None:
    given_up = threading.Event()
    given_up.set()
    with pytest.raises(LoadFailure, match="called off"):
        check_hash(model, "sha256:" + "0" * 64, None, given_up)
    with pytest.raises(LoadFailure, match="cannot be read"):
        check_hash(model.with_name("none"), "sha256:" + "0" * 64, None, GO_ON)


@pytest.mark.skipif(sys.platform != "linux", reason="maps are Linux's")
def test_who_has_the_file_in_memory(model: Path) -> None:
    assert holders(model) == []
    with model.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ):
        assert holders(model) == []  # this very process is not another one
    holds = (
        "import mmap, sys; file = open(sys.stdin.readline().strip(), 'rb');"
        "kept = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ); print(flush=True); sys.stdin.read()"
    )
    other = subprocess.Popen([sys.executable, "-c", holds], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert other.stdin
    assert other.stdout
    try:
        other.stdin.write(f"{model}\n".encode())
        other.stdin.flush()
        other.stdout.readline()
        held = holders(model)
        assert [each.pid for each in held] == [other.pid]
        note = note_of(model, held)
        assert note is not None
        assert f"(pid {other.pid}) already: this is a second instance" in note
        notes = EmbeddedChild(ModelSettings(model=str(model), name="m")).prepare(GO_ON).notes
        assert [str(each) for each in notes] == [str(note)]
    finally:
        other.stdin.close()
        other.wait()
        other.stdout.close()
    assert holders(model) == []


def test_what_a_model_will_take(tmp_path: Path) -> None:
    sizing = Sizing("builtin:smollm2-135m", 2048, 2)
    weights = find_builtin("builtin:smollm2-135m").stat().st_size
    small = memory_of(sizing, gpu=False)
    large = memory_of(Sizing("builtin:smollm2-135m", 8192, 4), gpu=False)
    assert small is not None
    assert large is not None
    assert weights < small < large < weights + 1500 * MIB
    assert memory_of(Sizing(str(tmp_path / "none.gguf"))) is None
    assert memory_of(Sizing("Qwen/Qwen3-8B")) is None


def test_what_would_fit_is_said() -> None:
    sizing = Sizing("builtin:smollm2-135m", 8192, 4)
    said = what_fits(sizing, Room(900 * MIB, gpu=False))
    assert said is not None
    assert "it would fit with context " in said
    assert "or slots " in said
    assert "改成以下任一项就装得下" in said.zh
    tiny = what_fits(sizing, Room(50 * MIB, gpu=False))
    assert tiny is not None
    assert "no shorter context makes it fit" in tiny
    roomy = what_fits(sizing, Room(1 << 40, gpu=False))
    assert roomy is not None
    assert "by the estimate it fits" in roomy
    assert what_fits(Sizing("Qwen/Qwen3-8B")) is None


@pytest.mark.parametrize(
    "line",
    [
        "0.00.05 E ggml_backend_cpu_buffer_type_alloc_buffer: failed to allocate buffer of size 9663676416",
        "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 8192.00 MiB on device 0: cudaMalloc failed: out of memory",
        "ggml_vulkan: Device memory allocation of size 1073741824 failed. vk::Device::allocateMemory: "
        "ErrorOutOfDeviceMemory",
        "alloc_tensor_range: failed to allocate CUDA0 buffer of size 4697620480",
        "CUDA error: out of memory",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
        "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization`.",
        "ValueError: Free memory on device (3.1/23.6 GiB) on startup is less than desired GPU memory utilization (0.9)",
        "ValueError: To serve at least one request with max seq len (32768), 4.0 GiB KV cache is needed, which "
        "is larger than "
        "the available KV cache memory (1.2 GiB).",
        "model requires more system memory (7.5 GiB) than is available (5.2 GiB)",
        "llama runner process has terminated: signal: killed",
        "terminate called after throwing an instance of 'std::bad_alloc'",
        "OSError: [Errno 12] Cannot allocate memory",
        "MemoryError",
    ],
)
def test_words_of_memory(line: str) -> None:
    found = fault_of(1, ["loading", line])
    assert found is not None
    assert found.kind == "memory"


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        (1, ["error: unknown argument: --ctxx"]),
        (134, ["GGML_ASSERT(n_tokens > 0) failed"]),
        (-6, []),
        (0, []),
        (1, ["warning: failed to mlock 1234-byte buffer: Cannot allocate memory"]),
        (1, ["model has unused memory: 12 MiB"]),
    ],
)
def test_words_and_exits_that_are_no_sign_of_it(code: int, lines: list[str]) -> None:
    assert fault_of(code, lines) is None


@pytest.mark.parametrize("code", [-9, 137])
def test_exits_that_are(code: int) -> None:
    found = fault_of(code, [])
    assert found is not None
    assert (found.kind, found.line) == ("memory", None)


def test_ports() -> None:
    for line in (
        "E start: couldn't bind HTTP server socket, hostname: 127.0.0.1, port: 8080",
        "Error: listen tcp 127.0.0.1:11434: bind: address already in use",
        "docker: Bind for 0.0.0.0:8000 failed: port is already allocated.",
    ):
        found = fault_of(1, [line])
        assert found is not None
        assert found.kind == "port"


def test_what_a_model_took_is_kept(tmp_path: Path) -> None:
    path = measured_in(tmp_path)
    assert last_measured(path, "a") is None
    keep_measured(path, "a", 5)
    keep_measured(path, "b", 6)
    keep_measured(path, "a", 7)
    assert (last_measured(path, "a"), last_measured(path, "b")) == (7, 6)
    assert [file.name for file in path.parent.iterdir()] == ["memory.json"]
    path.write_text("no JSON")
    assert last_measured(path, "a") is None
    keep_measured(path, "a", 8)
    assert last_measured(path, "a") == 8
    blocked = tmp_path / "file"
    blocked.write_text("")
    keep_measured(measured_in(blocked), "a", 1)
    assert last_measured(measured_in(blocked), "a") is None
