"""What people operate a gateway for, with a real browser and a real model, in both languages: talk to it, load models,
follow jobs, make keys, have the doctor look."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from console.browsing import LANGUAGES, Browser, Language, barriers, fits
from console.conftest import ask
from pointsman.http.auth import hash_key
from running import Process, process

CONFIG = """# mine
memory: {budget: 600MB}
models:
  light: {backends: [{engine: embedded, model: "builtin:smollm2-135m", name: one, load: {when: start}}]}
  heavy: {backends: [{engine: embedded, model: "builtin:smollm2-135m", name: two, context: 1024, load: {when: demand}}]}
"""


@pytest.fixture(scope="module")
def operated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Process, Path]]:
    """A gateway that tests change, and its config."""
    folder = tmp_path_factory.mktemp("operated")
    config = folder / "pointsman.yaml"
    config.write_text(CONFIG, encoding="utf-8")
    given = ["--port", "0", "--config", str(config), "--data-dir", str(folder / "data")]
    with process(given, env={"XDG_DATA_HOME": str(folder)}) as started:
        yield started, config


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_talks_to_it_and_sees_the_way(browser: Browser, served: Process, language: Language) -> None:
    def talk(page: Any) -> None:
        page.goto(f"{served.base}/ui/playground")
        page.locator("#say").fill("你好")
        page.keyboard.press("Enter")
        page.locator("#trace a[href='/ui/rules/smalltalk_greeting_zh']").wait_for()
        assert page.locator("#talk > div").count() == 2 and page.locator("#talk .wrong").count() == 0
        page.locator("#say").fill("Name three rivers.")
        page.locator("#send").click()
        page.locator("#trace .stage-model").wait_for()
        assert page.locator("#talk > div").count() == 4 and page.locator("#talk > div p").last.inner_text().strip()
        assert barriers(page) == []
        page.locator("#anew").click()
        assert page.locator("#talk > div").count() == 0

    browser.drive(talk, language=language)


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_model_is_loaded_and_unloaded(browser: Browser, operated: tuple[Process, Path], language: Language) -> None:
    ready, unloaded = ("ready", "unloaded") if language == "en" else ("就绪", "已卸载")

    def operate(page: Any) -> None:
        page.goto(f"{operated[0].base}/ui/models")
        box = page.locator("section.model").nth(1)
        box.locator("button[value=load]").click()
        box.locator(".standing", has_text=ready).wait_for(timeout=60_000)
        assert page.locator("svg.map rect").count() >= 2
        box.locator("button[value=unload]").click()
        box.locator(".standing", has_text=unloaded).wait_for(timeout=60_000)
        assert barriers(page) == []

    browser.drive(operate, language=language)


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_job_is_followed_to_its_end(browser: Browser, operated: tuple[Process, Path], language: Language) -> None:
    base = operated[0].base
    body = {"model": "light", "max_tokens": 8, "messages": [{"role": "user", "content": f"Say {language}"}]}
    asked = json.dumps({"endpoint": "/v1/chat/completions", "body": body}).encode()
    request = urllib.request.Request(f"{base}/v1/jobs", asked, {"content-type": "application/json"})
    with urllib.request.urlopen(request) as response:
        job = json.load(response)["id"]

    def follow(page: Any) -> None:
        page.goto(f"{base}/ui/jobs")
        page.locator(f"a[href='/ui/jobs/{job}']").click()
        page.locator("#job-now pre").wait_for(timeout=60_000)
        assert page.locator("#cancel").count() == 0
        assert barriers(page) == []
        page.locator(f"a[href='/ui/requests/{job.replace('job_', 'req_')}']").click()
        page.locator("svg.track").wait_for()

    browser.drive(follow, language=language)


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_key_is_made_and_works_at_once(browser: Browser, operated: tuple[Process, Path], language: Language) -> None:
    served, config = operated

    def make(page: Any) -> str:
        page.goto(f"{served.base}/ui/keys")
        page.locator("input[name=name]").fill(f"app {language}")
        page.locator("#make").click()
        key = str(page.locator("#the-key").inner_text())
        assert barriers(page) == []
        page.goto(f"{served.base}/ui/keys")
        assert page.locator("#the-key").count() == 0 and f"app {language}" in page.locator("table.keys").inner_text()
        return key

    key = browser.drive(make, language=language)
    assert re.fullmatch(r"pm-[\w-]{40,}", key) and config.read_text(encoding="utf-8").startswith(CONFIG)
    request = urllib.request.Request(f"{served.base}/v1/models", headers={"authorization": f"Bearer {key}"})
    with urllib.request.urlopen(request) as response:
        assert response.status == 200
    assert hash_key(key) in config.read_text(encoding="utf-8")

    def take_back(page: Any) -> None:
        page.goto(f"{served.base}/ui/keys")
        page.locator(f"a[href$='name=app%20{language}']").click()
        page.locator("pre.diff").wait_for()
        assert barriers(page) == [] and fits(page)
        page.locator("#take-back").click()
        page.locator("#gone").wait_for()
        assert f"app {language}" not in page.locator("table.keys").inner_text()

    browser.drive(take_back, language=language, phone=language == "zh")
    assert hash_key(key) not in config.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_doctor_looks(browser: Browser, operated: tuple[Process, Path], language: Language) -> None:
    def look(page: Any) -> None:
        page.goto(f"{operated[0].base}/ui/doctor")
        page.locator("#look").click()
        page.locator("#doctor-found #well").wait_for(timeout=120_000)
        assert page.locator(".level-ok").count() > 5
        assert barriers(page) == []

    browser.drive(look, language=language)


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_other_weights_are_replayed(browser: Browser, operated: tuple[Process, Path], language: Language) -> None:
    ask(operated[0].base, "auto", "你好")

    def replay(page: Any) -> None:
        page.goto(f"{operated[0].base}/ui/replay")
        page.locator("input[name='interactive.cost']").fill("0.1")  # as in force
        page.locator("#begin").click()
        page.locator(".note.bad").wait_for()
        page.locator("input[name='interactive.cost']").fill("9")
        page.locator("#begin").click()
        page.locator("#replay-found table").first.wait_for(timeout=120_000)
        page.locator("#stop").wait_for(state="detached", timeout=120_000)
        assert page.locator("#replay-now .failed").count() == 0
        assert barriers(page) == []

    browser.drive(replay, language=language)
