"""Facts are what is there: a log, files, engines, ports, a gateway; and a look that hangs stops no other."""

from __future__ import annotations

import http.server
import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from doctor.facts_for_checks import GIB
from fleet.test_model_check import whole_gguf
from pipeline.policies import CONFIG, FILES, ask, fleet, policy_of
from pointsman.app.doctor.facts import NotKnown
from pointsman.app.doctor.gather import gather
from pointsman.app.doctor.look.config import look_at_config
from pointsman.app.doctor.look.engine_logs import look_at_logs
from pointsman.app.doctor.look.engines import look_at_engines
from pointsman.app.doctor.look.files import look_at_files
from pointsman.app.doctor.look.gateway import look_at_gateway
from pointsman.app.doctor.look.log import look_at_log
from pointsman.app.doctor.look.machine import look_at_machine
from pointsman.app.doctor.look.store import look_at_store
from pointsman.config.load import load
from pointsman.domain.attempt import Attempt
from pointsman.domain.errors import Problem
from pointsman.domain.record import Record
from pointsman.domain.said import said
from pointsman.fleet.file_hash import hash_file, memory_of
from pointsman.pipeline.decide import decide
from pointsman.store.log_writer import LogWriter

FLEET = fleet(small=2048)
NOTHING_THERE = 9  # the discard port: nobody listens


def loaded(folder: Path, text: str) -> Any:
    path = folder / "pointsman.yaml"
    path.write_text(text + f"\nserver: {{data_dir: {folder / 'data'}}}\n", encoding="utf-8")
    return load(path, None, {})


def test_what_hangs_and_what_fails_stop_no_other() -> None:
    stays = threading.Event()

    def fails() -> int:
        raise Problem("store", said("no such store", "没有这个存储"))

    def breaks() -> int:
        return 1 // 0

    found = gather(
        {"hangs": (stays.wait, 0.05), "fails": (fails, 5.0), "breaks": (breaks, 5.0), "works": (lambda: 7, 5.0)}
    )
    stays.set()
    assert found["works"] == 7
    assert isinstance(found["hangs"], NotKnown) and "it hangs: no answer within 0.05 s" in found["hangs"].why
    assert "卡住了" in found["hangs"].why.zh
    assert found["fails"].why == "store: no such store" and found["fails"].why.zh == "store：没有这个存储"
    assert "ZeroDivisionError" in found["breaks"].why


def record(text: str, now: float, policy: Any, **changes: Any) -> Record:
    request = msgspec.structs.replace(ask(text), id=changes.pop("id"))
    return Record(request, now, "ok", decide(request, policy, FLEET), status=200, **changes)


@pytest.mark.parametrize("prompts", ["sealed", "off"])
def test_a_log(prompts: Any, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    policy = policy_of(tmp_path_factory.mktemp("policy"), CONFIG, FILES)
    writer = LogWriter(tmp_path, prompts, 1e9, linger=0.0)
    now = time.time()
    broken = Attempt("m@h", 0.0, 5.0, 500, "http", "CUDA out of memory")
    long = "explain " * 60
    for number in range(3):
        writer.put(record("vpn broken", now - 60, policy, id=f"r{number}"), policy.document, FLEET)
    failed = record(long, now - 30, policy, id="r1", target="m@h", attempts=(broken,))
    writer.put(failed, policy.document, FLEET)
    counted = record(long, now - 10, policy, id="r9", target="m@h", input_tokens=300)
    writer.put(counted, policy.document, FLEET)
    writer.put(record(long, now - 90_000, policy, id="old"), policy.document, FLEET)
    writer.close()
    found = look_at_log(tmp_path, 1, 30.0)
    assert (found.requests, found.asked, found.by_rules, found.whole) == (5, 5, 3, True)
    assert found.newest == now - 10 and [(each.id, each.times) for each in found.repeated] == [("r1", 2)]
    assert found.causes == {"m@h": {"out_of_memory" if prompts == "sealed" else "http": 1}}
    [(name, (ratio, many))] = found.ratios.items()
    assert counted.decision is not None and counted.decision.features is not None
    assert (name, many) == ("m@h", 1) and ratio == 300 / counted.decision.features.input_tokens
    assert not look_at_log(tmp_path, 1, -1.0).whole


def test_no_log_yet(tmp_path: Path) -> None:
    assert look_at_log(tmp_path, 7, 1.0).requests == 0


def test_a_config(tmp_path: Path) -> None:
    text = """
models:
  light:
    backends:
      - {engine: embedded, model: "builtin:smollm2-135m", load: {when: demand}}
      - {engine: vllm, model: m, base_url: "http://10.0.0.7:8000/v1", limits: {sequences: auto}}
      - {engine: ollama, model: "q:1b"}
fallback: {target: light}
"""
    found = look_at_config(loaded(tmp_path, text))
    assert found.problems == () and found.rules > 0 and found.cases > found.rules
    first, second, third = found.targets
    assert first.local and first.ours and first.on_demand and first.address is None
    assert (second.local, second.sequences, second.address) == (False, "auto", "http://10.0.0.7:8000/v1")
    assert third.local and third.address == "http://127.0.0.1:11434"
    assert {extra.name: extra.there for extra in found.extras}["local"]
    wrong = look_at_config(loaded(tmp_path, "models: {}\nrulez: 1"))
    assert any("rulez" in problem for problem in wrong.problems)


def test_files(tmp_path: Path) -> None:
    (tmp_path / "cut.gguf").write_bytes(whole_gguf()[:-1])
    path = tmp_path / "m.gguf"
    path.write_bytes(whole_gguf())
    hash_file(path, memory_of(tmp_path / "data"))
    backends = ", ".join(
        f"{{engine: embedded, model: '{model}'}}" for model in ("builtin:smollm2-135m", path, tmp_path / "cut.gguf")
    )
    config = loaded(tmp_path, f"models: {{light: {{backends: [{backends}]}}}}\nfallback: {{target: light}}").draft
    smol, whole, cut = look_at_files(config)
    assert smol.quant == "q4_1" and smol.slots == 2 and smol.context == 4096 and smol.cache == 180 << 20
    assert smol.needs is not None and smol.needs > smol.cache and not smol.sha256
    assert whole.sha256 and whole.problem is None and cut.problem is not None and "is missing" not in cut.problem


def test_a_machine(tmp_path: Path) -> None:
    folder = tmp_path / "not" / "yet"
    found = look_at_machine(folder, "127.0.0.1", 0)
    assert found.available > 0 and found.disk > found.disk_free > 0 and found.unwritable is None
    assert found.owner is None and found.owners == () and not folder.exists() and list(tmp_path.iterdir()) == []


def test_ports_that_somebody_has(server: tuple[str, dict[str, Any]], tmp_path: Path) -> None:
    port = int(server[0].rpartition(":")[2])
    found = look_at_machine(tmp_path, "127.0.0.1", port, (port, 0))
    assert found.owner is not None and "is in use by" in found.owner and len(found.owners) == 1


@pytest.fixture
def server() -> Iterator[tuple[str, dict[str, Any]]]:
    answers: dict[str, Any] = {}

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer = answers.get(self.path)
            if callable(answer):
                answer = answer(self.headers)
            status, body = answer if answer is not None else (404, {})
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_POST = do_GET

        def log_message(self, *words: Any) -> None:
            pass

    running = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{running.server_port}", answers
    running.shutdown()
    running.server_close()
    thread.join()


def test_a_gateway(server: tuple[str, dict[str, Any]]) -> None:
    base, answers = server

    def ready(headers: Any) -> tuple[int, Any]:
        words = "坏了" if headers["accept-language"] == "zh" else "broken"
        targets = [{"target": "m@h", "limit": {"sequences": 3}}, {"target": "n@h"}]
        return 503, {"ready": False, "policy": "p", "problems": [words], "targets": targets}

    answers["/ready"] = ready
    counts = {"loads": 4, "evictions": 3, "load_seconds": 1.5}

    def models(headers: Any) -> tuple[int, Any]:
        words = "坏了" if headers["accept-language"] == "zh" else "broken"
        managed = {"target": "m@h", "stage": "failed", "comes_and_goes": True, "problem": words, **counts}
        return 200, {"models": [managed, {"target": "n@h", "stage": "ready", "comes_and_goes": False}]}

    answers["/admin/models"] = models
    found = look_at_gateway(base, None)
    assert found.running and not found.ready and found.limits == {"m@h": 3, "n@h": None}
    assert [(problem, problem.zh) for problem in found.problems] == [("broken", "坏了")]
    assert found.models is not None
    [model] = found.models
    assert (model.target, model.loads, model.evictions) == ("m@h", 4, 3)
    assert model.problem is not None and model.problem.zh == "坏了"
    answers["/admin/models"] = (401, {})
    assert look_at_gateway(base, "key").models is None
    answers["/ready"] = (200, {"who": "somebody else"})
    assert not look_at_gateway(base, None).running
    assert not look_at_gateway(f"http://127.0.0.1:{NOTHING_THERE}", None).running


def test_engines(server: tuple[str, dict[str, Any]], tmp_path: Path) -> None:
    base, answers = server
    details = {"details": {"quantization_level": "Q4_K_M"}}
    answers["/api/version"] = (200, {"version": "0.40.0"})
    answers["/api/tags"] = (200, {"models": [{"name": "q:1b", **details}]})
    answers["/api/ps"] = (200, {"models": [{"name": "q:1b", "size": 2 * GIB, "size_vram": GIB}]})
    answers["/api/show"] = (200, {})
    text = f"""
models:
  light:
    backends:
      - {{engine: ollama, model: "q:1b", base_url: "{base}", name: here}}
      - {{engine: ollama, model: "none:1b", base_url: "{base}", name: there}}
      - {{engine: vllm, model: m, base_url: "http://127.0.0.1:{NOTHING_THERE}/v1", name: gone}}
      - {{engine: ollama, model: "q:1b", nodes: ["{base}", "http://127.0.0.1:{NOTHING_THERE}"], name: pool}}
      - {{engine: llamacpp, model: m, command: "llama-server --port {{port}}", name: ours}}
fallback: {{target: light}}
"""
    found = look_at_engines(loaded(tmp_path, text).draft)
    here, there, gone = (found[name] for name in ("q:1b@here", "none:1b@there", "m@gone"))
    assert here.state.health == "up" and here.quant == "Q4_K_M" and (here.loaded, here.on_gpu) == (2 * GIB, GIB)
    assert there.state.health == "down" and there.port_owner is not None and "is in use by" in there.port_owner
    assert gone.state.health == "down" and gone.port_owner is None
    pool = [engine.state.health for name, engine in found.items() if name.startswith("q:1b@pool (http://")]
    assert pool == ["up", "down"] and len(found) == 5


def test_engine_logs(tmp_path: Path) -> None:
    assert look_at_logs(tmp_path) == ()
    (tmp_path / "engines").mkdir()
    (tmp_path / "engines" / "quiet.log").write_text("load_model: all is well\n")
    words = "CUDA out of memory. Tried to allocate 2.00 GiB. … 3.50 GiB is reserved by PyTorch but unallocated."
    (tmp_path / "engines" / "vllm.log").write_text(f"first: address already in use\n{words}\nlast line\n")
    quiet, vllm = look_at_logs(tmp_path)
    assert quiet.kind is None
    assert (vllm.kind, vllm.tried, vllm.reserved) == ("memory", 2 * GIB, 7 * GIB // 2) and vllm.line is not None


def test_a_store(tmp_path: Path) -> None:
    config = loaded(tmp_path, "models: {}").draft
    assert look_at_store(config).problem is None and not (tmp_path / "data").exists()
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "jobs.sqlite").write_bytes(b"no database at all" * 100)
    assert isinstance(gather({"store": (lambda: look_at_store(config), 9.0)})["store"], NotKnown)
