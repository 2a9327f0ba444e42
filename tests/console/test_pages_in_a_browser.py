"""Every page, as a person opens it: both languages, light and dark, desktop and phone; nothing of it keeps anybody out."""

from __future__ import annotations

from typing import Any

import pytest

from console.browsing import LANGUAGES, Browser, Language, barriers, fits
from running import Process

PAGES = {
    "/ui": ("Now", "现状"),
    "/ui/requests": ("Requests", "请求"),
    "/ui/rules": ("Rules", "规则"),
    "/ui/rules/smalltalk_greeting_zh": ("smalltalk_greeting_zh", "smalltalk_greeting_zh"),
    "/ui/decide": ("Decide", "试判"),
    "/ui/playground": ("Playground", "对话"),
    "/ui/models": ("Models & nodes", "模型与节点"),
    "/ui/jobs": ("Jobs", "任务"),
    "/ui/replay": ("Replay", "重放"),
    "/ui/evaluate": ("Evaluate", "评测"),
    "/ui/keys": ("Keys", "密钥"),
    "/ui/doctor": ("Doctor", "体检"),
    "/ui/help": ("Help", "帮助"),
    "/ui/sign-in": ("Sign in", "登录"),
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("path", PAGES)
def test_a_page_in_a_language(browser: Browser, served: Process, path: str, language: Language) -> None:
    """One look is light and wide, the other dark and narrow: each page is seen in both."""
    small = language == "zh"

    def look(page: Any) -> None:
        page.goto(served.base + path)
        page.wait_for_load_state("load")
        assert page.locator("h1").first.inner_text() == PAGES[path][LANGUAGES.index(language)]
        assert page.locator("html").get_attribute("lang") == ("zh-CN" if language == "zh" else "en")
        assert barriers(page) == []
        assert fits(page)

    browser.drive(look, language=language, dark=small, phone=small)


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("path", PAGES)
def test_a_page_in_its_other_looks(browser: Browser, served: Process, path: str, language: Language) -> None:
    def look(page: Any) -> None:
        page.goto(served.base + path)
        page.wait_for_load_state("load")
        assert barriers(page) == []
        assert fits(page)

    for dark in (False, True):
        for phone in (False, True):
            browser.drive(look, language=language, dark=dark, phone=phone)
