"""URLs of a Redis store."""

from __future__ import annotations

import pytest

from pointsman.domain.said import Said
from pointsman.store.jobs.redis_url import Place, read_url


def test_one_server() -> None:
    assert read_url("redis://example.org") == Place(hosts=(("example.org", 6379),))
    assert read_url("redis://127.0.0.1:7000/2?prefix=a.b:c-d_e") == Place(
        hosts=(("127.0.0.1", 7000),), db=2, prefix="a.b:c-d_e"
    )
    assert read_url("redis://[::1]:7000") == Place(hosts=(("::1", 7000),))


def test_who_and_how() -> None:
    assert read_url("rediss://me:p%40ss%2Fw%3Aord@h?ca=/etc/ca.pem&wait=2&wait_ms=50&db=1") == Place(
        hosts=(("h", 6379),),
        username="me",
        password="p@ss/w:ord",
        tls=True,
        ca="/etc/ca.pem",
        wait=2,
        wait_ms=50,
        db=1,
    )
    assert read_url("redis://:pw@h") == Place(hosts=(("h", 6379),), password="pw")


def test_a_socket() -> None:
    assert read_url("unix:///run/valkey.sock?db=1") == Place(path="/run/valkey.sock", db=1)
    assert read_url("unix://me:pw@/run/v.sock") == Place(path="/run/v.sock", username="me", password="pw")


def test_a_cluster() -> None:
    assert read_url("redis+cluster://a:7000,b,[::1]:7002?prefix=x") == Place(
        mode="cluster", hosts=(("a", 7000), ("b", 6379), ("::1", 7002)), prefix="x"
    )
    assert read_url("rediss+cluster://u:p@a").tls


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://h", "valid: redis://, rediss://, unix://, redis+cluster://"),
        ("", "unknown kind of store"),
        ("redis://", "names no host"),
        ("redis://h:port", "or a port that is none"),
        ("redis://h:99999", "or a port that is none"),
        ("redis+cluster://a,,b", "names no host"),
        ("redis+cluster://a/1", "no database but 0"),
        ("unix://", "path of a socket"),
        ("redis://h/x", "db 'x' is none"),
        ("redis://h?db=-1", "db '-1' is none"),
        ("redis://h?wait=many", "wait 'many' is none (valid: 0 to 100)"),
        ("redis://h?wait_ms=0", "wait_ms '0' is none (valid: 1 to 8000)"),
        ("redis://h?prefix={a}", "prefix '{a}' is none"),
        ("redis://h?prefix=", "prefix '' is none"),
        ("redis://h?timeout=5", "unknown option 'timeout' in the store's URL (valid: ca, db, prefix, wait, wait_ms)"),
        ("redis://h?wait", "cannot be read"),
        ("redis://[::1", "cannot be read"),
    ],
)
def test_mistakes_are_told_with_what_is_valid(url: str, words: str) -> None:
    with pytest.raises(ValueError) as error:
        read_url(url)
    (message,) = error.value.args
    assert isinstance(message, Said)
    assert words in message
    assert message.zh != str(message)


@pytest.mark.parametrize("tail", ["h:port", "h?wait=x", "h/x", "?wait", "[::1", "h?prefix=%7B"])
def test_a_password_is_not_repeated(tail: str) -> None:
    with pytest.raises(ValueError) as error:
        read_url(f"redis://me:s3cret@{tail}")
    assert "s3cret" not in str(error.value)


def test_nor_shown() -> None:
    place = read_url("redis+cluster://me:s3cret@a:1,[::1]:2")
    assert place.shown == "a:1,[::1]:2"
    assert repr(place) == "Place(a:1,[::1]:2)"
    assert "s3cret" not in str(place)
