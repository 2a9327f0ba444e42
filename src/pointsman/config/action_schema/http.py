"""`http:` a call to a service of the business."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from pointsman.config.section import Section, Size


class Http(Section, frozen=True):
    """An operation of an OpenAPI document, or a call written by hand; `{name}` stands for a parameter."""

    openapi: Annotated[str, Meta(min_length=1, description="OpenAPI 3 file, relative to the config file")] | None = None
    operation: Annotated[str, Meta(min_length=1, description="operationId in it")] | None = None
    server: Annotated[str, Meta(min_length=1, description="base URL; default: the first of the document")] | None = None
    method: Annotated[
        Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"], Meta(description="of a call by hand")
    ] = "GET"
    url: Annotated[str, Meta(min_length=1, description="of a call by hand, with {slots}")] | None = None
    query: Annotated[dict[str, str], Meta(description="name → value, with {slots}")] = {}
    headers: Annotated[dict[str, str], Meta(description="name → value, with {slots}; secrets as ${ENV}")] = {}
    body: Annotated[Any, Meta(description="JSON, with {slots}")] = None
    allow: Annotated[list[str], Meta(description="private hosts or networks that it may reach")] = []
    answer: (
        Annotated[str, Meta(description="what is told, with slots from the JSON answer: {status}, {body.name}")] | None
    ) = None
    max_answer: Annotated[Size, Meta(description="largest answer that is read")] = "1MB"
