"""What people come for, done with a real browser on a gateway with a real model, in both languages."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from console.browsing import LANGUAGES, Browser, Language, barriers
from console.conftest import ask
from running import Process, process

WORDS: dict[str, tuple[str, str]] = {
    "live": ("Live", "实时"),
    "hold": ("Hold", "暂停"),
    "on": ("Go on", "继续"),
    "show": ("Show", "查看"),
    "wrong": ("This was wrong", "这次处理有误"),
    "noted": ("Noted: this was wrong", "已记录：这次处理有误"),
    "sign_in": ("Sign in", "登录"),
    "sign_out": ("Sign out", "退出登录"),
    "not": ("may not sign in", "不能登录"),
    "keys": ("Keys", "快捷键"),
    "dark": ("Dark", "深色"),
}


def word(name: str, language: Language) -> str:
    return WORDS[name][LANGUAGES.index(language)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_request_appears_as_it_ends_and_leads_to_its_way(
    browser: Browser, served: Process, language: Language
) -> None:
    def watch(page: Any) -> None:
        page.goto(f"{served.base}/ui")
        page.get_by_text(word("live", language), exact=True).wait_for()
        name = ask(served.base, "auto", "你好")
        entry = page.locator(f"#lane a[href='/ui/requests/{name}']")
        entry.wait_for()
        assert "smalltalk_greeting_zh" in entry.inner_text()
        page.get_by_role("button", name=word("hold", language)).click()
        held = ask(served.base, "auto", "thanks a lot")
        page.get_by_role("button", name=word("on", language)).wait_for()
        entry.click()
        page.wait_for_url(f"**/ui/requests/{name}")
        assert page.locator("svg.track .taken").count() >= 2
        assert "smalltalk_greeting_zh" in page.locator(".steps").inner_text()
        assert barriers(page) == []
        page.goto(f"{served.base}/ui/requests/{held}")
        page.locator("svg.track").wait_for()

    browser.drive(watch, language=language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_looks_for_a_request_and_says_that_it_was_wrong(
    browser: Browser, served: Process, language: Language
) -> None:
    def look(page: Any) -> None:
        page.goto(f"{served.base}/ui/requests")
        page.keyboard.press("/")
        page.keyboard.type("fruits")
        page.locator("select[name=kind]").select_option("model")
        page.get_by_role("button", name=word("show", language), exact=True).click()
        page.wait_for_url("**text=fruits**")
        assert page.locator("tr.request").count() >= 1  # other tests may have asked the same
        page.keyboard.press("Escape")
        page.locator("main").focus()
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        page.wait_for_url("**/ui/requests/req_*")
        assert "Name three fruits." in page.locator(".turns").inner_text()
        page.locator("input[name=comment]").fill("too short")
        page.get_by_role("button", name=word("wrong", language)).click()
        page.get_by_text(word("noted", language)).wait_for()
        while not page.get_by_text("too short").count():  # the log has it a moment later
            page.reload()

    browser.drive(look, language=language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_keys_lead_around(browser: Browser, served: Process, language: Language) -> None:
    def press(page: Any) -> None:
        page.goto(f"{served.base}/ui")
        page.keyboard.press("?")
        page.get_by_role("dialog", name=word("keys", language)).wait_for()
        page.keyboard.press("Escape")
        page.keyboard.press("g")
        page.keyboard.press("r")
        page.wait_for_url("**/ui/requests")
        page.get_by_role("button", name=word("dark", language)).click()
        page.wait_for_url("**/ui/requests")
        assert page.locator("html").get_attribute("data-theme") == "dark"

    browser.drive(press, language=language)


@pytest.mark.slow
def test_one_signs_in_looks_and_signs_out(browser: Browser, tmp_path: Path) -> None:
    config = tmp_path / "pointsman.yaml"
    digest = hashlib.sha256(b"pm-reader").hexdigest()
    config.write_text(
        f"models: {{}}\nauth:\n  loopback: key\n  keys: [{{name: desk, hash: 'sha256:{digest}', console: read}}]\n",
        encoding="utf-8",
    )
    with process(["--config", str(config), "--port", "0", "--data-dir", str(tmp_path / "data")]) as started:
        for language in LANGUAGES:

            def sign_in(page: Any, language: Language = language) -> None:
                page.goto(f"{started.base}/ui/requests")
                page.wait_for_url("**/ui/sign-in?next=**")
                page.locator("input[name=key]").fill("guess")
                page.keyboard.press("Enter")
                page.get_by_text(word("not", language)).wait_for()
                assert barriers(page) == []
                page.locator("input[name=key]").fill("pm-reader")
                page.get_by_role("button", name=word("sign_in", language), exact=True).click()
                page.wait_for_url("**/ui/requests")
                page.get_by_role("button", name=word("sign_out", language)).click()
                page.wait_for_url("**/ui/sign-in")

            browser.drive(sign_in, language=language)
