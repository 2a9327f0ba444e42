"""Hosts in lists of an owner: one spelling, and what is wrong said in both languages."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.hosts import VALID, read_hosts, read_place
from pointsman.domain.said import Said


@pytest.mark.parametrize(
    ("entry", "host", "port"),
    [
        ("hooks.example.com", "hooks.example.com", 1),
        ("HOOKS.example.com.", "hooks.example.com", 1),
        ("hooks.example.com:8443", "hooks.example.com", 8443),
        ("localhost", "localhost", 80),
        ("my_host", "my_host", 80),
        ("例子.中国", "xn--fsqu00a.xn--fiqs8s", 80),
    ],
)
def test_names(entry: str, host: str, port: int):
    allowed = read_hosts([entry])
    assert allowed.named(host, port)
    assert not allowed.named(f"x.{host}", port)
    assert allowed.named(host, 7) == (":" not in entry)
    assert not allowed.networks


@pytest.mark.parametrize(
    ("entry", "inside", "outside"),
    [
        ("10.1.2.3", "10.1.2.3", "10.1.2.4"),
        ("10.1.2.3:80", "10.1.2.3", "10.1.2.4"),
        ("10.1.0.0/16", "10.1.255.255", "10.2.0.0"),
        ("fd00::5", "fd00::5", "fd00::6"),
        ("[fd00::5]", "fd00::5", "10.1.2.3"),
        ("[fd00::5]:80", "fd00::5", "fd00::6"),
        ("fd00::/8", "fdff::1", "fe00::1"),
        ("0.0.0.0/0", "127.0.0.1", "::1"),
    ],
)
def test_addresses_and_networks(entry: str, inside: str, outside: str):
    allowed = read_hosts([entry])
    assert allowed.holds(ipaddress.ip_address(inside), 80)
    assert not allowed.holds(ipaddress.ip_address(outside), 80)
    assert allowed.holds(ipaddress.ip_address(inside), 81) == (not entry.endswith(":80"))
    assert not allowed.names


@pytest.mark.parametrize(
    ("entry", "what"),
    [
        ("", "no host"),
        ("http://hooks.example.com", "not a URL"),
        ("10.1.2.3/16", 'inside a network: "10.1.0.0/16"'),
        ("10.1.2.0/33", "no network"),
        ("hooks.example.com/x", "no network"),
        ("*.example.com", "no host name"),
        ("a b", "no host name"),
        ("127.1", "no IPv4 address"),
        ("0x7f000001", "no IPv4 address"),
        ("h:0", "not 1 to 65535"),
        ("h:", "not 1 to 65535"),
        ("fd00::zz", "no IPv6 address"),
        ("[fd00::5]x", "no host"),
        ("user@host", "no host name"),
        ("ｈ.example", "disagree"),
        ("a" * 64, "no host name"),
        ("a\0b", "no host name"),
    ],
)
def test_what_is_no_entry(entry: str, what: str):
    with pytest.raises(ValueError, match="entry") as caught:
        read_hosts(["fine.example", entry])
    message = caught.value.args[0]
    assert isinstance(message, Said)
    assert what in message and VALID in message and VALID in message.zh
    assert message.isprintable() and message.zh.startswith("条目“")


def test_the_examples_are_valid():
    assert read_hosts(VALID.split(", "))
    assert not read_hosts([]).named("x", 80)


@given(st.text(max_size=40) | st.text("0123456789abcdefx.:[]-_%", max_size=40))
def test_what_is_read_reads_the_same_again(text: str):
    try:
        host, port = read_place(text)
    except ValueError as error:
        assert isinstance(error.args[0], Said)
        return
    plain = f"[{host}]" if isinstance(host, ipaddress.IPv6Address) else str(host)
    assert plain.isascii()
    assert read_place(plain if port is None else f"{plain}:{port}") == (host, port)


@given(st.ip_addresses(v=4))
def test_an_address_is_itself_and_nothing_else(address: ipaddress.IPv4Address):
    assert read_place(str(address)) == (address, None)
    octets = str(address).split(".")
    for other in (str(int(address)), hex(int(address)), ".".join(f"0{int(octet):o}" for octet in octets)):
        with pytest.raises(ValueError, match="no IPv4 address"):
            read_place(other)
