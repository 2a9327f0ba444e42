"""The console over a log of 100,000 requests, beside a real model, and over several workers."""

from __future__ import annotations

import contextlib
import http.client
import json
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from console.browsing import LANGUAGES, Browser, Language, barriers
from console.conftest import ask
from pointsman.domain.attempt import Attempt
from pointsman.domain.decision import Decision, TargetChoice
from pointsman.domain.policy import PolicyDocument
from pointsman.domain.record import Record, Timings
from pointsman.domain.request import Request, Turn
from pointsman.domain.target import Snapshot
from pointsman.store.log_writer import LogWriter
from running import Process, process

MANY = 100_000
POLICY, SNAPSHOT = PolicyDocument("1", (), {}, (), (), (), (), None, 0), Snapshot()

pytestmark = pytest.mark.slow


def record(number: int, now: float) -> Record:
    """Six of ten by a rule, one refused, the rest by a model; one of a hundred of these fails."""
    request = Request(
        id=f"req_{int(now * 1000):011x}{number:014x}",
        endpoint="chat",
        model="auto",
        turns=(Turn("user", f"question {number} about {'apples' if number % 1000 == 0 else 'pears'}"),),
        now=now,
        caller=f"key{number % 7}",
    )
    way = number % 10
    if way < 7:
        rule, action = ("refusal", "refuse") if way == 6 else (f"rule{way}", "answer")
        decision = Decision(stage="l0", reason=f"rule {rule} took it", rule=rule, action=action)
        return Record(request, now, "refused" if way == 6 else "ok", decision, timings=Timings(0.1, None, 0.2))
    decision = Decision(stage="model", reason="no rule took it", targets=(TargetChoice("big@big", "fallback"),))
    failed = number % 100 == 9
    return Record(
        request,
        now,
        "failed" if failed else "ok",
        decision,
        attempts=(Attempt("big@big", 1.0, 80.0, 500 if failed else 200),),
        target="big@big",
        status=502 if failed else 200,
        error="upstream_error" if failed else None,
        timings=Timings(0.2, None if failed else 80.0, 900.0),
        input_tokens=20,
        output_tokens=None if failed else 60,
    )


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """A gateway whose log has 100,000 requests of the last six days."""
    folder = tmp_path_factory.mktemp("crowded")
    now = time.time()
    writer = LogWriter(folder, "sealed", 30 * 86_400.0, backlog=1 << 40)
    for number in range(MANY):
        writer.put(record(number, now - 6 * 86_400 * (1 - number / MANY)), POLICY, SNAPSHOT)
    writer.close()
    assert (writer.written, writer.dropped, writer.problem) == (MANY, 0, None)
    with process(["--port", "0", "--data-dir", str(folder)], env={"XDG_DATA_HOME": str(folder)}) as started:
        yield started


@pytest.mark.timeout(300)
@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_at_home_in_a_long_log(browser: Browser, crowded: Process, language: Language) -> None:
    def look(page: Any) -> None:
        page.goto(f"{crowded.base}/ui?span=7d")
        assert "100,0" in page.locator("#gauges a[href='/ui/requests?since=7d']").inner_text()
        assert "10,000" in page.locator("#gauges a[href='/ui/requests?kind=refused&since=7d']").inner_text()
        page.locator("#gauges a[href='/ui/requests?outcome=failed&since=7d']").click()
        page.wait_for_url("**outcome=failed**")
        assert page.locator("tr.request").count() == 50
        page.locator("tr.more a").click()
        page.locator("tr.request").nth(99).wait_for()
        assert page.locator("tr.request .stage-model").count() == 100
        assert barriers(page) == []
        page.goto(f"{crowded.base}/ui/requests?rule=rule3&kind=l0&caller=key3")
        assert page.locator("tr.request").count() == 50
        page.goto(f"{crowded.base}/ui/requests?text=apples")
        while not page.locator("tr.request").count():  # a search says how far it has looked
            page.locator(".empty a.button").click()
            page.wait_for_load_state("load")
        page.locator("tr.request a[data-row]").first.click()
        page.wait_for_url("**/ui/requests/req_*")
        assert "apples" in page.locator(".turns").inner_text()
        name = ask(crowded.base, "light", "What is gravity?")  # a real model goes on beside it
        while page.goto(f"{crowded.base}/ui/requests/{name}").status == 404:
            assert (
                "log.keep" in page.locator("main").inner_text()
            )  # a log that is just being put in order takes a moment
        shown = page.locator("main").inner_text()
        assert "smollm2" in shown, shown

    browser.drive(look, language=language)


@pytest.mark.timeout(300)
def test_what_any_worker_serves_is_seen(tmp_path: Path) -> None:
    """Requests over many connections come to both; the stream is one worker's."""
    flags = ["--workers", "2", "--port", "0", "--data-dir", str(tmp_path)]
    seen: list[str] = []

    def read(base: str) -> None:
        with (
            contextlib.suppress(OSError, http.client.HTTPException),
            urllib.request.urlopen(f"{base}/ui/live?only=requests") as stream,
        ):
            for line in stream:
                if line.startswith(b"data: "):
                    seen.extend(each[0] for each in json.loads(line[6:])[0])

    with process(flags, env={"XDG_DATA_HOME": str(tmp_path)}) as started:
        reader = threading.Thread(target=read, args=(started.base,), daemon=True)
        reader.start()
        before = set()
        while not seen:  # its first look at the log is at what is known
            before.add(ask(started.base, "auto", "你好"))
            time.sleep(0.2)
        asked = {ask(started.base, "auto", "你好") for _ in range(12)}
        while not asked <= set(seen):
            time.sleep(0.02)
        assert len(seen) == len(set(seen)) and set(seen) <= asked | before
        with urllib.request.urlopen(f"{started.base}/ui") as page:
            assert f">{len(before) + 12} requests<".encode() in page.read()
    reader.join(30)
