"""The arbiter of a running gateway, as it hears each text that no rule takes: `POST /v1/decide` tells what it heard."""

from __future__ import annotations

import asyncio
import re

import msgspec

from pointsman.cli.gateway_client import Client
from pointsman.domain.decision import Decision
from pointsman.domain.intent import Heard, Query

_MODEL = re.compile(r"(.+?-[0-9a-f]{12})(?:/[0-9a-f]{12})?")
_JSON = {"content-type": "application/json"}


class AskedGateway:
    """Each text is asked once. Raises Unreachable, Refused."""

    name = "gateway"

    def __init__(self, client: Client) -> None:
        self._client = client
        self._heard: dict[str, Heard] = {}

    async def hear(self, query: Query) -> Heard:
        known = self._heard.get(query.text)
        if known is None:
            known = self._heard[query.text] = await asyncio.to_thread(self._ask, query.text)
        return known

    async def ready(self) -> bool:
        return True

    async def aclose(self) -> None:
        """Holds nothing."""

    def _ask(self, text: str) -> Heard:
        answer = self._client.json("POST", "/v1/decide", msgspec.json.encode({"text": text}), _JSON)
        hearing = msgspec.convert(answer, Decision).hearing
        return Heard(arbiter=self.name, model="", failure="unavailable") if hearing is None else hearing.first


def heads_of(heard: Heard) -> str:
    """Whom a calibration is for, out of the name that tells both: the calibration's own hash comes last, where there is
    one."""
    if heard.arbiter == "embedded":
        return heard.model.rpartition("/")[0]
    found = _MODEL.fullmatch(heard.model)
    return found[1] if found else heard.model
