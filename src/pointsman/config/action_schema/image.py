"""`image:` pictures from words."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from pointsman.config.section import Section, Size

PictureSize = Annotated[
    str,
    Meta(
        pattern=r"^[1-9][0-9]{1,3}x[1-9][0-9]{1,3}$",
        description="width x height: 512x512",
        extra={"zh": "宽x高（如 512x512）"},
    ),
]


BaseUrl = Annotated[
    str,
    Meta(
        pattern=r"^https?://[^\s/?#@]+(/[^\s?#]*)?$",
        description="http://127.0.0.1:7860, http://host/v1",
        extra={"zh": "http://127.0.0.1:7860、http://host/v1 这样的地址"},
    ),
]


class Image(Section, frozen=True):
    """A server that draws. Its own host may be private; pictures that it gives as links are fetched from it, from public
    hosts, and from those under `allow`."""

    engine: Annotated[Literal["sdwebui", "openai"], Meta(description="Stable Diffusion WebUI, or OpenAI images")]
    base_url: Annotated[BaseUrl, Meta(description="where the server is")]
    api_key: (
        Annotated[
            str, Meta(min_length=1, description="use ${ENV}; for sdwebui user:password, as its --api-auth has it")
        ]
        | None
    ) = None
    model: Annotated[str, Meta(min_length=1, description="which model draws, where the server has several")] | None = (
        None
    )
    size: Annotated[PictureSize, Meta(description="of pictures whose form the words do not say")] = "512x512"
    portrait: Annotated[PictureSize, Meta(description="of upright ones; default: by size")] | None = None
    landscape: Annotated[PictureSize, Meta(description="of wide ones; default: by size")] | None = None
    steps: Annotated[int, Meta(ge=1, le=150, description="of drawing; default: the server's")] | None = None
    cfg: (
        Annotated[float, Meta(ge=0, le=50, description="how closely words are followed; default: the server's")] | None
    ) = None
    sampler: Annotated[str, Meta(min_length=1, description="sdwebui: Euler a, DPM++ 2M, …")] | None = None
    seed: Annotated[int, Meta(ge=-1, description="the same one draws the same picture; default: any")] | None = None
    negative_prompt: Annotated[str, Meta(max_length=2000, description="what is not to be in pictures")] = ""
    translate: (
        Annotated[str, Meta(min_length=1, description="entry or model that puts words into English first")] | None
    ) = None
    extra: Annotated[
        dict[str, Any], Meta(description="more fields of the request, sent as they are: {quality: high}")
    ] = {}
    allow: Annotated[list[str], Meta(description="further hosts that pictures may be fetched from")] = []
    max_picture: Annotated[Size, Meta(description="largest picture that is taken")] = "16MB"
