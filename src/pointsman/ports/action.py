"""What a rule's action does in the world, as the pipeline sees it."""

from __future__ import annotations

from typing import Any, Protocol

import msgspec

from pointsman.domain.attempt import Outcome
from pointsman.domain.wording import Tongue


class Occasion(msgspec.Struct, frozen=True):
    """For whom and where: the request's id, the language to speak, and the URL under which the client reached the gateway
    (`http://host:port`), for links. `effect` names what is to be done once even where several do it (`req_X.0.1`, fit to
    be part of a key); None: nobody else does it."""

    request_id: str
    tongue: Tongue
    base_url: str
    effect: str | None = None


class Effect(msgspec.Struct, frozen=True):
    """What was done, told to the person. `outcome` is refused where nothing was done on purpose. `asks`: the text is a
    question, and the person's next message may answer it."""

    text: str
    outcome: Outcome = "ok"
    error: str | None = None
    asks: bool = False


class Action(Protocol):
    """Cancelling `run` undoes what is unfinished and leaves nothing running. It raises nothing that a person caused:
    that is an Effect with its words. Where `occasion.effect` is given, what may go better the next time is raised."""

    def check(self, parameters: dict[str, Any]) -> None:
        """Whether `run` would take these, from a client that named the action itself. Raises PointsmanError (400)."""

    async def run(self, parameters: dict[str, Any], occasion: Occasion) -> Effect: ...
