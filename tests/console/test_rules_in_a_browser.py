"""In five minutes a new rule is live with proof that it steals nothing; two tabs and a reload lose nothing: done with a real
browser, in both languages."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from console.browsing import LANGUAGES, Browser, Language, barriers, fits
from console.conftest import ask
from console.test_rules_trials import RULES
from running import Process, process

WORDS: dict[str, tuple[str, str]] = {
    "make": ("Make a rule from this", "由此新建规则"),
    "unsaid": ("write what it answers", "请写上答案"),
    "sound": ("Sound: all", "没有问题"),
    "steals_nothing": ("It steals nothing", "没有抢走"),
    "would_take": ("It would take", "会抢走"),
    "for_all": ("for all", "对所有人生效"),
    "publish": ("Publish", "发布"),
    "published": ("Published. The gateway runs", "已发布。网关策略"),
    "elsewhere": ("was changed elsewhere", "在别处被改动"),
    "meanwhile": ("It was changed meanwhile", "规则已在别处改动"),
    "mine": ("Publish mine over it", "用我的覆盖"),
    "back": ("Back to how it was before this", "恢复到这次修改之前"),
    "taken_back": ("Taken back.", "已撤回。"),
    "decide": ("Decide", "试判"),
    "near": ("Rules that came near", "接近命中的规则"),
}
ASKED = {
    "en": ("where do I park my bike", "where may I park the bike?", "is there a gym", "opening hours please"),
    "zh": ("自行车停在哪里", "请问自行车可以停在哪里", "有健身房吗", "营业时间"),
}
PATIENCE = 60_000  # milliseconds: the process that tries rules gives way to all others
ANSWER = {"en": "Behind the house.", "zh": "在楼后面。"}


def word(name: str, language: Language) -> str:
    return WORDS[name][LANGUAGES.index(language)]


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> Language:
    found: Language = request.param
    return found


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "rules.yaml"
    path.write_text(f"# the desk's\n{RULES}# the end\n", encoding="utf-8")
    return path


@pytest.fixture
def gateway(rules: Path) -> Iterator[Process]:
    config = rules.parent / "pointsman.yaml"
    config.write_text("rules: {packs: [builtin:smalltalk], files: [./rules.yaml]}\n", encoding="utf-8")
    with process(["--config", str(config), "--port", "0", "--data-dir", str(rules.parent / "data")]) as started:
        yield started


def reply_to(base: str, text: str) -> str:
    body = {"model": "auto", "max_tokens": 8, "messages": [{"role": "user", "content": text}]}
    request = urllib.request.Request(
        f"{base}/v1/chat/completions", json.dumps(body).encode(), {"content-type": "application/json"}
    )
    with urllib.request.urlopen(request) as response:
        return str(json.load(response)["choices"][0]["message"]["content"])


def still(page: Any) -> None:
    """Nothing of it is under way: what a browser breaks off as it leaves a page would be an error of a script."""
    page.locator("#kept:not(:empty)").wait_for()
    page.locator(".htmx-request").first.wait_for(state="detached")


@pytest.mark.slow
def test_a_request_becomes_a_rule_that_is_live(
    browser: Browser, gateway: Process, rules: Path, language: Language
) -> None:
    first, *_ = [ask(gateway.base, "auto", text) for text in ASKED[language]]

    def work(page: Any) -> None:
        page.context.set_default_timeout(PATIENCE)
        page.goto(f"{gateway.base}/ui/requests/{first}")
        page.get_by_role("link", name=word("make", language)).click()
        page.wait_for_url("**/ui/rules/new?draft=*")
        checked, effect, text = (page.locator(each) for each in ("#checked", "#effect", "#rule-text"))
        checked.get_by_text(word("unsaid", language)).wait_for()
        assert ASKED[language][0] in text.input_value() and "mode: shadow" in text.input_value()
        text.fill(text.input_value().replace("<写上答案 / write the answer here>", f'"{ANSWER[language]}"'))
        checked.get_by_text(word("sound", language)).wait_for()
        effect.get_by_text(word("steals_nothing", language)).wait_for()
        assert effect.locator(f"a[href='/ui/requests/{first}']").count() == 1
        still(page)
        page.reload()
        assert ANSWER[language] in text.input_value()
        checked.get_by_text(word("sound", language)).wait_for()
        assert barriers(page) == [] and fits(page)
        still(page)
        page.get_by_label(word("for_all", language), exact=True).check()
        page.get_by_role("button", name=word("publish", language), exact=True).click()
        page.get_by_text(word("published", language)).wait_for()
        assert barriers(page) == []
        assert reply_to(gateway.base, ASKED[language][0]) == ANSWER[language]
        page.get_by_role("link", name=word("decide", language), exact=True).click()
        page.locator("textarea").fill(ASKED[language][1])
        page.get_by_role("button", name=word("decide", language), exact=True).click()
        page.get_by_role("heading", name=word("near", language)).wait_for()
        assert ANSWER[language] in page.locator("main").inner_text() and page.locator(".said mark").count() >= 1
        assert barriers(page) == [] and fits(page)

    browser.drive(work, language=language)
    written = rules.read_text(encoding="utf-8")
    assert written.startswith(f"# the desk's\n{RULES}- id: new_") and written.endswith("# the end\n")
    assert "mode:" not in written


@pytest.mark.slow
def test_two_tabs_and_a_reload_lose_nothing(
    browser: Browser, gateway: Process, rules: Path, language: Language
) -> None:
    before = rules.read_text(encoding="utf-8")
    ask(gateway.base, "auto", "hello")

    def change(page: Any, answer: str) -> None:
        text = page.locator("#rule-text")
        text.fill(text.input_value().replace("From 9 to 6.", answer))
        page.locator("#checked").get_by_text(f"+  answer: {answer}").wait_for(state="attached")

    def work(page: Any) -> None:
        page.context.set_default_timeout(PATIENCE)
        edit = f"{gateway.base}/ui/rules/hours/edit"
        other = page.context.new_page()
        page.goto(edit)
        other.goto(edit)
        change(page, "Mine.")
        change(other, "Theirs.")
        still(page)
        page.reload()
        assert "Mine." in page.locator("#rule-text").input_value()
        still(other)
        other.get_by_role("button", name=word("publish", language), exact=True).click()
        other.get_by_text(word("published", language)).wait_for()
        still(page)
        page.reload()
        page.get_by_role("heading", name=word("meanwhile", language)).wait_for()
        assert "Theirs." in page.locator("#theirs").inner_text()
        assert "Mine." in page.locator("#rule-text").input_value()
        still(page)
        page.get_by_role("button", name=word("publish", language), exact=True).click()
        page.get_by_role("heading", name=word("meanwhile", language)).wait_for()
        assert barriers(page) == []
        still(page)
        page.reload()
        assert "Mine." in page.locator("#rule-text").input_value()
        still(page)
        page.get_by_role("button", name=word("mine", language)).click()
        page.get_by_text(word("published", language)).wait_for()
        assert rules.read_text(encoding="utf-8") == before.replace("From 9 to 6.", "Mine.")
        oldest = page.locator("details.change").last
        oldest.locator("summary").click()
        oldest.get_by_role("button", name=word("back", language)).click()
        page.get_by_text(word("taken_back", language)).wait_for()
        assert rules.read_text(encoding="utf-8") == before

    browser.drive(work, language=language)


@pytest.mark.slow
def test_what_would_be_stolen_is_shown_before_it_is(browser: Browser, gateway: Process, language: Language) -> None:
    stolen = ask(gateway.base, "auto", "hello")

    def work(page: Any) -> None:
        page.context.set_default_timeout(PATIENCE)
        page.goto(f"{gateway.base}/ui/rules/hours/edit")
        text = page.locator("#rule-text")
        text.fill(text.input_value().replace("[opening hours, ", "[hello, opening hours, "))
        effect = page.locator("#effect")
        effect.get_by_text(word("would_take", language)).first.wait_for()
        assert effect.locator(f"a[href='/ui/requests/{stolen}']").count() == 1
        assert effect.locator("a[href='/ui/rules/smalltalk_greeting_en']").count() >= 1

    browser.drive(work, language=language)
