"""`pointsman calibrate memory`: stepped load on a server that only plays an engine, on recorded values of the driver, and,
in the slow suite, on real ones."""

from __future__ import annotations

import asyncio
import http.server
import itertools
import json
import os
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from cli.invoke import Shell
from fleet.test_gpu import Answers
from pointsman.cli import calibrate_memory
from pointsman.fleet import gpu as gpu_module
from pointsman.fleet.builtin import find_builtin
from pointsman.fleet.engine_steps import Loaded
from pointsman.fleet.process import ModelProcess
from pointsman.fleet.settings import ModelSettings

MIB = 1 << 20
PER_TOKEN = 100_000


STEPS = ("--tokens", "60,200", "--sequences", "1,3")
CROWDS = (0, 1, 1, 3, 3)  # how many requests each step sends at once; 0: the one to warm up, at which nobody looks


class Engine:
    """What it is asked, and how many tokens it holds. The requests of a step wait for each other, and then until somebody
    has looked at the card (`looked`, where somebody does). `refuses` answers all with that status."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.held = 0
        self.refuses: int | None = None
        self.looked: threading.Event | None = None
        self.base = ""
        self._lock = threading.Lock()
        self._crowds = itertools.cycle(CROWDS)
        self._gathering: list[threading.Event] = []
        self._crowd = 0

    def take(self, body: dict[str, Any], tokens: int) -> None:
        """Comes back once the whole step has been seen on the card."""
        with self._lock:
            self.bodies.append(body)
            self.held += tokens
            if not self._gathering:
                self._crowd = next(self._crowds)
            if not self._crowd:
                return
            complete = threading.Event() if not self._gathering else self._gathering[0]
            self._gathering.append(complete)
            if len(self._gathering) == self._crowd:
                self._gathering = []
                if self.looked is not None:
                    self.looked.clear()
                complete.set()
        assert complete.wait(30)
        if self.looked is not None:
            assert self.looked.wait(30)

    def seen(self) -> int:
        """Tokens held now, for somebody who looks at the card."""
        with self._lock:
            if self.looked is not None:
                self.looked.set()
            return self.held

    def give_back(self, tokens: int) -> None:
        with self._lock:
            self.held -= tokens


@pytest.fixture
def engine() -> Iterator[Engine]:
    state = Engine()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(200, {"data": [{"id": "played"}]} if self.path == "/v1/models" else {})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            tokens = len(body["messages"][0]["content"].split())
            if state.refuses is not None:
                self._answer(state.refuses, {"error": {"message": "too long"}})
                return
            state.take(body, tokens)
            state.give_back(tokens)
            self._answer(200, {"usage": {"prompt_tokens": tokens, "completion_tokens": 0}})

        def _answer(self, status: int, data: object) -> None:
            text = json.dumps(data).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *words: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    state.base = f"http://127.0.0.1:{server.server_port}"
    yield state
    server.shutdown()
    thread.join()
    server.server_close()


class Driver(Answers):
    """A card whose memory in use is 6,000 MiB, and what the engine's tokens take."""

    def __init__(self, engine: Engine, per_token: int) -> None:
        super().__init__()
        self._engine, self._per_token = engine, per_token
        engine.looked = threading.Event()

    def __getattr__(self, name: str) -> Any:
        if name == "nvmlDeviceGetMemoryInfo":
            return self._look
        return super().__getattr__(name)

    def _look(self, *_: Any) -> SimpleNamespace:
        used = 6000 * MIB + self._engine.seen() * self._per_token
        return SimpleNamespace(total=self.TOTAL, used=used)


def on(monkeypatch: pytest.MonkeyPatch, driver: Any) -> None:
    monkeypatch.setattr(gpu_module, "_installed", lambda: driver)


def test_an_engine_whose_requests_take_memory(shell: Shell, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, Driver(engine, PER_TOKEN))
    done = shell.run("calibrate", "memory", "--url", f"{engine.base}/v1", *STEPS, "--json")
    assert done.code == 0
    found = done.json
    assert found["source"] == "gpu"
    assert [(point["sequences"], point["tokens"]) for point in found["points"]] == [
        (0, 0),
        (1, 21),
        (1, 161),
        (3, 21),
        (3, 161),
    ]
    assert found["line"]["slope"] == pytest.approx(PER_TOKEN, rel=1e-6) and not found["line"]["flat"]
    assert found["line"]["intercept"] == pytest.approx(6000 * MIB, rel=1e-6)
    prompts = [body["messages"][0]["content"] for body in engine.bodies]
    assert len({prompt.split()[0] for prompt in prompts}) == len(prompts) == 9  # none begins as another does
    assert {body["model"] for body in engine.bodies} == {"played"} and not any(body["stream"] for body in engine.bodies)


def test_an_engine_that_took_all_at_the_start(shell: Shell, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, Driver(engine, 0))
    done = shell.run("calibrate", "memory", "--url", engine.base, *STEPS, "--language", "en")
    assert done.code == 0 and "a request takes cells of what was allocated at the start" in done.out
    assert "memory = 6,000.0 MiB + 0 B" in done.out
    zh = shell.run("calibrate", "memory", "--url", engine.base, *STEPS, "--language", "zh", "--name", "other")
    assert "斜率与 0 无法区分" in zh.out and engine.bodies[-1]["model"] == "other"


CASES = "counter_examples: [other], boundary: [{text: others, takes: false}]"
RULES = f"""\
rules:
- {{id: small, when: {{any: [small]}}, route: {{tier: light}}, gpu_memory: 5, examples: [small], {CASES}}}
- {{id: large, when: {{any: [large]}}, route: {{tier: light}}, gpu_memory: 16, examples: [large], {CASES}}}
- {{id: silent, when: {{any: [silent]}}, route: {{tier: light}}, examples: [silent], {CASES}}}
"""
CONFIG = """\
models: {light: {backends: [{engine: ollama, model: "m:1b"}]}}
fallback: {target: light}
rules: {packs: [], files: [rules.yaml]}
"""


def test_declared_figures_are_held_against_the_line(
    shell: Shell, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell.write("pointsman.yaml", CONFIG)
    shell.write("rules.yaml", RULES)
    on(monkeypatch, Driver(engine, PER_TOKEN))
    done = shell.run("calibrate", "memory", "--url", engine.base, *STEPS, "--json")
    assert done.code == 1
    held = {each["name"]: (each["declared"], each["extra"], each["holds"]) for each in done.json["declared"]}
    assert held == {"small": (5, 16, False), "large": (16, 16, True)}
    said = shell.run("calibrate", "memory", "--url", engine.base, *STEPS, "--language", "en")
    assert "less than it takes" in said.out and "holds" in said.out
    on(monkeypatch, Driver(engine, 0))
    flat = shell.run("calibrate", "memory", "--url", engine.base, *STEPS, "--json")
    assert flat.code == 0 and {each["extra"] for each in flat.json["declared"]} == {0}


def test_without_a_gpu_the_process_is_looked_at(shell: Shell, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, Answers(0))
    assert engine.looked is None
    found = shell.run("calibrate", "memory", "--url", engine.base, *STEPS, "--json").json
    assert found["source"] == "process" and all(point["used"] > MIB for point in found["points"])  # this very process
    forced = shell.run("calibrate", "memory", "--url", engine.base, *STEPS, "--pid", str(os.getpid()), "--json")
    assert forced.json["source"] == "process"
    gone = shell.run("calibrate", "memory", "--url", engine.base, *STEPS, "--pid", "999999999", "--language", "en")
    assert gone.code == 1 and "process 999999999 has ended" in gone.err
    wanted = shell.run("calibrate", "memory", "--url", engine.base, *STEPS, "--memory", "gpu", "--language", "en")
    assert wanted.code == 1 and "the driver knows no GPU" in wanted.err
    far = shell.run("calibrate", "memory", "--url", "http://127.0.0.1:9", *STEPS, "--language", "en")
    assert far.code == 1 and "give --pid" in far.err


def test_a_request_that_is_refused_says_why(shell: Shell, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    on(monkeypatch, Driver(engine, 0))
    engine.refuses = 400
    done = shell.run("calibrate", "memory", "--url", engine.base, *STEPS, "--language", "en")
    assert done.code == 1 and "was answered with status 400" in done.err and "too long" in done.err


def test_an_engine_that_was_started_for_each_step(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Any, ...]] = []

    async def loaded_at(*words: Any) -> list[Loaded]:
        asked.append(words)
        return [
            Loaded(tokens, many, 100 * MIB + 23_040 * tokens * many, None, 23_040 * tokens * many, 0)
            for many in words[2]
            for tokens in words[1]
        ]

    monkeypatch.setattr(calibrate_memory, "loaded_at", loaded_at)
    asked_for = ("calibrate", "memory", "builtin:smollm2-135m", "--memory", "process")
    found = shell.run(*asked_for, "--json").json
    assert asked[0][:4] == ("builtin:smollm2-135m", [1024, 2048, 4096], [1, 2, 4], 1)
    assert found["line"]["slope"] == pytest.approx(23_040) and found["loads"][0]["kv_estimate"] == 23_040 * 1024
    said = shell.run(*asked_for, "--language", "en").out
    assert "memory = 100.0 MiB + 23,040 B" in said and "what the context takes when the engine starts" in said


@pytest.mark.parametrize(
    ("arguments", "en", "zh"),
    [
        ([], "give a MODEL, or --url URL", "请给出 MODEL"),
        (["m", "--url", "http://x"], "give a MODEL, or --url URL", "请给出 MODEL"),
        (["m", "--tokens", "1,x"], "--tokens: 'x' is no number", "不是数字"),
        (["m", "--tokens", "-1"], "--tokens: '-1' is no number", "不是数字"),
        (["m", "--sequences", "0"], "--sequences 0: out of bounds (valid: 1 to 256)", "超出范围"),
        (["m", "--repeat", "0"], "--repeat 0: out of bounds", "超出范围"),
    ],
)
def test_what_cannot_be_asked(
    shell: Shell, arguments: list[str], en: str, zh: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POINTSMAN_SERVER_LANGUAGE", "en")
    done = shell.run("calibrate", "memory", *arguments)
    assert done.code == 2 and en in done.err
    monkeypatch.setenv("POINTSMAN_SERVER_LANGUAGE", "zh")
    assert zh in shell.run("calibrate", "memory", *arguments).err


def test_one_load_is_no_line(shell: Shell, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    async def loaded_at(*_: Any) -> list[Loaded]:
        return [Loaded(1024, 1, MIB, None, 0, 0)]

    monkeypatch.setattr(calibrate_memory, "loaded_at", loaded_at)
    done = shell.run("calibrate", "memory", "m", "--memory", "process", "--language", "en")
    assert done.code == 2 and "at least two different loads" in done.err


def test_help_and_the_verb_beside_it(shell: Shell) -> None:
    assert "usage: pointsman calibrate memory" in shell.run("calibrate", "memory", "--help").out
    assert "memory" not in shell.run("calibrate", "--help").out.splitlines()[0]


@pytest.mark.slow
def test_the_real_engine_by_its_contexts(shell: Shell) -> None:
    """The slope is the KV cache of a token and its part of the mask, and each point's cache is what was estimated."""
    find_builtin("builtin:smollm2-135m")
    found = shell.run(
        *("calibrate", "memory", "builtin:smollm2-135m", "--tokens", "1024,2048", "--sequences", "1,4"),
        *("--memory", "process", "--json"),
    ).json
    assert found["line"]["slope"] == pytest.approx(23_040, rel=0.05) and not found["line"]["flat"]
    for load in found["loads"]:
        assert abs(load["engine"]["kv"] - load["kv_estimate"]) <= 0.05 * load["kv_estimate"]


@pytest.mark.slow
async def test_the_real_engine_under_stepped_load(shell: Shell) -> None:
    """Requests take cells, not memory: what 4 times 200 tokens add is far below what their cells take in the arithmetic of
    document A."""
    settings = ModelSettings(
        model="builtin:smollm2-135m", name="smol", context=512, slots=4, threads=1, extra={"cache_ram_mib": 0}
    )
    process = ModelProcess(settings)
    await process.start()
    try:
        assert await process.settled(60) == "up" and process.address
        done = await asyncio.to_thread(
            shell.run,
            *("calibrate", "memory", "--url", process.address, "--tokens", "60,200", "--sequences", "1,4"),
            *("--memory", "process", "--json"),
        )
    finally:
        await process.stop()
    points = done.json["points"]
    assert [point["sequences"] for point in points] == [0, 1, 1, 4, 4] and points[-1]["tokens"] > 150
    assert points[-1]["used"] - points[0]["used"] < 64 * MIB
