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


class NodeHealth(Section, frozen=True):
    """When a node counts as lost, and how long one that fails is left alone. See docs/nodes.md."""

    every: Annotated[
        float,
        Meta(ge=0.1, le=60, description="seconds from the beginning of one look at a node (a probe) to the next"),
    ] = 2.0
    timeout: Annotated[
        float,
        Meta(
            ge=0.5,
            le=60,
            description="seconds in which a node has to answer a look; one that does not gets nothing more, and where its "
            "machine says nothing either, what waits there goes to another node: every + timeout after a cut at most",
        ),
    ] = 1.5
    silent: (
        Annotated[
            float,
            Meta(
                ge=1,
                le=86_400,
                description="seconds in which an engine answers no look, after which what waits there goes to another node "
                "though its machine is there; null: never",
            ),
        ]
        | None
    ) = 30.0
    pause: Annotated[
        float,
        Meta(ge=0.1, le=3600, description="seconds for which a node that fails is ejected; twice as long each time"),
    ] = 5.0
    longest_pause: Annotated[float, Meta(ge=0.1, le=86_400, description="the longest of these pauses, seconds")] = 300.0


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
