"""EndpointSlices of Kubernetes (discovery.k8s.io/v1) as its API server sends them → nodes. Pure.

Read in the API's reference: `addresses` of an endpoint are alike, and consumers use the first; `ready` that is missing means
ready; `serving` and `terminating` tell a pod that finishes what it has; one endpoint may stand in several slices."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from pointsman.domain.node import NodeReport

Port = str | int | None


class Meta(msgspec.Struct, frozen=True):
    name: str = ""
    resourceVersion: str = ""  # the API's name


class Conditions(msgspec.Struct, frozen=True):
    ready: bool | None = None
    serving: bool | None = None
    terminating: bool | None = None


class Reference(msgspec.Struct, frozen=True):
    name: str = ""
    uid: str = ""


class Endpoint(msgspec.Struct, frozen=True):
    addresses: tuple[str, ...] = ()
    conditions: Conditions = Conditions()
    targetRef: Reference | None = None  # the API's name


class EndpointPort(msgspec.Struct, frozen=True):
    name: str | None = None
    port: int | None = None


class Slice(msgspec.Struct, frozen=True):
    metadata: Meta = Meta()
    addressType: str = "IPv4"  # the API's name
    endpoints: tuple[Endpoint, ...] | None = ()
    ports: tuple[EndpointPort, ...] | None = ()


class SliceList(msgspec.Struct, frozen=True):
    metadata: Meta = Meta()
    items: tuple[Slice, ...] | None = ()


class Status(msgspec.Struct, frozen=True):
    code: int = 0
    message: str = ""


class Event(msgspec.Struct, frozen=True):
    type: str
    object: msgspec.Raw


def nodes_of(slices: Iterable[Slice], port: Port, path: str = "/v1", scheme: str = "http") -> tuple[NodeReport, ...]:
    """Those that can be asked, and those that finish what they have (`draining`), by name, each once. `port` is its name or
    number; None: the first of the slice."""
    found: dict[str, NodeReport] = {}
    for each in slices:
        number = _number(each, port)
        if number is None:
            continue
        for endpoint in each.endpoints or ():
            node = _node(endpoint, each.addressType, number, path, scheme)
            if node is not None and (node.name not in found or found[node.name].draining):
                found[node.name] = node
    return tuple(found[name] for name in sorted(found))


def _number(each: Slice, port: Port) -> int | None:
    ports = each.ports or ()
    if isinstance(port, int):
        return port
    return next((one.port for one in ports if one.port is not None and port in (None, one.name)), None)


def _node(endpoint: Endpoint, kind: str, port: int, path: str, scheme: str) -> NodeReport | None:
    told = endpoint.conditions
    leaving = told.terminating is True
    if not endpoint.addresses or (leaving and not told.serving) or (not leaving and told.ready is False):
        return None
    host = f"[{endpoint.addresses[0]}]" if kind == "IPv6" else endpoint.addresses[0]
    reference = endpoint.targetRef or Reference()
    name = reference.name or f"{host}:{port}"
    return NodeReport(name, f"{scheme}://{host}:{port}{path}", reference.uid or name, draining=leaving)
