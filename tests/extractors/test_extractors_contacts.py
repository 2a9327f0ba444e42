"""URLs and e-mail."""

from __future__ import annotations

import pytest

from pointsman.extractors import extract

URLS = [
    ("看https://x.com/a?b=1。好", [("https://x.com/a?b=1", "https://x.com/a?b=1")]),
    ("(see https://x.com/a_(b)).", [("https://x.com/a_(b)", "https://x.com/a_(b)")]),
    (
        "www.baidu.com，http://localhost:8080/x",
        [("www.baidu.com", "www.baidu.com"), ("http://localhost:8080/x", "http://localhost:8080/x")],
    ),
    ("https:// and example.com", []),
    ("[a](https://a.cn/b)", [("https://a.cn/b", "https://a.cn/b")]),
    ("访问 http://例子.com 和 https://a.com/路径", [("https://a.com/", "https://a.com/")]),
    ("https://a.com/x?y=1&z=2#t, ok", [("https://a.com/x?y=1&z=2#t", "https://a.com/x?y=1&z=2#t")]),
    ("（https://a.com/x）。", [("https://a.com/x", "https://a.com/x")]),
    (
        "ftp://f.org/a.zip; http://1.2.3.4:80/",
        [("ftp://f.org/a.zip", "ftp://f.org/a.zip"), ("http://1.2.3.4:80/", "http://1.2.3.4:80/")],
    ),
    ("google.com a/b www", []),
]
EMAILS = [
    ("写信到a.b+c@mail.example.com。", [("a.b+c@mail.example.com", "a.b+c@mail.example.com")]),
    ("git@github.com:foo/bar icon@2x.png @user a@b", []),
    ("<bob@x.co.uk>,a_b@q.cn；", [("bob@x.co.uk", "bob@x.co.uk"), ("a_b@q.cn", "a_b@q.cn")]),
    ("@all a@ @b.com x@y 13812345678@139.com", [("13812345678@139.com", "13812345678@139.com")]),
]


@pytest.mark.parametrize(("text", "found"), URLS)
def test_url(text: str, found: list[tuple[str, object]]) -> None:
    assert [(text[e.start : e.end], e.value) for e in extract("url", text)] == found


@pytest.mark.parametrize(("text", "found"), EMAILS)
def test_email(text: str, found: list[tuple[str, object]]) -> None:
    assert [(text[e.start : e.end], e.value) for e in extract("email", text)] == found
