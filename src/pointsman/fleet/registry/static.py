"""Nodes that the config lists by their addresses."""

from __future__ import annotations

from collections.abc import Sequence

from pointsman.domain.node import NodeReport


class StaticRegistry:
    """Always the same. What they serve, and how they are, their probes tell. A node's name is its host and port."""

    def __init__(self, addresses: Sequence[str]) -> None:
        self.all = tuple(NodeReport(name_of(address), address, "static") for address in dict.fromkeys(addresses))

    async def nodes(self, model: str) -> tuple[NodeReport, ...]:
        return self.all

    async def close(self) -> None:
        """There is nothing to give back."""


def name_of(address: str) -> str:
    """What stands between scheme and path of a base URL, without user and password."""
    return address.split("://", 1)[-1].split("/", 1)[0].rpartition("@")[2]
