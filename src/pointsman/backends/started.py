"""An engine in a child process of the gateway's own, whatever its kind."""

from __future__ import annotations

from msgspec.structs import replace

from pointsman.backends.openai_compat import OpenAICompat
from pointsman.backends.settings import BackendSettings
from pointsman.domain.said import said
from pointsman.domain.target import BackendState, Target, merge_facts
from pointsman.ports.backend import BackendFailure, Call, Stream
from pointsman.ports.local_server import LocalServer


class Started(OpenAICompat):
    """Goes before an adapter among the bases of a class: as that, at whatever address the child has now. A call that comes
    while the model loads waits for it, within the call's time for the first byte; what the child says of its own failure is
    what a person gets to read."""

    def __init__(self, settings: BackendSettings, target: Target, server: LocalServer) -> None:
        self._server = server
        super().__init__(settings, target, address=lambda: server.address)

    async def open(self, call: Call) -> Stream:
        if self._server.address is None:
            await self._server.settled(min(call.first_byte, self.settings.first_byte_timeout))
            if self._server.address is None:
                loading = said("{model} is still loading", "{model} 还在加载", model=self.settings.model)
                raise BackendFailure("connect", self._server.problem or loading)
        return await super().open(call)

    async def probe(self) -> BackendState:
        server = self._server
        if server.state != "up":
            problem = server.problem or said("{model} is loading", "{model} 正在加载", model=self.settings.model)
            return BackendState(
                self.target.name, server.state, server.facts, problem, load_seconds=server.load_seconds, resident=False
            )
        state = await super().probe()
        facts = merge_facts(state.facts, server.facts)
        return replace(state, facts=facts, load_seconds=server.load_seconds, resident=True)


def started(adapter: type[OpenAICompat]) -> type[Started]:
    """The adapter of an engine that the gateway starts."""
    return type(adapter.__name__, (Started, adapter), {})
