"""EndpointSlices: what they say, and a registry that follows them through everything an API server does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import msgspec
import pytest

import pointsman.fleet.registry.kubernetes as kubernetes
from fleet.registry.api_server import ApiServer, api_server, endpoint, slice_of
from pointsman.domain.node import NodeReport
from pointsman.fleet.registry.endpoint_slices import Slice, nodes_of
from pointsman.fleet.registry.kubernetes import KubernetesRegistry
from pointsman.ports.registry import RegistryFailure


def read(*slices: object, port: str | int | None = None) -> tuple[NodeReport, ...]:
    return nodes_of([msgspec.convert(each, Slice) for each in slices], port)


class TestSlices:
    def test_conditions(self) -> None:
        found = read(
            slice_of(
                "s",
                endpoint("10.0.0.1", "old-server"),
                endpoint("10.0.0.2", "ready", ready=True, serving=True, terminating=False),
                endpoint("10.0.0.3", "starting", ready=False, serving=False, terminating=False),
                endpoint("10.0.0.4", "leaving", ready=False, serving=True, terminating=True),
                endpoint("10.0.0.5", "gone", ready=False, serving=False, terminating=True),
            )
        )
        assert {node.name: node.draining for node in found} == {"old-server": False, "ready": False, "leaving": True}
        assert found[1].address == "http://10.0.0.1:8000/v1" and found[1].incarnation == "uid-old-server"

    def test_one_endpoint_in_two_slices_is_one_node(self) -> None:
        twice = endpoint("10.0.0.1", "pod", ready=True)
        leaving = endpoint("10.0.0.1", "pod", ready=False, serving=True, terminating=True)
        assert len(read(slice_of("a", twice), slice_of("b", twice))) == 1
        assert not read(slice_of("a", leaving), slice_of("b", twice))[0].draining

    @pytest.mark.parametrize(("port", "url"), [(None, "x:1/v1"), ("api", "x:2/v1"), (7, "x:7/v1"), ("none", None)])
    def test_ports(self, port: str | int | None, url: str | None) -> None:
        ports = [{"name": "metrics", "port": 1}, {"name": "api", "port": 2}]
        found = read(slice_of("a", endpoint("x"), ports=ports), port=port)
        assert [node.address for node in found] == ([f"http://{url}"] if url else [])

    def test_what_is_null_or_missing(self) -> None:
        assert read({"metadata": {"name": "a"}, "addressType": "IPv4", "endpoints": None, "ports": None}) == ()
        found = read(slice_of("a", endpoint("fd00::1"), kind="IPv6"))
        assert found[0].address == "http://[fd00::1]:8000/v1" and found[0].name == "[fd00::1]:8000"


@pytest.fixture
async def server() -> AsyncIterator[ApiServer]:
    async with api_server() as found:
        yield found


@pytest.fixture
async def registry(server: ApiServer, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[KubernetesRegistry]:
    monkeypatch.setattr(kubernetes, "AGAIN", 0.02)
    found = KubernetesRegistry(server.ask(), "ai", {"m": "llm", "other": "llm"}, "http")
    yield found
    await found.close()


async def until(there: Callable[[], object]) -> None:
    async with asyncio.timeout(10):
        while not there():
            await asyncio.sleep(0.01)


async def names(registry: KubernetesRegistry, *expected: str) -> None:
    """Returns once these are there, and only these."""
    async with asyncio.timeout(10):
        while True:
            try:
                found = tuple(node.name for node in await registry.nodes("m"))
            except RegistryFailure:
                found = ("?",)
            if found == expected:
                return
            await asyncio.sleep(0.01)


async def test_it_lists_and_then_watches(server: ApiServer, registry: KubernetesRegistry) -> None:
    server.put(slice_of("s1", endpoint("10.0.0.1", "a", ready=True)))
    await names(registry, "a")
    assert "endpointslices?labelSelector=kubernetes.io%2Fservice-name%3Dllm" in server.asked[0]
    server.put(slice_of("s2", endpoint("10.0.0.2", "b", ready=True)))
    await names(registry, "a", "b")
    server.put(slice_of("s1", endpoint("10.0.0.1", "a", ready=False, serving=False, terminating=False)))
    await names(registry, "b")
    server.remove("s2")
    await names(registry)
    assert server.lists == 1, "two models of one service are one watch, and nothing is listed again"


async def test_a_watch_goes_on_where_a_bookmark_was(server: ApiServer, registry: KubernetesRegistry) -> None:
    server.put(slice_of("s1", endpoint("10.0.0.1", "a")))
    await names(registry, "a")
    await until(lambda: server.watches)
    await asyncio.sleep(0.05)
    server.bookmark()
    marked = server.version
    await until(lambda: registry._followed["llm"]._version == str(marked))
    server.oldest = marked  # what was before the bookmark cannot be watched from any more
    server.end()
    await until(lambda: f"resourceVersion={marked}" in server.asked[-1])
    assert server.lists == 1


async def test_410_in_a_watch_and_as_an_answer(server: ApiServer, registry: KubernetesRegistry) -> None:
    server.put(slice_of("s1", endpoint("10.0.0.1", "a")))
    await names(registry, "a")
    await until(lambda: server._watching)
    server.slices["s1"] = slice_of("s1", endpoint("10.0.0.9", "z"))  # an event that is lost
    server.expire()
    await names(registry, "z")
    assert server.lists == 2
    await until(lambda: server._watching)
    server.slices["s1"] = slice_of("s1", endpoint("10.0.0.8", "y"))
    server.oldest = server.version + 1
    server.version += 5
    server.end()
    await names(registry, "y")


async def test_a_server_that_is_gone_comes_back(server: ApiServer, registry: KubernetesRegistry) -> None:
    server.put(slice_of("s1", endpoint("10.0.0.1", "a")))
    await names(registry, "a")
    await until(lambda: server._watching)
    server.refuse = 503
    server.drop()
    with pytest.raises(RegistryFailure, match="service llm"):
        async with asyncio.timeout(10):
            while True:
                await registry.nodes("m")
                await asyncio.sleep(0.01)
    server.refuse = None
    await names(registry, "a")


async def test_who_is_not_let_in_reads_what_is_missing(server: ApiServer, registry: KubernetesRegistry) -> None:
    server.refuse = 403
    with pytest.raises(RegistryFailure) as caught:
        await registry.nodes("m")
    assert "403 not for you (the service account needs to get, list and watch" in str(caught.value)
    assert "服务账号需要" in caught.value.said.zh
    with pytest.raises(RegistryFailure, match=r"no service is named for nothing \(registry.services\)"):
        await registry.nodes("nothing")
