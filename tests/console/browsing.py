"""A real browser for tests: headless Chromium, driven in a thread of its own, with axe to look for what keeps people out."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal, TypeVar

import pytest

AXE = Path(__file__).parent / "vendor" / "axe.js"
_NAMES = ("chromium", "chromium-browser", "google-chrome")
T = TypeVar("T")

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = ("en", "zh")


class Browser:
    """`drive` gives a job a page; the job runs where the browser does, and what it raises is raised here. After each job
    nothing may have gone wrong on its page: no error of a script, nothing that the policy of contents kept out. (That keeps
    out Playwright's `wait_for_function`, too, which evaluates a string in the page: wait for locators.)"""

    def __init__(self, chromium: str) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="browser")
        self._thread.submit(self._start, chromium).result()

    def _start(self, chromium: str) -> None:
        from playwright.sync_api import sync_playwright

        self._playwright = sync_playwright().start()
        self._chromium = self._playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        )

    def drive(
        self, job: Callable[[Any], T], *, language: Language = "en", dark: bool = False, phone: bool = False
    ) -> T:
        """`job` takes Playwright's page."""
        return self._thread.submit(self._drive, job, language, dark, phone).result()

    def _drive(self, job: Callable[[Any], T], language: Language, dark: bool, phone: bool) -> T:
        context = self._chromium.new_context(
            locale="zh-CN" if language == "zh" else "en-US",
            color_scheme="dark" if dark else "light",
            viewport={"width": 390, "height": 844} if phone else {"width": 1280, "height": 900},
        )
        context.set_default_timeout(60_000)
        try:
            page = context.new_page()
            wrong: list[str] = []
            page.on("pageerror", lambda error: wrong.append(f"script: {error}"))
            page.on("console", lambda said: wrong.append(f"{said.type}: {said.text}") if said.type == "error" else None)
            done = job(page)
            assert [each for each in wrong if "Failed to load resource" not in each] == []
            return done
        finally:
            context.close()

    def close(self) -> None:
        self._thread.submit(self._stop).result()
        self._thread.shutdown()

    def _stop(self) -> None:
        self._chromium.close()
        self._playwright.stop()


def chromium() -> str:
    """Skips where there is none; in CI it must be there."""
    found = next((path for name in _NAMES if (path := shutil.which(name))), None)
    try:
        import playwright  # noqa: F401
    except ImportError:
        found = None
    if found is None:
        if os.environ.get("CI"):
            pytest.fail("no Chromium, or no playwright: apt-get install chromium")
        pytest.skip("no Chromium, or no playwright")
    return found


def barriers(page: Any) -> list[str]:
    """What axe finds serious or worse on the page as it is."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("async () => (await axe.run(document, {resultTypes: ['violations']})).violations")
    return [
        f"{each['id']}: {each['help']}: {[node['html'][:120] for node in each['nodes'][:3]]}"
        for each in found
        if each["impact"] in ("serious", "critical")
    ]


def fits(page: Any) -> bool:
    """Whether nothing of the page lies beside its window."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"))
