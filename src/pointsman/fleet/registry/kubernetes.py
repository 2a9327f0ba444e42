"""Nodes that Kubernetes knows: the endpoints of a Service, listed once and then watched."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from urllib.parse import quote

import msgspec

from pointsman.domain.node import NodeReport
from pointsman.domain.said import Said, said
from pointsman.fleet.registry.endpoint_slices import Event, Port, Slice, SliceList, Status, nodes_of
from pointsman.ports.backend import BackendFailure, Call, Stream
from pointsman.ports.registry import RegistryFailure

WATCH = 60
"""Seconds after which the API server is asked to end a watch; it begins anew where it ended."""
AGAIN = 1.0
"""Seconds before it is tried again."""
PATIENCE = 3.0
"""Seconds for the first list."""
_LARGEST = 16 << 20
Ask = Callable[[Call], Awaitable[Stream]]
"""One exchange with the API server, with whatever it takes to be let in. Raises BackendFailure."""


class _Gone(Exception):
    """What is watched from is too old (410): list again."""


class KubernetesRegistry:
    """`services` are model → the name of its Service in `namespace`. As long as the API server cannot be asked, what it
    said last is kept, and asking for it fails."""

    def __init__(self, ask: Ask, namespace: str, services: Mapping[str, str], port: Port = None) -> None:
        self._services = dict(services)
        self._followed = {name: _Followed(ask, namespace, name, port) for name in dict.fromkeys(services.values())}

    async def nodes(self, model: str) -> tuple[NodeReport, ...]:
        service = self._services.get(model)
        if service is None:
            raise RegistryFailure(said(*_NO_SERVICE, model=model))
        return await self._followed[service].nodes()

    async def close(self) -> None:
        await asyncio.gather(*(followed.close() for followed in self._followed.values()))


class _Followed:
    """The slices of one service, as far as is known."""

    def __init__(self, ask: Ask, namespace: str, service: str, port: Port) -> None:
        self._ask = ask
        self._service = service
        self._port = port
        selector = quote(f"kubernetes.io/service-name={service}", safe="")
        self._path = f"/apis/discovery.k8s.io/v1/namespaces/{quote(namespace)}/endpointslices?labelSelector={selector}"
        self._slices: dict[str, Slice] = {}
        self._version = ""
        self._problem: Said | None = None
        self._listed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def nodes(self) -> tuple[NodeReport, ...]:
        if self._task is None:
            self._task = asyncio.create_task(self._follow())
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                await self._listed.wait()
        if self._problem is not None or not self._version:
            raise RegistryFailure(self._problem or said(*_SILENT, service=self._service))
        return nodes_of(self._slices.values(), self._port)

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _follow(self) -> None:
        while True:
            try:
                if not self._version:
                    await self._list()
                await self._watch()
            except _Gone:
                self._version = ""
            except (BackendFailure, msgspec.DecodeError, RegistryFailure) as error:
                why = error.said if isinstance(error, RegistryFailure) else getattr(error, "message", str(error))
                self._problem = said(*_FAILED, service=self._service, why=why)
                self._listed.set()
                self._version = ""
                await asyncio.sleep(AGAIN)

    async def _list(self) -> None:
        stream = await self._ask(Call(self._path, b"", method="GET", root=True, first_byte=10.0, idle=10.0))
        body = await stream.read(_LARGEST)
        if stream.status != 200:
            raise RegistryFailure(_refused(stream.status, body))
        listed = msgspec.json.decode(body, type=SliceList)
        self._slices = {each.metadata.name: each for each in listed.items or ()}
        self._version = listed.metadata.resourceVersion
        self._problem = None
        self._listed.set()

    async def _watch(self) -> None:
        """Until the server ends it. Raises _Gone."""
        path = f"{self._path}&watch=1&allowWatchBookmarks=true&resourceVersion={quote(self._version)}&timeoutSeconds={WATCH}"
        call = Call(path, b"", method="GET", root=True, first_byte=WATCH + 5.0, idle=WATCH + 5.0)
        stream = await self._ask(call)
        try:
            if stream.status == 410:
                raise _Gone
            if stream.status != 200:
                raise RegistryFailure(_refused(stream.status, await stream.read(_LARGEST)))
            async for line in _lines(stream):
                self._take(msgspec.json.decode(line, type=Event))
        finally:
            stream.close()

    def _take(self, event: Event) -> None:
        if event.type == "ERROR":
            status = msgspec.json.decode(event.object, type=Status)
            if status.code == 410:
                raise _Gone
            raise RegistryFailure(_refused(status.code, bytes(event.object)))
        found = msgspec.json.decode(event.object, type=Slice)
        if event.type in ("ADDED", "MODIFIED"):
            self._slices[found.metadata.name] = found
        elif event.type == "DELETED":
            self._slices.pop(found.metadata.name, None)
        self._version = found.metadata.resourceVersion or self._version


async def _lines(stream: Stream) -> AsyncIterator[bytes]:
    rest = b""
    async for chunk in stream.chunks():
        *lines, rest = (rest + chunk).split(b"\n")
        if len(rest) > _LARGEST:
            raise RegistryFailure(said("an event of the API server does not end", "API 服务器的事件没有结尾"))
        for line in lines:
            if line.strip():
                yield line


def _refused(status: int, body: bytes) -> Said:
    try:
        message = msgspec.json.decode(body, type=Status).message
    except msgspec.DecodeError:
        message = ""
    hint = said(*_FORBIDDEN) if status == 403 else Said("", "")
    en, zh = "the API server says {status} {message}{hint}", "API 服务器返回 {status} {message}{hint}"
    return said(en, zh, status=status, message=message[:300], hint=hint)


_FORBIDDEN = (
    " (the service account needs to get, list and watch endpointslices of discovery.k8s.io)",
    "（服务账号需要对 discovery.k8s.io 的 endpointslices 有 get、list、watch 权限）",
)
_FAILED = ("the endpoints of service {service}: {why}", "服务 {service} 的端点：{why}")
_SILENT = ("the endpoints of service {service}: no answer yet", "服务 {service} 的端点：尚无应答")
_NO_SERVICE = (
    "no service is named for {model} (registry.services)",
    "没有为 {model} 指定服务（registry.services）",
)
