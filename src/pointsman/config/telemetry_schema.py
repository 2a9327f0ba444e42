"""What is told to others of what happens here."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from pointsman.config.section import Section

Endpoint = Annotated[
    str,
    Meta(
        pattern=r"^https?://[^\s/?#@]+(/[^\s?#]*)?$",
        description="http(s)://host:4318",
        extra={"zh": "合法的地址（http(s)://主机:4318，不带用户名和查询串）"},
    ),
]


class Otlp(Section, frozen=True):
    """Spans and metrics for an OpenTelemetry collector, over OTLP/HTTP."""

    endpoint: (
        Annotated[
            Endpoint, Meta(description="the collector, to which /v1/traces and /v1/metrics are added; default: nobody")
        ]
        | None
    ) = None
    headers: Annotated[dict[str, str], Meta(description="sent with everything, such as a token; use ${ENV}")] = {}
    semconv: Annotated[
        Literal["1.36", "1.37"],
        Meta(description="whose names: 1.36 has gen_ai.system, later versions gen_ai.provider.name"),
    ] = "1.37"
    sample: Annotated[
        float, Meta(ge=0, le=1, description="share of requests with spans, where the client has no trace of its own")
    ] = 1.0
    traces: Annotated[bool, Meta(description="send spans")] = True
    metrics: Annotated[bool, Meta(description="send metrics")] = True
    every: Annotated[float, Meta(ge=1, le=3600, description="seconds between two sendings of metrics")] = 15.0
    timeout: Annotated[float, Meta(gt=0, le=60, description="seconds that the collector may take")] = 5.0
    service: Annotated[str, Meta(min_length=1, max_length=200, description="service.name")] = "pointsman"


class Telemetry(Section, frozen=True):
    """What is told to others of what happens here; /metrics is always there."""

    otlp: Otlp = Otlp()
