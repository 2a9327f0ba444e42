"""Where values go: each in its place, whatever is in it."""

from __future__ import annotations

import asyncio
import ipaddress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actions.http.service import Service, answer, calling, wrong
from actions.workshop import CHINESE, OCCASION
from pointsman.actions.http.by_hand import call_by_hand
from pointsman.actions.http.fill import fill
from pointsman.config.action_schema.http import Http
from pointsman.ports.action import ActionFailed
from thorough import tries

BY_HAND = Http(
    method="POST",
    url="https://stock.example.com/v1/items/{sku}/stock?unit={unit}&fixed=1",
    query={"q": "{q}"},
    headers={"X-Tenant": "t-{tenant}", "X-Note": "{note}"},
    body={"count": "{count}", "why": "because {why}", "nested": [{"tag": "{tag}"}]},
)
GOOD = {"sku": "A1", "unit": "kg", "q": "a", "tenant": "x", "note": "n", "count": 3, "why": "w", "tag": ["a", 1]}


def filled(http: Http = BY_HAND, **values: Any) -> Any:
    call, problems = call_by_hand(http, "p")
    assert call is not None and not problems
    return fill(call, {**GOOD, **values})


def test_each_value_in_its_place_with_its_type() -> None:
    made = filled(sku="A 1&é中", unit="a&b=c#d", q="100%?", why='"x"')
    url = urlsplit(made.url)
    assert url.netloc == "stock.example.com" and url.fragment == ""
    assert url.path == "/v1/items/A%201%26%C3%A9%E4%B8%AD/stock"
    assert parse_qsl(url.query) == [("unit", "a&b=c#d"), ("fixed", "1"), ("q", "100%?")]
    assert made.body == b'{"count":3,"why":"because \\"x\\"","nested":[{"tag":["a",1]}]}'
    assert ("X-Tenant", "t-x") in made.headers


BAD_PATHS = [
    "/../admin", "..", ".", "../admin", "a/b", "a\\b", "..\\admin", "%2e%2e", "%2e%2e%2fadmin", "..%2fadmin", "%2F", "%5c",
    "%252e%252e%252fadmin", "%25252fadmin", "a\r\nHost: evil", "a\x00b", "a\tb", "", "．．", "a／b", "a＼b", "%ef%bc%8f",
    "a\u2028b", "\x7f", "․․", "‥",
]  # fmt: skip


@pytest.mark.parametrize("value", BAD_PATHS)
def test_what_could_lead_elsewhere_is_refused(value: str) -> None:
    with pytest.raises(ActionFailed) as raised:
        filled(sku=value)
    assert raised.value.code == "bad_value" and raised.value.refused and raised.value.message.zh  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "value",
    [
        "?x=1",
        "#",
        "a?b=c&d",
        "a;b",
        "@evil.com",
        ":80",
        "evil.com",
        "//evil.com"[2:],
        "ⓔvil",
        "a b",
        "a+b",
        "{sku}",
        "{{",
        "a%",
        "...",
        "a.b",
        "~",
    ],
)
def test_odd_values_stay_one_segment(value: str) -> None:
    url = urlsplit(filled(sku=value).url)
    assert url.netloc == "stock.example.com"
    assert [unquote(part) for part in url.path.split("/")] == ["", "v1", "items", value, "stock"]
    assert url.query == "unit=kg&fixed=1&q=a"


@pytest.mark.parametrize(
    "value", ["a\r\nX-Admin: 1", "a\nb", "a\rb", "a\x00", "中文", "\u2028", "x" * 5000, "a\x0bb", "\x1b[31m"]
)
def test_headers_hold_no_second_header(value: str) -> None:
    for name in ("tenant", "note"):
        with pytest.raises(ActionFailed):
            filled(**{name: value})


@settings(max_examples=tries(120, 400), deadline=None)
@given(st.text(max_size=30), st.text(max_size=30), st.text(max_size=30))
def test_no_text_changes_the_shape(sku: str, unit: str, why: str) -> None:
    sku, unit, why = (text.encode("utf-8", "ignore").decode() for text in (sku, unit, why))
    try:
        made = filled(sku=sku, unit=unit, why=why)
    except ActionFailed:
        return
    url = urlsplit(made.url)
    assert (url.scheme, url.netloc, url.fragment) == ("https", "stock.example.com", "")
    parts = url.path.split("/")
    assert [*parts[:3], parts[4]] == ["", "v1", "items", "stock"] and len(parts) == 5
    assert unquote(parts[3]) == sku
    assert parse_qsl(url.query, keep_blank_values=True) == [("unit", unit), ("fixed", "1"), ("q", "a")]
    assert made.url.isascii() and made.url.isprintable() and "\\" not in made.url


def test_a_slot_may_hold_slashes_where_the_template_says_so() -> None:
    http = Http(url="https://files.example.com/{+path}")
    assert filled(http, path="a/b c/d").url == "https://files.example.com/a/b%20c/d"
    for value in ("a/../b", "/a", "a//b", "a/", "..", "a/%2e%2e/b", "a\\b", ""):
        with pytest.raises(ActionFailed):
            filled(http, path=value)


def test_forms_and_lists() -> None:
    http = Http(method="POST", url="https://a.example.com/", query={"tag": "{tag}"}, form={"x": "{x}", "y": "a&{y}"})
    made = filled(http, tag=["a", "b&c"], x="1&z=2", y="é")
    assert made.url.endswith("/?tag=a&tag=b%26c") and made.body == b"x=1%26z%3D2&y=a%26%C3%A9"
    with pytest.raises(ActionFailed):
        filled(http, x={"a": 1}, y="")


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("https://{host}/x", "no slot can stand in the host"),
        ("https://a.{x}.com/", "no slot can stand in the host"),
        ("https://a.com:{port}/", "no slot can stand in the host"),
        ("https://user:pw@a.com/", "do not belong"),
        ("https://{u}@a.com/", "no slot"),
        ("ftp://a.com/", "begins with"),
        ("{url}", "begins with"),
        ("https://a.com/x#f", "fragment"),
        ("https://a.com/../x", "segment"),
        ("https://a.com/x?{name}=1", "no slot can be the name"),
        ("https://2130706433/", "IPv4"),
        ("https://0x7f.1/", "IPv4"),
        ("https://0177.0.0.1/", "IPv4"),
        ("https://127.1/", "IPv4"),
        ("https://ⓔxample.com/", "disagree"),
        ("https://a。com/", "disagree"),
        ("http://127.0.0.1/", "add it to allow"),
        ("http://10.1.2.3/", "add it to allow"),
        ("http://localhost:80/", "add it to allow"),
        ("http://[::1]/", "add it to allow"),
        ("http://[::ffff:10.0.0.1]/", "add it to allow"),
        ("http://169.254.169.254/", "add it to allow"),
        ("http://[fe80::1%25eth0]/", "IPv6"),
    ],
)
def test_check_says_what_is_wrong_with_a_url(tmp_path: Path, url: str, words: str) -> None:
    [problem] = wrong(tmp_path, {"url": url})
    assert words in problem.message and problem.path == "actions.call.http.url"
    assert problem.said.zh != str(problem)


def test_check_says_what_is_wrong_besides(tmp_path: Path) -> None:
    url = "https://a.example.com/{sku}"
    [problem] = wrong(tmp_path, {"url": url}, parameters={"skuu": {"type": "string"}})
    assert 'did you mean "skuu"' in problem.message
    [problem] = wrong(tmp_path, {"url": url, "answer": "{bodi.name}"})
    assert 'did you mean "body"' in problem.message
    assert "set by the gateway" in wrong(tmp_path, {"url": url, "headers": {"Host": "x"}})[0].message
    assert "no name of a header" in wrong(tmp_path, {"url": url, "headers": {"a b": "x"}})[0].message
    assert "line break" in wrong(tmp_path, {"url": url, "headers": {"A": "x\ny"}})[0].message
    assert "no body" in wrong(tmp_path, {"url": url, "body": {}})[0].message
    assert wrong(tmp_path, {})[0].valid == "url, openapi"
    assert "not a URL" in wrong(tmp_path, {"url": url, "allow": ["http://x"]})[0].message
    assert not wrong(tmp_path, {"url": "http://10.1.2.3/x", "allow": ["10.0.0.0/8"]})
    assert not wrong(tmp_path, {"url": "http://localhost:8080/x", "allow": ["localhost"]})


HOSTS = {
    "private.test": ["10.0.0.5"],
    "metadata.test": ["169.254.169.254"],
    "loop.test": ["127.0.0.1"],
    "mixed.test": ["93.184.216.34", "192.168.1.1"],
    "mapped.test": ["::ffff:127.0.0.1"],
    "nat64.test": ["64:ff9b::7f00:1"],
    "sixtofour.test": ["2002:7f00:1::"],
    "teredo.test": ["2001:0:7f00:1::"],
    "unique.test": ["fd00::1"],
    "zero.test": ["0.0.0.0"],
    "shared.test": ["100.64.0.1"],
    "cast.test": ["224.0.0.1"],
}


@pytest.mark.parametrize("host", HOSTS)
async def test_names_that_lead_inside_are_not_called(tmp_path: Path, host: str) -> None:
    async def resolve(name: str, port: int) -> list[Any]:
        return [ipaddress.ip_address(one) for one in HOSTS[name]]

    async with Service() as service:
        async with calling(tmp_path, {"url": f"http://{host}:{service.port}/x"}, resolve) as action:
            for occasion in (OCCASION, CHINESE):
                effect = await action.run({}, occasion)
                assert (effect.outcome, effect.error) == ("refused", "refused")
                assert host not in effect.text and HOSTS[host][0] not in effect.text
        assert service.got == []


async def test_a_name_that_changes_its_mind(tmp_path: Path) -> None:
    """First public, then private: judged anew at each call, and connected to what was judged."""
    asked: list[str] = []

    async def resolve(name: str, port: int) -> list[Any]:
        asked.append(name)
        return [ipaddress.ip_address("93.184.216.34" if len(asked) == 1 else "127.0.0.1")]

    async with Service() as service:
        http = {"url": f"http://rebind.test:{service.port}/x"}
        async with calling(tmp_path, http, resolve, timeout="1s") as action:
            await asyncio.wait_for(action.run({}, OCCASION), 20)  # nothing answers there
            effect = await action.run({}, OCCASION)
        assert effect.error == "refused" and service.got == []


@pytest.mark.parametrize(
    "target",
    ["http://169.254.169.254/latest", "http://127.0.0.1:1/x", "//evil.test/x", "https://{own}/x", "file:///etc/passwd"],
)
async def test_redirects_elsewhere_are_not_followed(tmp_path: Path, target: str) -> None:
    async with Service() as service:
        own = f"127.0.0.1:{service.port}"
        service.play = answer(302, None, f"location: {target.replace('{own}', own)}")
        http = {"url": f"{service.url}/a", "allow": [own], "redirects": 5}
        async with calling(tmp_path, http) as action:
            effect = await action.run({}, OCCASION)
        assert effect.error == "redirect" and len(service.got) == 1


async def test_redirects_on_the_same_host_are_followed_where_the_config_says_so(tmp_path: Path) -> None:
    async with Service(answer(302, None, "location: /b?c=1#x")) as service:
        own = f"127.0.0.1:{service.port}"
        service.plays = [service.play, answer(200, {"a": 1})]
        async with calling(tmp_path, {"url": f"{service.url}/a", "allow": [own], "redirects": 1}) as action:
            assert (await action.run({}, OCCASION)).values["body"] == {"a": 1}
        assert [got.target for got in service.got] == ["/a", "/b?c=1"]
        async with calling(tmp_path, {"url": f"{service.url}/a", "allow": [own], "redirects": 3}) as action:
            assert (await action.run({}, OCCASION)).error == "redirect"
        assert len(service.got) == 6
        for more in ({}, {"redirects": 5, "method": "POST"}):
            async with calling(tmp_path, {"url": f"{service.url}/a", "allow": [own], **more}) as action:
                assert (await action.run({}, OCCASION)).error == "redirect"
        assert len(service.got) == 8
