"""Each page of the console does what it is for on a gateway with a real model whose log has 100,000 requests, in both
languages: nothing of it keeps anybody out, and nothing breaks the policy of contents."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from console.browsing import LANGUAGES, Browser, Language, barriers, fits
from console.conftest import ask
from console.test_rules_in_a_browser import still
from pointsman.app.build import build
from pointsman.bench.replay.made_log import make_log
from pointsman.config.load import load
from running import Process, process

MANY = 100_000
CONFIG = """models:
  light: {backends: [{engine: embedded, model: "builtin:smollm2-135m", name: one, load: {when: start}}]}
  heavy: {backends: [{engine: embedded, model: "builtin:smollm2-135m", name: two, context: 1024, load: {when: demand}}]}
entries: {auto: {policy: interactive}}
arbiter: {files: [intents.yaml]}
rules: {packs: ["builtin:smalltalk"], files: [rules.yaml]}
"""
RULES = """- id: card_arrival
  owner: desk
  since: 2026-01-01
  when:
    all:
      - any: [card]
      - any: [arrive, arrived]
  answer: Cards arrive within five working days.
  examples: ["When will my card arrive?"]
  counter_examples: [I lost my card]
  boundary:
    - {text: card, takes: false, why: one word}
"""
TEXTS = (
    "When will my card arrive? It is order",
    "has my card arrived, number",
    "Name some fruits, as many as",
    "Write a short story about the room",
    "Translate into German: we meet at table",
    "我想知道怎么报销差旅费，单号",
    "what is the exchange rate for invoice",
)
SETS = Path(__file__).parent.parent / "sets" / "intents_zh"
PATIENCE = 150_000  # milliseconds: what runs beside the gateway gives way to it

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """As after a week: a log, an arbiter that was calibrated, a batch that is over."""
    folder = tmp_path_factory.mktemp("week")
    for name, text in (("pointsman.yaml", CONFIG), ("rules.yaml", RULES)):
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "intents.yaml").write_bytes((SETS / "intents.yaml").read_bytes())
    labels = (SETS / "validation.jsonl").read_text(encoding="utf-8").splitlines()[::5]
    (folder / "labels.jsonl").write_text("\n".join(labels), encoding="utf-8")
    config, data = folder / "pointsman.yaml", folder / "data"
    make_log(data, build(load(config, {"server.data_dir": str(data)}, {})).policy, TEXTS, MANY, 7)
    calibrate = [sys.executable, "-m", "pointsman", "calibrate", "-c", str(config), "--data-dir", str(data)]
    subprocess.run([*calibrate, "--labels", str(folder / "labels.jsonl")], check=True, env={**os.environ})
    given = ["--port", "0", "--config", str(config), "--data-dir", str(data)]
    with process(given, env={"XDG_DATA_HOME": str(folder)}) as started:
        job = {"model": "light", "max_tokens": 4, "messages": [{"role": "user", "content": "Say one"}]}
        body = json.dumps({"endpoint": "/v1/chat/completions", "body": job}).encode()
        request = urllib.request.Request(f"{started.base}/v1/jobs", body, {"content-type": "application/json"})
        with urllib.request.urlopen(request) as response:
            assert response.status == 202
        yield started


def good(page: Any) -> None:
    assert barriers(page) == [] and fits(page), page.url


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_looked_at(browser: Browser, crowded: Process, language: Language) -> None:
    """Now, Requests, one of them, Models, Jobs, Keys, Help, Playground."""
    base = crowded.base

    def look(page: Any) -> None:
        page.context.set_default_timeout(PATIENCE)
        page.goto(f"{base}/ui?span=7d")
        assert "100,0" in page.locator("#gauges a[href='/ui/requests?since=7d']").inner_text()
        good(page)
        page.locator("#gauges a[href='/ui/requests?kind=l0&since=7d']").click()
        page.wait_for_url("**kind=l0**")
        assert page.locator("tr.request .stage-l0").count() == 50
        good(page)
        page.locator("tr.request a[data-row]").first.click()
        page.locator("svg.track").wait_for()
        good(page)
        page.goto(f"{base}/ui/models")
        assert page.locator("section.model").count() == 2
        good(page)
        page.goto(f"{base}/ui/jobs")
        page.locator("tr.job a[data-row]").first.click()
        page.locator("#job-now pre").wait_for()
        good(page)
        for path in ("jobs", "keys", "help"):
            page.goto(f"{base}/ui/{path}")
            good(page)
        page.goto(f"{base}/ui/playground")
        page.locator("#say").fill("你好")
        page.locator("#send").click()
        page.locator("#trace a[href='/ui/rules/smalltalk_greeting_zh']").wait_for()
        good(page)

    browser.drive(look, language=language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_rules_are_worth_something_and_tried(browser: Browser, crowded: Process, language: Language) -> None:
    """Rules, one of them, its editor, Decide."""
    base = crowded.base

    def work(page: Any) -> None:
        page.context.set_default_timeout(PATIENCE)
        page.goto(f"{base}/ui/rules")
        row = page.locator("tr.rule", has=page.locator("a[href='/ui/rules/card_arrival']"))
        row.locator("a[href='/ui/rules/card_arrival#doubts']").wait_for()  # its precision, once the log is reviewed
        assert "28,57" in row.inner_text()
        good(page)
        page.goto(f"{base}/ui/rules/card_arrival")
        good(page)
        page.goto(f"{base}/ui/rules/card_arrival/edit")
        effect, text = page.locator("#effect"), page.locator("#rule-text")
        effect.locator(".figure").wait_for()
        assert "10,000" in effect.locator(".figure").inner_text()
        written = text.input_value().replace("[card]", "[card, story]").replace("arrived]", "arrived, room]")
        text.fill(written)
        stories = effect.locator(".figure", has_text="4,28")  # three of seven texts, no longer two
        stories.wait_for()
        assert effect.locator("a[href^='/ui/requests/req_']").count() > 1
        good(page)
        still(page)
        page.reload()
        assert text.input_value() == written
        stories.wait_for()
        still(page)
        page.goto(f"{base}/ui/decide")
        good(page)
        page.locator("textarea").fill("has my card arrived")
        page.locator("form.box button.main").click()
        page.locator("#looked").wait_for()
        assert page.locator(".said mark").count() >= 2
        good(page)

    browser.drive(work, language=language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_log_is_replayed_and_judged(browser: Browser, crowded: Process, language: Language) -> None:
    """Replay, Evaluate, Doctor, each with what is behind its figures."""
    base = crowded.base
    ask(base, "auto", "你好")

    def work(page: Any) -> None:
        page.context.set_default_timeout(PATIENCE)
        page.goto(f"{base}/ui/replay")
        page.locator("input[name='interactive.latency']").fill("0" if language == "en" else "0.01")
        page.locator("input[name='interactive.cost']").fill("9" if language == "en" else "8")
        page.locator("#begin").click()
        page.locator("#under-way", has_text=" %").wait_for()
        good(page)
        page.locator("#under-way").wait_for(state="detached")
        tiles = page.locator("#replay-found .tile")
        assert "100,0" in tiles.nth(0).inner_text() and "100 %" in tiles.nth(1).inner_text()
        good(page)
        page.locator("#replay-found td.n a[href^='/ui/replay/requests']").first.click()
        page.locator("tr.request").first.wait_for()
        assert page.locator("tr.request").count() == 50
        good(page)
        page.goto(f"{base}/ui/evaluate")
        assert page.locator("svg.reliability .after").count() > 3
        good(page)
        page.locator("a[href*='/ui/evaluate/texts'][href*='pair=']").first.click()
        page.wait_for_url("**/ui/evaluate/texts**")
        assert "labels.jsonl" in page.locator("main").inner_text()
        good(page)
        page.goto(f"{base}/ui/doctor")
        page.locator("#look").click()
        page.locator("#doctor-found #well").wait_for()
        good(page)

    browser.drive(work, language=language)
