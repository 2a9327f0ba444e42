"""OpenAI images and the servers that speak like it (LocalAI, vLLM-Omni, stable-diffusion.cpp): `POST /images/generations`.
Hanging up calls a drawing off."""

from __future__ import annotations

import asyncio
import time

import msgspec

from pointsman.actions.image import failures
from pointsman.actions.image.server import Drawn, Order, Server
from pointsman.config.action_schema.image import Image
from pointsman.ports.action import Tell

_BARE = ("gpt-image", "chatgpt-image")
"""Models that give base64 and refuse to be asked for it."""


class _Item(msgspec.Struct, frozen=True):
    b64_json: str | None = None
    url: str | None = None
    revised_prompt: str | None = None


class _Answered(msgspec.Struct, frozen=True):
    data: list[_Item] | None = None


class OpenAiImages:
    """`ports`: server.Draws."""

    def __init__(self, server: Server, image: Image) -> None:
        self._server = server
        self._image = image

    async def draw(self, order: Order, tell: Tell) -> list[Drawn]:
        end = time.monotonic() + order.seconds
        answer = await self._server.call(
            "POST", "/images/generations", self._body(order), seconds=order.seconds, pictures=order.count
        )
        items = await asyncio.to_thread(_items, answer.body)
        return [await self._drawn(item, order.seed, end) for item in items[: order.count]]

    async def _drawn(self, item: _Item, seed: int | None, end: float) -> Drawn:
        if item.b64_json:
            content = await asyncio.to_thread(self._server.decoded, item.b64_json)
        elif item.url and item.url.startswith("data:"):
            content = await asyncio.to_thread(self._server.decoded, item.url)
        elif item.url:
            content = await self._server.fetch(item.url, seconds=end - time.monotonic())
        else:
            raise failures.no_picture("an entry of data with neither b64_json nor url")
        return Drawn(content, seed, item.revised_prompt)

    def _body(self, order: Order) -> dict[str, object]:
        """What OpenAI does not know goes out only where the owner or the request sets it."""
        image = self._image
        body: dict[str, object] = {"prompt": order.prompt, "n": order.count, "size": f"{order.width}x{order.height}"}
        if image.model:
            body["model"] = image.model
        if not (image.model or "").startswith(_BARE):
            body["response_format"] = "b64_json"
        chosen = {
            "negative_prompt": order.negative or None,
            "num_inference_steps": image.steps,
            "guidance_scale": image.cfg,
            "seed": order.seed,
        }
        return body | {key: value for key, value in chosen.items() if value is not None} | image.extra


def _items(body: bytes) -> list[_Item]:
    try:
        return msgspec.json.decode(body, type=_Answered).data or []
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise failures.no_picture(f"images/generations: {error}") from None
