"""`registry` of the config → where nodes are found."""

from __future__ import annotations

import os
import ssl
from pathlib import Path

from pointsman.app.job_store import DEFAULT
from pointsman.config.others_words import all_of
from pointsman.config.paths import data_dir
from pointsman.config.schema import Config
from pointsman.domain.errors import Problem
from pointsman.domain.said import Said, said
from pointsman.fleet.registry.stored import StoredRegistry
from pointsman.ports.backend import BackendFailure, Call, Stream
from pointsman.ports.ephemeral import Ephemeral
from pointsman.ports.registry import Registry
from pointsman.store.ephemeral.by_url import open_ephemeral

ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
"""Where a pod finds what its service account is let in by. The token is renewed there, so it is read again each time."""


def open_registry(config: Config, shared: Ephemeral) -> Registry:
    """`shared` is the gateway's own store. Raises Problem where it cannot be used."""
    registry = config.registry
    if registry.kind == "kubernetes":
        return _kubernetes(config)
    if registry.store is None:
        return StoredRegistry(shared)
    return _Own(open_node_store(config))


def open_node_store(config: Config, url: str | None = None) -> Ephemeral:
    """The store that nodes report into: `url`, or as the config says. Raises Problem."""
    place = "store" if url or config.registry.store is None else "registry.store"
    try:
        return open_ephemeral(url or config.registry.store or config.store or DEFAULT, data_dir(config))
    except (ValueError, ImportError) as error:
        raise Problem(place, error.args[0]) from None


class _Own(StoredRegistry):
    """With a store of its own."""

    async def close(self) -> None:
        await self._shared.close()


def _kubernetes(config: Config) -> Registry:
    from pointsman.backends.http import Pool  # only who is in a cluster needs it
    from pointsman.fleet.registry.kubernetes import KubernetesRegistry

    account = ACCOUNT
    host, port = os.environ.get("KUBERNETES_SERVICE_HOST"), os.environ.get("KUBERNETES_SERVICE_PORT", "443")
    if not host:
        raise Problem("registry.kind", Said(*_OUTSIDE))
    try:
        namespace = config.registry.namespace or (account / "namespace").read_text().strip()
        trusted = ssl.create_default_context(cadata=(account / "ca.crt").read_text())
    except OSError as error:
        raise Problem("registry.kind", said(*_NO_ACCOUNT, why=all_of(error))) from None
    pool = Pool(f"https://{f'[{host}]' if ':' in host else host}:{port}", ssl=trusted, connect_timeout=5.0)

    async def ask(call: Call) -> Stream:
        try:
            token = (account / "token").read_text().strip()
        except OSError as error:
            raise BackendFailure("connect", said(*_NO_ACCOUNT, why=all_of(error))) from None
        return await pool.open(call, (("authorization", f"Bearer {token}"), ("accept", "application/json")))

    return KubernetesRegistry(ask, namespace, config.registry.services, config.registry.port)


_OUTSIDE = (
    "kubernetes is for gateways that run in a cluster: KUBERNETES_SERVICE_HOST is not set",
    "kubernetes 只用于集群内运行的网关：没有设置 KUBERNETES_SERVICE_HOST",
)
_NO_ACCOUNT = (
    "the service account of the pod cannot be read ({why}); is automountServiceAccountToken off?",
    "无法读取 pod 的服务账号（{why}）；automountServiceAccountToken 是否关闭了？",
)
