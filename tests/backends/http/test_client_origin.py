"""Base URLs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.backends.http import Origin, parse_origin


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (
            "http://127.0.0.1:8000/v1",
            Origin(authority="127.0.0.1:8000", name="127.0.0.1:8000", prefix="/v1", host="127.0.0.1", port=8000),
        ),
        ("http://localhost", Origin(authority="localhost", name="localhost:80", host="localhost", port=80)),
        ("HTTP://GPU-1:80/", Origin(authority="gpu-1", name="gpu-1:80", host="gpu-1", port=80)),
        (
            "https://api.example.org/a/v1/",
            Origin(
                authority="api.example.org",
                name="api.example.org:443",
                prefix="/a/v1",
                host="api.example.org",
                port=443,
                tls=True,
            ),
        ),
        (
            "https://h:8443",
            Origin(authority="h:8443", name="h:8443", host="h", port=8443, tls=True),
        ),
        ("http://[::1]:9/v1", Origin(authority="[::1]:9", name="[::1]:9", prefix="/v1", host="::1", port=9)),
        (
            "http://[fe80::1%25eth0]",
            Origin(authority="[fe80::1]", name="[fe80::1%eth0]:80", host="fe80::1%eth0", port=80),
        ),
        ("http://vllm_svc.ns:1", Origin(authority="vllm_svc.ns:1", name="vllm_svc.ns:1", host="vllm_svc.ns", port=1)),
        (
            "http://bücher.example",
            Origin("xn--bcher-kva.example", "xn--bcher-kva.example:80", "", "xn--bcher-kva.example", 80),
        ),
        (
            "http+unix://%2Frun%2Fx.sock/v1",
            Origin(authority="localhost", name="/run/x.sock", prefix="/v1", socket="/run/x.sock"),
        ),
        (
            "unix:/run/x.sock:/v1/",
            Origin(authority="localhost", name="/run/x.sock", prefix="/v1", socket="/run/x.sock"),
        ),
        ("unix:/run/x%2F.sock", Origin(authority="localhost", name="/run/x%2F.sock", socket="/run/x%2F.sock")),
        ("UNIX:///run/x.sock", Origin(authority="localhost", name="/run/x.sock", socket="/run/x.sock")),
    ],
)
def test_valid(url, expected):
    assert parse_origin(url) == expected


@pytest.mark.parametrize(
    ("url", "what"),
    [
        ("", "empty"),
        ("localhost:8000", "no scheme"),
        ("ftp://h", 'unknown scheme "ftp"'),
        ("http://", "no host"),
        ("http:///v1", "no host"),
        ("http://h:0", "port must be"),
        ("http://h:70000", "cannot be read"),
        ("http://h:x", "cannot be read"),
        ("http://h:", "port must be"),
        ("http://h/v1?a=b", "query"),
        ("http://h#x", "query or fragment"),
        ("http://h/a b", "spaces"),
        ("http://h\r\nx: y", "control characters"),
        ("http://[::1", "cannot be read"),
        ("http://[::zz]:1", "IPv6"),
        ("http://300.1.1.1:1", "IPv4"),
        ("http://127.1", "IPv4"),
        ("http://a..b", "no host name"),
        ("http://-a", "no host name"),
        ("http://h/ü", "not ASCII"),
        ("http+unix://run/x.sock", "absolute"),
        ("http+unix://", "absolute"),
        ("unix:run/x.sock", "absolute"),
        ("unix:", "absolute"),
        ("unix:/run/x.sock:/v1?a=b", "query or fragment"),
        ("unix:/" + "a" * 120, "107 bytes"),
        ("http+unix://%2F" + "a" * 120, "107 bytes"),
    ],
)
def test_nonsense_says_what_is_wrong_and_what_is_valid(url, what):
    with pytest.raises(ValueError, match=what) as caught:
        parse_origin(url)
    assert "valid: http://HOST" in str(caught.value)


def test_a_password_in_the_url_is_refused_and_not_repeated():
    with pytest.raises(ValueError, match="credentials") as caught:
        parse_origin("http://me:secret@h/v1")
    assert "secret" not in str(caught.value)


@given(st.text(max_size=30), st.sampled_from(["", "http://", "https://", "http+unix://%2F"]))
def test_any_text_is_an_origin_or_a_value_error(text, start):
    try:
        origin = parse_origin(start + text)
    except ValueError:
        return
    assert origin.authority.isascii()
    assert not set("\r\n /") & set(origin.authority)
    assert origin.prefix == "" or (origin.prefix.startswith("/") and not origin.prefix.endswith("/"))
