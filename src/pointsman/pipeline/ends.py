"""The two ends of a run: what it needs of the client's own request, where bytes go, and what is said where none come."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from pointsman.domain.decision import Decision
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said
from pointsman.domain.target import Target
from pointsman.pipeline.keeping import Repeat
from pointsman.ports.action import Attached
from pointsman.ports.backend import Call

CUT = "the gateway stops"
"""What the task of a request is cancelled with whose client is still there: it is to hear `stopped`."""


class Exchange(Protocol):
    """What execution needs of the client's own request."""

    @property
    def base_url(self) -> str:
        """Where the client reached the gateway."""

    @property
    def must_stream(self) -> bool:
        """Whether the answer has to be a stream of events, or its whole equivalent."""

    @property
    def repeat(self) -> Repeat | None:
        """The request as one that may have been asked before; None where no reply is ever kept."""

    @property
    def apart(self) -> Callable[[Iterable[Target]], None] | None:
        """Work for calls to those targets that the event loop must not wait for; None where there is none."""

    def attached(self) -> Mapping[str, Attached]:
        """The files that came with the last message, by the names that the request has for them. Raises PointsmanError for
        one that cannot be read."""

    def prompt_for(self, target: Target) -> Any:
        """The conversation as the target would get it, for exact counts; None where nothing is to be counted."""

    def call_for(self, target: Target, changes: dict[str, Any], whole: bool) -> Call:
        """The call that an engine gets: the target's name of the model, changes by a rule. `whole`: the engine notices a
        hang-up without being asked for a stream."""

    def masked(self, target: Target) -> dict[str, int] | None:
        """How many values of each kind the target sees placeholders of; None where it sees the request as it is."""


class Sink(Protocol):
    """Where an engine's bytes go."""

    def begin(self, target: str, content_type: str | None) -> None:
        """`target` answered; its bytes follow. `content_type` is what it says of them."""

    def feed(self, data: bytes) -> bool:
        """Takes a piece. False: the next one has to wait for `room`."""

    async def room(self) -> None:
        """Returns when there is room for the next one."""

    def restart(self) -> bool:
        """The target broke off; another one begins anew. False: something of it has reached the client."""


def no_reply(decision: Decision, why: Said) -> PointsmanError:
    """For a decision with an error."""
    if decision.error == "context_length_exceeded":
        return PointsmanError(why, status=400, code="context_length_exceeded", param="messages")
    if decision.error == "keep_local":
        return PointsmanError(why, status=403, type="permission_error", code="keep_local", param="model")
    return PointsmanError(why, status=503, type="overloaded_error", code="no_target")


def stopped() -> PointsmanError:
    """For a request that takes longer than a gateway that stops can wait."""
    return PointsmanError(_STOPPED, status=503, type="api_error", code="gateway_stopped", retry_after=1.0)


_STOPPED = Said(
    "the gateway stops, and this reply took longer than it can wait; please send the request again",
    "网关正在停止，等不到这个回复结束；请重新发送请求",
)
