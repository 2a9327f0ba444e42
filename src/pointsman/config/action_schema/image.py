"""`image:` pictures from words."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from pointsman.config.section import Section


class Image(Section, frozen=True):
    """A server that draws."""

    engine: Annotated[Literal["sdwebui", "openai"], Meta(description="Stable Diffusion WebUI, or OpenAI images")]
    base_url: Annotated[str, Meta(min_length=1, description="http://127.0.0.1:7860, http://host/v1")]
    api_key: Annotated[str, Meta(min_length=1, description="use ${ENV}")] | None = None
    model: Annotated[str, Meta(min_length=1, description="which model draws, where the server has several")] | None = (
        None
    )
    size: Annotated[
        str,
        Meta(
            pattern=r"^[0-9]{2,4}x[0-9]{2,4}$",
            description="width x height: 512x512",
            extra={"zh": "宽x高（如 512x512）"},
        ),
    ] = "512x512"
