"""Request heads: what goes out, and what can never go out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.backends.http.head import OURS, HeadWriter
from pointsman.backends.http.origin import parse_origin
from pointsman.ports.backend import Call

BASE = (("authorization", "Bearer k"), ("content-type", "application/json"))


def writer() -> HeadWriter:
    return HeadWriter(parse_origin("http://h:1/v1"))


def test_the_whole_head():
    call = Call("/chat/completions", b"{}", headers=(("x-request-id", "r1"),))
    assert writer().render(call, BASE) == (
        b"POST /v1/chat/completions HTTP/1.1\r\nhost: h:1\r\nauthorization: Bearer k\r\n"
        b"content-type: application/json\r\nx-request-id: r1\r\ncontent-length: 2\r\n\r\n"
    )


def test_no_body_no_length_except_where_a_body_is_expected():
    assert writer().render(Call("/models", b"", method="GET")) == b"GET /v1/models HTTP/1.1\r\nhost: h:1\r\n\r\n"
    assert writer().render(Call("/load", b"")).endswith(b"content-length: 0\r\n\r\n")


def test_a_calls_header_replaces_the_base_header_each_time():
    heads = writer()
    call = Call("/x", b"", headers=(("Authorization", "Bearer other"),))
    for _ in range(2):
        rendered = heads.render(call, BASE)
        assert rendered.lower().count(b"authorization") == 1
        assert b"Bearer other" in rendered
        assert b"Bearer k" in heads.render(Call("/x", b""), BASE)


@pytest.mark.parametrize("value", ["a\r\nx: y", "a\nb", "a\rb", "a\0b", "a\x7fb", "中文", "a\x1fb"])
@pytest.mark.parametrize("where", ["base", "call"])
def test_values_cannot_break_out(value, where):
    headers = (("x-a", value),)
    with pytest.raises(ValueError, match='header "x-a"'):
        if where == "base":
            writer().render(Call("/x", b""), headers)
        else:
            writer().render(Call("/x", b"", headers=headers))


def test_tabs_and_latin_1_may_pass():
    assert b"x-a: a\t\xe9\r\n" in writer().render(Call("/x", b"", headers=(("x-a", "a\té"),)))


@pytest.mark.parametrize("name", ["", "a b", "a:b", "a\r\nb", "ü", "a\0"])
def test_names_are_tokens(name):
    with pytest.raises(ValueError, match="header name"):
        writer().render(Call("/x", b"", headers=((name, "v"),)))


@pytest.mark.parametrize("name", sorted(OURS | {"Content-Length", "TRANSFER-ENCODING"}))
def test_framing_is_ours(name):
    heads = writer()
    for _ in range(2):
        with pytest.raises(ValueError, match="belongs to the connection"):
            heads.render(Call("/x", b"", headers=((name, "1"),)))


@pytest.mark.parametrize("path", ["", "x", "/a b", "/a\r\nb", "/ü", "/a#b", "http://other/"])
def test_paths(path):
    with pytest.raises(ValueError, match="path"):
        writer().render(Call(path, b""))


@pytest.mark.parametrize("method", ["HEAD", "CONNECT", "post", "GET / HTTP/1.1\r\n"])
def test_methods(method):
    with pytest.raises(ValueError, match="valid: DELETE, GET"):
        writer().render(Call("/x", b"", method=method))


@given(st.lists(st.tuples(st.text(max_size=8), st.text(max_size=12)), max_size=4).map(tuple))
def test_any_headers_render_as_one_line_each_or_not_at_all(headers):
    try:
        rendered = writer().render(Call("/x", b"abc", headers=headers))
    except ValueError:
        return
    assert rendered.endswith(b"\r\n\r\n")
    assert rendered.count(b"\n") == rendered.count(b"\r") == len(headers) + 4
    assert rendered.lower().count(b"\r\ncontent-length:") == 1
