"""Public or not, against what the standard library knows of IANA's registries."""

from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.outbound.addresses import _IPV4, _IPV6, is_public, what_else

EDGES = st.sampled_from([network for network, _ in (*_IPV4, *_IPV6)]).flatmap(
    lambda network: st.sampled_from([int(network[0]) - 1, int(network[0]), int(network[-1]), int(network[-1]) + 1]).map(
        lambda number: type(network[0])(number % 2**network.max_prefixlen)
    )
)


@given(st.ip_addresses() | EDGES)
def test_never_public_where_the_library_says_it_is_not(address):
    if is_public(address):
        assert address.is_global
        assert not (address.is_private or address.is_loopback or address.is_link_local or address.is_multicast)
        assert not (address.is_reserved or address.is_unspecified)
        if address.version == 6:
            assert address.ipv4_mapped is address.sixtofour is address.teredo is None
            assert not address.is_site_local


@given(st.ip_addresses(v=4))
def test_an_ipv4_address_inside_an_ipv6_one_is_never_public(address):
    number = int(address)
    for prefix in ("::", "::ffff:0:0", "::ffff:0:0:0", "64:ff9b::", "64:ff9b:1::", "2001::", "fe80::5efe:0:0"):
        assert not is_public(ipaddress.IPv6Address(int(ipaddress.IPv6Address(prefix)) | number))
    assert not is_public(ipaddress.IPv6Address(0x2002 << 112 | number << 80 | 1))
    for flag in (0x5EFE, 0x0200_5EFE):
        assert not is_public(ipaddress.IPv6Address(0x2A00 << 112 | flag << 32 | number))


@given(st.ip_addresses(v=4))
def test_ipv4_as_the_library_has_it_but_for_what_it_calls_global_and_is_not(address):
    theirs = address.is_global and not address.is_multicast
    more = any(address in ipaddress.ip_network(n) for n in ("192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32"))
    assert is_public(address) == (theirs and not more)


@pytest.mark.parametrize(
    "address",
    [
        *[
            "8.8.8.8",
            "1.0.0.0",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
        ],
        *["169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0"],
        *[
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00:1450::1",
            "2001:200::1",
            "2400::1",
        ],
    ],
)
def test_public(address: str):
    assert is_public(ipaddress.ip_address(address))


def test_it_says_what_an_address_is():
    assert what_else(ipaddress.ip_address("127.0.0.1")) == "a loopback address"
    assert what_else(ipaddress.ip_address("169.254.169.254")) == "a link-local address"
    assert what_else(ipaddress.ip_address("::ffff:8.8.8.8")) == "an IPv4 address inside an IPv6 one"
    assert what_else(ipaddress.ip_address("4000::1")) == "a reserved address"
    assert what_else(ipaddress.ip_address("8.8.8.8")) is None
