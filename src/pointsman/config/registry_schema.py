"""The part of the config about nodes: several servers behind one target, and where gateways learn which there are."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from pointsman.config.section import Section


class Spread(Section, frozen=True):
    """How requests are spread over the nodes of a backend. See docs/nodes.md."""

    prefix: Annotated[
        int,
        Meta(
            ge=0,
            le=1_000_000,
            description="characters of a conversation's beginning (system, first question) by which it goes to the node "
            "that has them in its cache, unless that is overloaded; 0: never",
        ),
    ] = 4096
    slow_start: Annotated[
        float,
        Meta(
            ge=0,
            le=3600,
            description="seconds in which a node that has just come up is given more and more of its share",
        ),
    ] = 10.0


class Registry(Section, frozen=True):
    """Where backends that say `nodes: registry` find theirs: nodes that report into a store (`pointsman node`), or those
    that Kubernetes knows. See docs/nodes.md."""

    kind: Annotated[
        Literal["store", "kubernetes"], Meta(description="store: where nodes report; kubernetes: endpoints of services")
    ] = "store"
    store: (
        Annotated[
            str,
            Meta(
                min_length=1,
                description="kind store: its URL, as of store; default: store, or its file of this machine",
            ),
        ]
        | None
    ) = None
    namespace: (
        Annotated[str, Meta(min_length=1, description="kind kubernetes: of the services; default: the gateway's own")]
        | None
    ) = None
    services: Annotated[
        dict[str, str], Meta(description="kind kubernetes: model → the service whose endpoints serve it")
    ] = {}
    port: Annotated[
        str | int | None,
        Meta(
            description="kind kubernetes: name or number of the engine's port; default: the service's first",
            extra={"zh": "kubernetes 类型：引擎端口的名字或号码"},
        ),
    ] = None
