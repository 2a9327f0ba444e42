"""The page *Playground*: the form, and the way of a reply; what the browser does is in test_more_pages_in_a_browser.py."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from console.house import House, text_of
from console.test_entrance import READER
from console.test_requests_page import MODEL, ROUTED, RULED, TRIES, Log, asked, row
from pointsman.console.playground import page as playground
from pointsman.console.playground.page import PlaygroundPage
from pointsman.console.rows import Whole
from pointsman.console.templates import Templates
from pointsman.console.visit import Route


def house(log: Log, *, here: bool = True) -> House:
    def pages(templates: Templates) -> Iterator[Route]:
        yield from PlaygroundPage(templates, lambda: ("auto", "<light>"), log).routes()

    return House(pages, here=here)


@pytest.mark.parametrize("tongue", ["en", "zh"])
def test_one_may_ask_any_model(tongue: Any) -> None:
    page = text_of(house(Log()).get("/ui/playground", tongue))
    assert "<option>auto</option>" in page and "<option>&lt;light&gt;</option>" in page and "playground." in page


@pytest.mark.parametrize("tongue", ["en", "zh"])
def test_the_way_of_a_reply_is_a_piece(tongue: Any) -> None:
    log = Log(Whole(row(), asked(), RULED, (), None))
    piece = text_of(house(log).get("/ui/playground/trace/req_1", tongue, hx_request="true"))
    assert "<html" not in piece and "greet" in piece and 'href="/ui/requests/req_1"' in piece
    log = Log(Whole(MODEL, asked(), ROUTED, TRIES, None))
    assert "a@b" in text_of(house(log).get("/ui/playground/trace/req_1", tongue))


def test_a_way_that_the_log_has_not_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playground, "_LATE", ())
    assert house(Log()).get("/ui/playground/trace/req_9", hx_request="true").status == 404
    assert house(Log()).get(f"/ui/playground/trace/{'x' * 200}").status == 404


def test_a_reader_may_open_it() -> None:
    served = house(Log(), here=False)
    assert served.get("/ui/playground").status == 303
    served.sign_in(READER)
    assert served.get("/ui/playground").status == 200
