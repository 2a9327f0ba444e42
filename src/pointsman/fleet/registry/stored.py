"""Nodes that say themselves where they are: a key for each in a store that gateways share, which forgets it 6 seconds after
the last report. It goes by the store's clock, or the machine's monotonic one, and by nobody's wall clock."""

from __future__ import annotations

import msgspec

from pointsman.domain.node import NodeReport
from pointsman.domain.said import said
from pointsman.ports.ephemeral import Ephemeral
from pointsman.ports.job_store import StoreError
from pointsman.ports.registry import RegistryFailure

TTL = 6.0
HEARTBEAT = 2.0
"""Seconds between two reports: a gateway that misses one, or two, does not lose the node."""
_PREFIX = "node/"
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(NodeReport).decode


class StoredRegistry:
    """`shared` is another's to close. What is no report (of a newer version, say) is passed over."""

    def __init__(self, shared: Ephemeral) -> None:
        self._shared = shared

    async def nodes(self, model: str) -> tuple[NodeReport, ...]:
        return tuple(node for node in await self.all() if not node.models or node.model(model) is not None)

    async def all(self) -> tuple[NodeReport, ...]:
        """By name. Raises RegistryFailure."""
        try:
            found = await self._shared.scan(_PREFIX)
        except StoreError as error:
            raise _failed(error) from None
        nodes = []
        for key in sorted(found):
            try:
                nodes.append(_decode(found[key]))
            except msgspec.DecodeError:
                continue
        return tuple(nodes)

    async def tell(self, report: NodeReport) -> None:
        """It is there, for the next seconds. Raises RegistryFailure."""
        try:
            await self._shared.put(_PREFIX + report.name, _encode(report), TTL)
        except StoreError as error:
            raise _failed(error) from None

    async def leave(self, report: NodeReport) -> None:
        """It is gone, unless another one has its name by now. Raises RegistryFailure."""
        try:
            value = await self._shared.get(_PREFIX + report.name)
            if value is not None and _incarnation(value) in (report.incarnation, None):
                await self._shared.delete(_PREFIX + report.name)
        except StoreError as error:
            raise _failed(error) from None

    async def close(self) -> None:
        """The store is another's."""


def _incarnation(value: bytes) -> str | None:
    try:
        return _decode(value).incarnation
    except msgspec.DecodeError:
        return None


def _failed(error: StoreError) -> RegistryFailure:
    return RegistryFailure(said("the registry in the store: {why}", "存储中的节点登记：{why}", why=error.args[0]))
