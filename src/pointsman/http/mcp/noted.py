"""Calls of tools in the request log, each a record like any other."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pointsman.domain.action import ActionSpec
from pointsman.domain.attempt import Outcome
from pointsman.domain.decision import Decision
from pointsman.domain.errors import PointsmanError
from pointsman.domain.record import Record, Timings
from pointsman.domain.request import Request
from pointsman.domain.said import Said, told
from pointsman.http.exchange import Client
from pointsman.pipeline.acting import hidden_in
from pointsman.pipeline.pipeline import Pipeline
from pointsman.pipeline.quotas import Allowance

_DIRECT = Said("a tool that the client named itself", "客户端直接调用的工具")


class Ending:
    """How a call ended: as if the client had gone, until it is said. `error` is a word for programs. `allow` counts it."""

    def __init__(self, allow: Callable[[], Allowance | None]) -> None:
        self._allow = allow
        self.allowance: Allowance | None = None
        self.outcome: Outcome = "cancelled"
        self.status = 499
        self.error: str | None = "client_closed"

    def begin(self) -> None:
        """Raises PointsmanError where the quota of its key is used up."""
        self.allowance = self._allow()

    def end(self, outcome: Outcome, error: str | None = None) -> None:
        """Whatever came of it, HTTP says 200: the protocol tells the rest."""
        self.outcome, self.status, self.error = outcome, 200, error


class ToolLog:
    """Puts a record of each call, with values that are not to be seen left out; `count` counts it, by tool and outcome. It
    is a request of its key's quota."""

    def __init__(self, pipeline: Pipeline, count: Callable[[str, str], None]) -> None:
        self._pipeline = pipeline
        self._count = count

    @contextlib.contextmanager
    def noting(
        self, client: Client, place: int, name: str, spec: ActionSpec | None, arguments: Mapping[str, Any]
    ) -> Iterator[Ending]:
        """One call, from beginning to end; `spec` is the action's, if the tool is one. `place` is its own among calls that
        came in one request."""
        pipeline = self._pipeline
        ending = Ending(lambda: pipeline.quotas.begin(client.caller.name))
        policy, snapshot = pipeline.policy, pipeline.snapshot()
        began = pipeline.clock.monotonic()
        try:
            yield ending
        except PointsmanError as error:
            ending.end("failed", error.code)
            raise
        except Exception:
            ending.end("failed", "internal")
            raise
        finally:
            if ending.allowance is not None:
                ending.allowance.end(0)
            took = (pipeline.clock.monotonic() - began) * 1000
            decision = Decision(
                stage="l0",
                reason=told(_DIRECT, client.tongue),
                action=name,
                parameters=dict(arguments) if spec is None else hidden_in(arguments, spec.redact),
                execution_path=(name,) if spec is None else spec.path,
                policy=policy.hash,
                snapshot=snapshot.hash,
            )
            record = Record(
                request=_request(client, place),
                received=client.received,
                outcome=ending.outcome,
                decision=decision,
                status=ending.status,
                error=ending.error,
                timings=Timings(decided=0.0, total=took),
            )
            pipeline.recorder.put(record, policy.document, snapshot)
            self._count(name, ending.outcome)


def _request(client: Client, place: int) -> Request:
    return Request(
        id=f"{client.request_id}.{place}" if place else client.request_id,
        endpoint="tool",
        model="",
        turns=(),
        now=client.received,
        user=client.header(b"x-openwebui-user-id"),
        caller=client.caller.name,
        caller_role=client.caller.role,
        caller_group=client.caller.group,
        accept_language=client.header(b"accept-language"),
    )
