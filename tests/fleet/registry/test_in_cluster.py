"""The registry as a gateway in a cluster opens it: the API server's address, its authority and the token are where pods find
them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from certificates import Authority
from fleet.registry.api_server import TOKEN, api_server, endpoint, slice_of
from pointsman.app import node_registry
from pointsman.app.node_registry import open_registry
from pointsman.config.registry_schema import Registry
from pointsman.config.schema import Config
from pointsman.domain.errors import Problem
from pointsman.ports.registry import RegistryFailure
from pointsman.store.ephemeral.memory import MemoryEphemeral

CONFIG = Config(registry=Registry(kind="kubernetes", services={"m": "llm"}))


@pytest.fixture
def account(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    authority = Authority(tmp_path)
    (tmp_path / "ca.crt").write_bytes(authority.file.read_bytes())
    (tmp_path / "token").write_text(TOKEN + "\n")
    (tmp_path / "namespace").write_text("ai")
    monkeypatch.setattr(node_registry, "ACCOUNT", tmp_path)
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "127.0.0.1")
    return tmp_path


async def test_with_the_token_over_tls(account: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with api_server(Authority(account).server("127.0.0.1")) as server:
        monkeypatch.setenv("KUBERNETES_SERVICE_PORT", str(server.port))
        stranger = open_registry(CONFIG, MemoryEphemeral())
        with pytest.raises(RegistryFailure, match="certificate"):
            await stranger.nodes("m")
        await stranger.close()
    authority = Authority(account)
    (account / "ca.crt").write_bytes(authority.file.read_bytes())
    async with api_server(authority.server("127.0.0.1")) as server:
        server.put(slice_of("s", endpoint("10.0.0.1", "pod-a", ready=True)))
        monkeypatch.setenv("KUBERNETES_SERVICE_PORT", str(server.port))
        registry = open_registry(CONFIG, MemoryEphemeral())
        assert [node.name for node in await registry.nodes("m")] == ["pod-a"]
        assert "/namespaces/ai/endpointslices" in server.asked[0]
        (account / "token").write_text("stale")
        server.expire()
        async with asyncio.timeout(10):
            while True:
                try:
                    await registry.nodes("m")
                except RegistryFailure as failure:
                    assert "401" in str(failure)
                    break
                await asyncio.sleep(0.01)
        await registry.close()


def test_outside_of_a_cluster(account: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (account / "ca.crt").unlink()
    with pytest.raises(Problem, match=r"the service account of the pod cannot be read .*ca\.crt"):
        open_registry(CONFIG, MemoryEphemeral())
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST")
    with pytest.raises(Problem, match="for gateways that run in a cluster") as caught:
        open_registry(CONFIG, MemoryEphemeral())
    assert caught.value.path == "registry.kind"


async def test_a_store_of_its_own(tmp_path: Path) -> None:
    config = Config(registry=Registry(store=f"sqlite:///{tmp_path / 'nodes.sqlite'}"))
    registry = open_registry(config, MemoryEphemeral())
    assert await registry.nodes("m") == ()
    await registry.close()
    with pytest.raises(RegistryFailure):
        await registry.nodes("m")
    with pytest.raises(Problem):
        open_registry(Config(registry=Registry(store="ftp://x")), MemoryEphemeral())
