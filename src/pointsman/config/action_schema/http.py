"""`http:` a call to a service of the business."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from pointsman.config.report_schema import Title
from pointsman.config.section import Section, Size


class Http(Section, frozen=True):
    """An operation of an OpenAPI document, or a call written by hand; `{name}` stands for a parameter."""

    openapi: (
        Annotated[str, Meta(min_length=1, description="OpenAPI 3.0 or 3.1, JSON or YAML, relative to the config file")]
        | None
    ) = None
    operation: (
        Annotated[str, Meta(min_length=1, description="operationId in it, or method and path: GET /items/{id}")] | None
    ) = None
    server: (
        Annotated[str, Meta(min_length=1, description="base URL; default: the first server of the document")] | None
    ) = None
    variables: Annotated[dict[str, str], Meta(description="of the document's server URL: name → value")] = {}
    method: Annotated[Literal["GET", "POST", "PUT", "PATCH", "DELETE"], Meta(description="of a call by hand")] = "GET"
    url: (
        Annotated[
            str,
            Meta(min_length=1, description="of a call by hand, with {slots} behind the host; {+name} may hold slashes"),
        ]
        | None
    ) = None
    query: Annotated[dict[str, str], Meta(description="name → value, with {slots}; secrets as ${ENV}")] = {}
    headers: Annotated[dict[str, str], Meta(description="name → value, with {slots}; secrets as ${ENV}")] = {}
    body: Annotated[Any, Meta(description="JSON, with {slots}; a lone slot keeps its type")] = None
    form: (
        Annotated[dict[str, str], Meta(description="fields of a form instead of a body: name → value, with {slots}")]
        | None
    ) = None
    allow: Annotated[list[str], Meta(description="private hosts or networks that it may reach: HOST, HOST:PORT")] = []
    keyed: Annotated[
        bool, Meta(description="the service does a call once for each Idempotency-Key, so POST may be tried again")
    ] = False
    redirects: Annotated[
        int, Meta(ge=0, le=5, description="redirects of a GET that are followed, on the same host alone")
    ] = 0
    answer: (
        Annotated[
            Title,
            Meta(
                description="what is told: a text or {zh: …, en: …} with slots such as {status} and {body.name}",
                extra={"zh": "一段文本，或 {zh: …, en: …}"},
            ),
        ]
        | None
    ) = None
    max_answer: Annotated[Size, Meta(description="largest answer that is read")] = "1MB"
