"""URLs that mean something else than they seem to: none of them gets a connection."""

from __future__ import annotations

import ipaddress

import pytest

from pointsman.domain.hosts import AllowedHosts, read_hosts
from pointsman.domain.said import Said
from pointsman.outbound import HttpOutbound, calls
from pointsman.ports.outbound import Refused

NAMES = {
    "public.example": ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"],
    "inside.example": ["10.0.0.7"],
    "mixed.example": ["93.184.216.34", "192.168.1.1"],
    "mixed6.example": ["93.184.216.34", "fd00::1"],
    "metadata.example": ["169.254.169.254"],
    "meta6.example": ["fd00:ec2::254"],
    "mapped.example": ["::ffff:127.0.0.1"],
    "nat64.example": ["64:ff9b::a9fe:a9fe"],
    "zero.example": ["0.0.0.0"],
    "redis": ["172.17.0.2"],
    "127.0.0.1.nip.example": ["127.0.0.1"],
    "0x7f000001.example": ["127.0.0.1"],
}

HOSTILE = r"""
http://127.0.0.1/
http://127.0.0.1:8080/
http://127.1.2.3/
http://127.255.255.255/
http://localhost/
http://LOCALHOST/
http://localhost./
http://a.localhost/
http://0.0.0.0/
http://0.1.2.3/
http://10.0.0.1/
http://172.16.0.1/
http://172.31.255.255/
http://192.168.0.1/
http://169.254.169.254/latest/meta-data/
http://100.64.0.1/
http://100.100.100.200/
http://100.127.255.255/
http://168.63.129.16/machine
http://192.0.0.192/
http://192.0.2.1/
http://192.88.99.1/
http://198.18.0.1/
http://198.51.100.1/
http://203.0.113.1/
http://224.0.0.1/
http://239.255.255.250/
http://240.0.0.1/
http://255.255.255.255/
http://127.0.0.1./
http://2130706433/
http://017700000001/
http://0x7f000001/
http://0x7f.0.0.1/
http://0177.0.0.1/
http://0177.0.0.01/
http://127.0.0.0x1/
http://127.0.0.01/
http://127.1/
http://127.0.1/
http://0/
http://0x/
http://0x0/
http://127.0.0.1.0x1/
http://1.2.3.4.5/
http://256.0.0.1/
http://4294967297/
http://a.0x7f/
http://[::1]/
http://[::]/
http://[0:0:0:0:0:0:0:1]/
http://[::127.0.0.1]/
http://[::ffff:127.0.0.1]/
http://[::ffff:7f00:1]/
http://[::ffff:8.8.8.8]/
http://[::ffff:0:127.0.0.1]/
http://[64:ff9b::7f00:1]/
http://[64:ff9b::808:808]/
http://[64:ff9b:1::1]/
http://[2002:7f00:1::]/
http://[2002:808:808::1]/
http://[2001::1]/
http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/
http://[2001:db8::1]/
http://[2001:20::1]/
http://[3fff::1]/
http://[2606:4700::5efe:7f00:1]/
http://[2606:4700::200:5efe:7f00:1]/
http://[fc00::1]/
http://[fd00:ec2::254]/
http://[fe80::1]/
http://[fe80::1%25eth0]/
http://[fe80::1%eth0]/
http://[fec0::1]/
http://[ff02::1]/
http://[100::1]/
http://[4000::1]/
http://[5f00::1]/
http://[::1/
http://::1/
http://[::1]x/
http://[127.0.0.1]/
http://[v1.x]/
http://１２７.0.0.1/
http://127。0。0。1/
http://127．0．0．1/
http://①②⑦.0.0.1/
http://ⓛocalhost/
http://ｌｏｃａｌｈｏｓｔ/
http://faß.example/
http://public.example@127.0.0.1/
http://127.0.0.1@public.example/
http://user:secret@public.example/
http://public.example:80@127.0.0.1/
http://public.example%2f@127.0.0.1/
http://public.example\@127.0.0.1/
http://127.0.0.1\@public.example/
http:\\127.0.0.1/
http://public.example\.inside.example/
http://public.example#@127.0.0.1/
http://public.example/#fragment
http://public.example?@127.0.0.1/\
http://%31%32%37.0.0.1/
http://127.0.0.1%00.public.example/
http://public.example%2e/
http://public.example /
http://public.example/a b
http://public.example/路
http://public..example/
http://.public.example/
http://-public.example/
http://public-.example/
http://public.example../
http://pub*lic.example/
http://public.example,inside.example/
http://public.example:/
http://public.example:0/
http://public.example:65536/
http://public.example:080/
http://public.example:+80/
http://public.example:80:80/
http://public.example:８０/
http://public.example:0x50/
http://public.example:22/
http://public.example:25/
https://public.example:465/
http://public.example:6379/
http://public.example:11211/
http://8.8.8.8:53/
http:///path
http://
http:public.example
http:/public.example/
//public.example/
public.example
ftp://public.example/
file:///etc/passwd
gopher://public.example:6379/_INFO
unix:/var/run/docker.sock
http+unix://%2Fvar%2Frun%2Fdocker.sock/
javascript:alert(1)
data:text/plain,x
ws://public.example/
HTTPS+X://public.example/
http://inside.example/
http://INSIDE.example/
http://inside.example./
http://mixed.example/
http://mixed6.example/
http://metadata.example/
http://meta6.example/
http://mapped.example/
http://nat64.example/
http://zero.example/
http://redis:6379/
http://redis/
http://127.0.0.1.nip.example/
http://0x7f000001.example/
"""

URLS = [
    *HOSTILE.strip().split("\n"),
    "http://loc\u00adalhost/",
    "http://public.example\u200d/",
    "http://public.example\u0000/",
    "http://public.example\u0009/",
    "http://public.example\r\nhost:inside.example/",
    "http://public.example/\r\nX: y",
    " http://public.example/",
    "http://public.example/\\",
    "",
    "http://public.example/" + "a" * 2100,
    "http://" + "a" * 64 + ".example/",
    "http://" + "a." * 130 + "example/",
]

FINE = r"""
http://public.example
http://public.example/
http://PUBLIC.example./hook
https://public.example:8443/hook?token=a@b:c&d=[1]
http://public.example:8080?x=1
HTTPS://public.example/a//b/../c;d=%20%0d%0a
http://8.8.8.8/
http://8.8.8.8./
http://[2606:4700:4700::1111]/
https://[2606:4700:4700::1111]:8443/x
http://unknown.example/
http://例子.example/
http://bücher.example/
http://xn--bcher-kva.example/
http://1e3.example/
http://my_host.example/
""".strip().split("\n")


async def resolve(host: str, port: int) -> list:
    if host not in NAMES:
        raise OSError("unknown")
    return [ipaddress.ip_address(address) for address in NAMES[host]]


@pytest.fixture
def outbound(monkeypatch: pytest.MonkeyPatch) -> HttpOutbound:
    """A client that may never get as far as to connect."""

    async def connect(*args: object) -> None:
        pytest.fail(f"connected to {args}")

    monkeypatch.setattr(calls, "connect", connect)
    return HttpOutbound(AllowedHosts(), "jobs.webhook_hosts", resolve=with_localhost)


async def with_localhost(host: str, port: int) -> list:
    if host == "localhost" or host.endswith(".localhost"):
        return [ipaddress.ip_address("127.0.0.1")]
    return await resolve(host, port)


def test_the_table_is_long_and_without_repetition():
    assert len(URLS) == len(set(URLS)) >= 150


@pytest.mark.parametrize("url", URLS)
async def test_refused_before_and_when_it_is_called(outbound: HttpOutbound, url: str):
    with pytest.raises(Refused) as checked:
        await outbound.check(url)
    with pytest.raises(Refused) as asked:
        await outbound.ask("POST", url, seconds=60, most=1)
    assert asked.value.message == checked.value.message
    message = checked.value.message
    assert isinstance(message, Said)
    assert message.isprintable() and message.zh.isprintable()
    assert "valid" in message or "can allow it" in message
    assert "合法取值" in message.zh or "放行" in message.zh
    assert "secret" not in message and "secret" not in message.zh
    assert len(message) < 500


@pytest.mark.parametrize("url", FINE)
async def test_what_is_as_it_seems_passes(outbound: HttpOutbound, url: str):
    await outbound.check(url)


@pytest.mark.parametrize(
    ("allowed", "url"),
    [
        (["inside.example"], "http://inside.example./"),
        (["inside.example:8080"], "http://inside.example:8080/"),
        (["10.0.0.0/8"], "http://inside.example/"),
        (["10.0.0.7"], "http://inside.example/"),
        (["10.0.0.7:81"], "http://10.0.0.7:81/"),
        (["localhost"], "http://localhost/"),
        (["127.0.0.0/8"], "http://127.0.0.1:9/"),
        (["fd00::/8"], "http://[fd00::5]/"),
        (["[fd00::5]:8080"], "http://[fd00::5]:8080/"),
        (["192.168.1.1"], "http://mixed.example/"),
        (["redis:6379"], "http://redis:6379/"),
        (["172.16.0.0/12"], "http://redis:6379/"),
        (["public.example:25"], "http://public.example:25/"),
        (["64:ff9b::/96"], "http://nat64.example/"),
    ],
)
async def test_the_owner_may_allow_it(allowed: list[str], url: str):
    await HttpOutbound(read_hosts(allowed), "x", resolve=with_localhost).check(url)


@pytest.mark.parametrize(
    ("allowed", "url"),
    [
        (["inside.example:8080"], "http://inside.example/"),
        (["10.0.0.7:81"], "http://10.0.0.7/"),
        (["10.0.0.7:81"], "http://inside.example/"),
        (["public.example"], "http://inside.example/"),
        (["inside.example"], "http://10.0.0.7/"),
        (["inside.example"], "http://x.inside.example.metadata.example:80@inside.example/"),
        (["10.0.0.0/8"], "http://mixed.example/"),
        (["127.0.0.1"], "http://127.0.0.2/"),
        (["127.0.0.1"], "http://[::ffff:127.0.0.1]/"),
        (["127.0.0.1"], "http://2130706433/"),
        (["127.0.0.1"], "http://0177.0.0.1/"),
    ],
)
async def test_and_allows_nothing_else_by_it(outbound: HttpOutbound, allowed: list[str], url: str):
    narrow = HttpOutbound(read_hosts(allowed), "x", resolve=with_localhost)
    with pytest.raises(Refused):
        await narrow.ask("POST", url, seconds=60, most=1)


async def test_messages_say_how_to_allow_it_and_not_what_the_network_looks_like(outbound: HttpOutbound):
    with pytest.raises(Refused) as caught:
        await outbound.check("http://inside.example/x?key=secret")
    assert caught.value.message == (
        'URL: host "inside.example" leads to a private address; public addresses are valid, or the owner allows it: '
        'jobs.webhook_hosts: ["inside.example"]'
    )
    assert "10.0.0.7" not in caught.value.message.zh
    with pytest.raises(Refused) as caught:
        await outbound.check("http://user:secret@public.example/x?key=hidden")
    assert caught.value.message.startswith('URL "http://…@public.example/x": user name and password')
