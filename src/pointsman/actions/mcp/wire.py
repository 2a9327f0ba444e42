"""The way to a server, whichever it is: a process, or an address."""

from __future__ import annotations

from typing import Any, Protocol


class Wire(Protocol):
    """One server, as long as it is of use. Many may ask at a time."""

    stale: bool
    """The server has said that it has other tools now."""

    @property
    def alive(self) -> bool:
        """Whether there is any sense in asking it."""

    async def ask(self, method: str, params: dict[str, Any], headers: dict[str, str] | None = None) -> dict[str, Any]:
        """The result. Waits as long as the caller lets it; being cancelled tells the server. `headers` go along where
        there are any. Raises RpcError, McpFailure."""

    async def tell(self, method: str) -> None:
        """A notice, which has no answer. Raises McpFailure."""

    def speaks(self, version: str) -> None:
        """From here on in that version of the protocol."""

    async def close(self, patience: float = 0.0) -> None:
        """Ends it, whatever happens meanwhile; a server has `patience` seconds to do so itself. Nothing is left behind."""
