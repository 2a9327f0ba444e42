"""Stable Diffusion WebUI (AUTOMATIC1111, Forge, SD.Next) with --api: `/sdapi/v1/txt2img`, its progress, its interrupt.

The server goes on when its client hangs up, so a drawing that is called off is interrupted. `interrupt` stops whatever is
drawn there at that moment: whose it is, `/internal/progress` tells by the task's id, where the server has it."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time

import msgspec

from pointsman.actions.image import failures
from pointsman.actions.image.server import ROOM, Drawn, Order, Server
from pointsman.config.action_schema.image import Image
from pointsman.ports.action import ActionFailed, Tell

POLL = 1.0
"""Seconds between two looks at how far it is."""
STOPPING = 3.0
"""Seconds for interrupting, at most."""


class _Answered(msgspec.Struct, frozen=True):
    images: list[str] | None = None
    info: str = "{}"


class _Info(msgspec.Struct, frozen=True):
    """`index_of_first_image` is 1 where a grid of all comes first."""

    all_seeds: list[int] = []
    seed: int | None = None
    index_of_first_image: int = 0


class _State(msgspec.Struct, frozen=True):
    job_count: int = 0


class _Progress(msgspec.Struct, frozen=True):
    progress: float = 0.0
    state: _State = _State()


class _Task(msgspec.Struct, frozen=True):
    active: bool = False
    progress: float | None = None


class SdWebui:
    """`ports`: server.Draws."""

    def __init__(self, server: Server, image: Image) -> None:
        self._server = server
        self._image = image

    async def draw(self, order: Order, tell: Tell) -> list[Drawn]:
        task = f"task({secrets.token_hex(8)})"
        watching = asyncio.create_task(self._watch(task, tell))
        watching.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
        done = False
        try:
            answer = await self._server.call(
                "POST",
                "/sdapi/v1/txt2img",
                self._body(order, task),
                seconds=order.seconds,
                pictures=order.count + 1,
            )
            done = True
        except ActionFailed as failure:
            done = failure.code != "timeout" and failure.code != "too_large"
            raise
        finally:
            watching.cancel()
            try:
                await asyncio.wait({watching})
            finally:
                if not done:
                    await self._stopped(task)
        return await asyncio.to_thread(self._pictures, answer.body, order.count)  # some megabytes of base64

    def _body(self, order: Order, task: str) -> dict[str, object]:
        image = self._image
        body: dict[str, object] = {
            "prompt": order.prompt,
            "negative_prompt": order.negative,
            "width": order.width,
            "height": order.height,
            "batch_size": 1,
            "n_iter": order.count,
            "send_images": True,
            "save_images": False,
            "force_task_id": task,
        }
        chosen = {"steps": image.steps, "cfg_scale": image.cfg, "sampler_name": image.sampler, "seed": order.seed}
        body |= {key: value for key, value in chosen.items() if value is not None}
        if image.model:
            body["override_settings"] = {"sd_model_checkpoint": image.model}
        return body | image.extra

    def _pictures(self, body: bytes, count: int) -> list[Drawn]:
        try:
            answered = msgspec.json.decode(body, type=_Answered)
        except (msgspec.DecodeError, msgspec.ValidationError) as error:
            raise failures.no_picture(f"txt2img: {error}") from None
        try:
            info = msgspec.json.decode(answered.info, type=_Info)
        except (msgspec.DecodeError, msgspec.ValidationError):
            info = _Info()
        first = info.index_of_first_image
        images = (answered.images or [])[max(first, 0) : max(first, 0) + count]
        seeds: list[int | None] = [*info.all_seeds] or [info.seed]
        return [
            Drawn(self._server.decoded(text), seeds[number] if number < len(seeds) else None)
            for number, text in enumerate(images)
        ]

    async def _watch(self, task: str, tell: Tell) -> None:
        """Tells how far it is, until it is cancelled; a server that does not say costs nothing but this."""
        with contextlib.suppress(ActionFailed):  # where it cannot be asked now, the drawing's own call tells
            while True:
                await asyncio.sleep(POLL)
                found = await self._task(task)
                share = found.progress if found is not None else (await self._progress()).progress
                if share is not None and 0 < share <= 1:
                    await tell(round(share * 100), 100)

    async def _stopped(self, task: str) -> None:
        """Interrupts the drawing if it is this one, also where the caller is cancelled again."""

        async def stop() -> None:
            end = time.monotonic() + STOPPING
            with contextlib.suppress(ActionFailed):
                found = await self._task(task)
                if found.active if found is not None else (await self._progress()).state.job_count > 0:
                    await self._server.ask("POST", "/sdapi/v1/interrupt", seconds=end - time.monotonic())

        stopping = asyncio.create_task(stop())
        try:
            await asyncio.shield(stopping)
        except asyncio.CancelledError:
            await asyncio.wait({stopping}, timeout=STOPPING)
            stopping.cancel()
            raise

    async def _task(self, task: str) -> _Task | None:
        """What the server knows of the task; None where it cannot tell."""
        asked = {"id_task": task, "live_preview": False}
        answer = await self._server.ask("POST", "/internal/progress", asked, seconds=STOPPING)
        if answer.status != 200 or answer.ended != "whole":
            return None
        try:
            return msgspec.json.decode(answer.body, type=_Task)
        except (msgspec.DecodeError, msgspec.ValidationError):
            return None

    async def _progress(self) -> _Progress:
        path = "/sdapi/v1/progress?skip_current_image=true"
        answer = await self._server.ask("GET", path, seconds=STOPPING, most=ROOM)
        try:
            return msgspec.json.decode(answer.body, type=_Progress)
        except (msgspec.DecodeError, msgspec.ValidationError):
            return _Progress()
