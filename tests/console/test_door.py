"""The console as a browser meets it: signing in and out, languages, what goes wrong, what keeps other sites out."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from console.house import House, header, place_of, text_of
from console.test_entrance import ADMIN, READER
from pointsman.console.pages.help import HelpPage
from pointsman.console.templates import Templates
from pointsman.console.visit import Outlet, Reply, Route, Visit, see_other


def pages(templates: Templates) -> Iterator[Route]:
    """The help, one that fails, and one that changes something."""

    def fails(visit: Visit) -> Reply:
        raise RuntimeError(visit.query["text"])

    def change(visit: Visit) -> Reply:
        visit.must_change()
        return see_other(f"/ui/help?{visit.named}={visit.form['value']}")

    yield from HelpPage(templates).routes()
    yield Route("GET", "/ui/fails", fails)
    yield Route("POST", "/ui/things/{name}/change", change)


def test_a_page_says_what_it_is_in_both_languages() -> None:
    house = House(pages)
    english, chinese = text_of(house.get("/ui/help")), text_of(house.get("/ui/help", "zh"))
    assert '<html lang="en"' in english and "<h1>Help</h1>" in english
    assert '<html lang="zh-CN"' in chinese and "<h1>帮助</h1>" in chinese


def test_the_menu_has_only_pages_that_there_are() -> None:
    page = text_of(House(pages).get("/ui/help"))
    assert 'href="/ui/help" data-key="h" aria-current="page"' in page and 'href="/ui/rules"' not in page


@pytest.mark.parametrize(
    ("fields", "base"),
    [
        ({}, "http://127.0.0.1:8900"),
        ({"host": "[::1]:9001"}, "http://[::1]:9001"),
        (
            {"host": "localhost:1", "x_forwarded_host": "gate.example, b", "x_forwarded_proto": "https"},
            "https://gate.example",
        ),
        ({"host": "a'; rm -rf ~"}, "http://127.0.0.1:8900"),
    ],
)
def test_examples_name_the_gateway_as_the_browser_reached_it(fields: dict[str, str], base: str) -> None:
    def pages(templates: Templates) -> Iterator[Route]:
        yield Route("GET", "/ui/base", lambda visit: Reply(visit.base.encode()), open=True)

    assert text_of(House(pages).get("/ui/base", **fields)) == base


async def test_what_is_written_for_long_ends_with_the_session() -> None:
    """A page that is open elsewhere, with a stolen cookie."""

    async def stream(outlet: Outlet) -> None:
        while not outlet.leaving:
            outlet.write(b".")
            await asyncio.sleep(0.01)

    def pages(templates: Templates) -> Iterator[Route]:
        yield Route("GET", "/ui/dots", lambda visit: Reply(stream=stream))

    class Written:
        leaving = False
        data = b""

        def write(self, data: bytes) -> bool:
            self.data += data
            return True

        async def room(self) -> None: ...

    house, written = House(pages, here=False), Written()
    await asyncio.to_thread(house.sign_in, READER)
    reply = await asyncio.to_thread(house.get, "/ui/dots")
    assert reply.stream is not None
    writing = asyncio.ensure_future(reply.stream(written))
    while not written.data:
        await asyncio.sleep(0.01)
    assert not writing.done()
    await asyncio.to_thread(house.post, "/ui/sign-out", {})
    await asyncio.wait_for(writing, 10)


def test_nothing_of_another_site_runs_in_it() -> None:
    for path in ("/ui/help", "/ui/nothing", "/ui/fails", "/ui/sign-in"):
        reply = House(pages).get(path)
        policy = header(reply, b"content-security-policy")[0].decode()
        assert "default-src 'none'" in policy and "script-src 'self';" in policy and "unsafe" not in policy
        assert header(reply, b"x-frame-options") == [b"DENY"] and header(reply, b"cache-control") == [b"no-store"]


def test_who_is_not_signed_in_comes_back_to_the_page_afterwards() -> None:
    house = House(pages, here=False)
    assert place_of(house.get("/ui/help?a=1")) == "/ui/sign-in?next=%2Fui%2Fhelp%3Fa%3D1"
    assert 'value="/ui/help?a=1"' in text_of(house.get("/ui/sign-in?next=%2Fui%2Fhelp%3Fa%3D1"))
    assert place_of(house.sign_in(ADMIN)) == "/ui/help"
    assert "ops" in text_of(house.get("/ui/help"))
    assert place_of(house.post("/ui/sign-out", {})) == "/ui/sign-in"
    assert house.get("/ui/help").status == 303


def test_pages_that_there_are_not_are_not_told_apart_before_signing_in() -> None:
    house = House(pages, here=False)
    assert house.get("/ui/nothing").status == house.get("/ui/help").status == 303


def test_a_wrong_key_is_said_to_be_wrong_in_the_form() -> None:
    house = House(pages, here=False)
    for tongue, said in (("en", "may not sign in here"), ("zh", "不能登录")):
        reply = house.post("/ui/sign-in", {"key": "guess", "next": "/ui/help"}, tongue)
        assert reply.status == 401 and said in text_of(reply) and 'value="/ui/help"' in text_of(reply)
        assert "guess" not in text_of(reply)


@pytest.mark.parametrize(
    "place", ["https://evil.example", "//evil.example", "/ui\\evil", "/ui/\nx", "/v1/models", "javascript:x"]
)
def test_signing_in_leads_nowhere_else(place: str) -> None:
    house = House(pages, here=False)
    assert place_of(house.post("/ui/sign-in", {"key": ADMIN, "next": place})) == "/ui"


def test_a_reader_changes_nothing() -> None:
    house = House(pages, here=False)
    house.sign_in(READER)
    reply = house.post("/ui/things/x/change", {"value": "1"})
    assert reply.status == 403 and "may only look" in text_of(reply)
    house.sign_in(ADMIN)
    assert place_of(house.post("/ui/things/x/change", {"value": "1"})) == "/ui/help?x=1"


def test_a_form_of_another_site_changes_nothing() -> None:
    house = House(pages)
    assert house.post("/ui/things/x/change", {"value": "1"}, token="").status == 403
    assert house.post("/ui/things/x/change", {"value": "1"}, token="x" * 40).status == 403
    assert house.post("/ui/things/x/change", {"value": "1"}).status == 303


def test_the_language_and_the_theme_are_kept() -> None:
    house = House(pages)
    assert place_of(house.post("/ui/settings", {"language": "zh", "next": "/ui/help"})) == "/ui/help"
    house.post("/ui/settings", {"theme": "dark"})
    page = text_of(house.get("/ui/help", "en"))
    assert '<html lang="zh-CN" data-theme="dark">' in page
    house.post("/ui/settings", {"language": "fr", "theme": "pink"})
    assert '<html lang="zh-CN" data-theme="dark">' in text_of(house.get("/ui/help", "en"))


def test_what_fails_says_so_and_quotes_nothing(caplog: pytest.LogCaptureFixture) -> None:
    reply = House(pages).get("/ui/fails?text=my+prompt")
    assert reply.status == 500 and "req_1" in text_of(reply)
    assert "my prompt" not in text_of(reply) + caplog.text and "RuntimeError" in caplog.text


def test_a_piece_that_htmx_asks_for_is_a_piece() -> None:
    house = House(pages)
    reply = house.get("/ui/nothing", hx_request="true")
    assert reply.status == 404 and "<html" not in text_of(reply) and 'role="alert"' in text_of(reply)
    away = House(pages, here=False).get("/ui/help", hx_request="true")
    assert header(away, b"hx-redirect") == [b"/ui/sign-in?next=%2Fui%2Fhelp"]


def test_a_form_with_too_many_fields_is_refused() -> None:
    house = House(pages)
    reply = house.get("/ui/help?" + "&".join(f"a{number}=1" for number in range(3000)))
    assert reply.status == 413 and "too many fields" in text_of(reply)


def test_a_slash_too_many_is_no_matter() -> None:
    assert place_of(House(pages).get("/ui/help/")) == "/ui/help"
    assert House(pages).get("/ui/nothing/").status == 404


def test_a_form_that_is_too_large_is_refused() -> None:
    reply = House(pages).post("/ui/settings", {"language": "x" * (3 << 20)})
    assert reply.status == 413


def test_scripts_and_styles_are_there_for_everybody() -> None:
    house = House(pages, here=False)
    page = text_of(house.get("/ui/sign-in"))
    style = page.partition('rel="stylesheet" href="')[2].partition('"')[0]
    assert house.get(style).status == 200 and house.get("/ui/static/none.css").status == 404
