"""`/admin/models`: which models are in memory, and an operator's word on that."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from pointsman.domain.errors import PointsmanError
from pointsman.domain.residence import Residence
from pointsman.domain.said import Said, said
from pointsman.domain.target import BackendState
from pointsman.http.exchange import Client
from pointsman.pipeline.residence.board import Board
from pointsman.ports.model_driver import LoadFailure

Manage = Callable[[str, str], Awaitable[Residence]]
"""`load`, `unload`, `pin` or `unpin` a target. Raises KeyError where its model does not come and go, LoadFailure."""


class ModelsDoor:
    """A model is named by its target, or by its own name where that is one target's alone."""

    def __init__(self, board: Board, states: Callable[[], Sequence[BackendState]], manage: Manage) -> None:
        self._board = board
        self._states = states
        self._manage = manage

    def ls(self, client: Client) -> None:
        """Also those that are always there."""
        only_admins(client)
        client.json(200, {"models": [self._shown(state) for state in self._states()]})

    async def load(self, client: Client, _: bytes) -> None:
        """Answers when it is in memory."""
        await self._done("load", client)

    async def unload(self, client: Client, _: bytes) -> None:
        """Answers when its memory is free."""
        await self._done("unload", client)

    async def pin(self, client: Client, _: bytes) -> None:
        await self._done("pin", client)

    async def unpin(self, client: Client, _: bytes) -> None:
        await self._done("unpin", client)

    async def _done(self, verb: str, client: Client) -> None:
        only_admins(client)
        target = self._target(client.named)
        try:
            residence = await self._manage(verb, target)
        except KeyError:
            always = said(
                "{target} is always in memory, as far as this gateway knows",
                "据本网关所知，{target} 一直在内存中",
                target=target,
            )
            raise PointsmanError(always, status=409, code="not_managed") from None
        except LoadFailure as failure:
            raise PointsmanError(failure.said, status=409, code=f"model_{failure.fault}") from None
        client.json(200, _told(residence))

    def _target(self, named: str) -> str:
        targets = [state.target for state in self._states()]
        found = [name for name in targets if named in (name, name.rpartition("@")[0])]
        if named in found or len(found) == 1:
            return named if named in found else found[0]
        en, zh = "no model {name}", "没有模型 {name}"
        if found:
            en, zh = "{name} is served by several backends: name one", "{name} 由多个后端提供：请指明一个"
        valid = said(" (valid: {valid})", "（合法取值：{valid}）", valid=", ".join(found or targets))
        message = said(f"{en}{{valid}}", f"{zh}{{valid}}", name=named, valid=valid)
        raise PointsmanError(message, status=404, type="not_found_error", code="no_such_model")

    def _shown(self, state: BackendState) -> dict[str, Any]:
        residence = self._board.of(state.target)
        inside, _ = self._board.gate.inside(state.target)
        own = {
            "target": state.target,
            "health": state.health,
            "comes_and_goes": residence is not None,
            "inside": inside,
        }
        if residence is not None:
            return {**own, **_told(residence)}
        stage = {"up": "ready", "down": "failed", "loading": "loading"}.get(state.health, "unknown")
        return {**own, "stage": stage, "problem": state.problem, "load_seconds": state.load_seconds}


def _told(residence: Residence) -> dict[str, Any]:
    return {name: getattr(residence, name) for name in Residence.__struct_fields__}


def only_admins(client: Client) -> None:
    """Raises PointsmanError for everybody else."""
    if not client.caller.admin:
        raise PointsmanError(
            Said(
                "this needs a key with admin: true, or a client on this machine",
                "这需要设有 admin: true 的密钥，或者从本机调用",
            ),
            status=403,
            type="permission_error",
            code="admin_only",
        )
