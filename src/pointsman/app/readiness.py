"""What `GET /ready` says: can it serve, and all that is wrong."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from pointsman.app.setup import Setup
from pointsman.domain.said import Said, said
from pointsman.domain.wording import INSTALL
from pointsman.fleet.prober import Prober
from pointsman.pipeline.residence.board import Board
from pointsman.store.log_writer import LogWriter

if TYPE_CHECKING:
    from pointsman.admission.scale.signals import Sign

_HEALTH = {"unknown": "状态未知", "loading": "加载中", "up": "正常", "down": "已下线"}

Limits = Callable[[], Mapping[str, tuple[int, str]]]
"""Of each target whose limit adapts: how many sequences it takes now, and why."""


class Readiness:
    """`others` gives what further parts of the process have to say of themselves, `signs` those that one more machine is
    needed: neither of these is a fault, and they stand apart from the problems."""

    def __init__(
        self,
        setup: Callable[[], Setup],
        prober: Prober,
        log: LogWriter,
        board: Board,
        limits: Limits,
        others: Callable[[], Iterable[Said]],
        signs: Callable[[], Iterable[Sign]],
    ) -> None:
        self.refused: Said | None = None
        """Why the last reload was refused, if it was."""
        self._setup = setup
        self._prober = prober
        self._log = log
        self._board = board
        self._limits = limits
        self._others = others
        self._signs = signs

    def __call__(self) -> tuple[bool, dict[str, Any]]:
        """Ready with at least one target up, or where only rules are asked for; and the body of the answer."""
        setup, states = self._setup(), self._prober.states()
        ready = any(state.health == "up" for state in states) or not setup.config.models
        problems = [*self._problems(setup), *self._others()]
        targets = self._targets()
        return ready, {
            "ready": ready,
            "policy": setup.policy.hash,
            "problems": problems,
            "scale": self._scale(setup),
            "targets": targets,
        }

    def _scale(self, setup: Setup) -> list[dict[str, Any]]:
        """`since` in seconds since the epoch."""
        signs = list(self._signs())
        if not signs:
            return []
        from pointsman.admission.scale.words import sentence

        now, zone = time.time(), ZoneInfo(setup.config.server.timezone or "UTC")
        return [{"cause": sign.cause, "since": sign.since, "why": sentence(sign, now, zone)} for sign in signs]

    def _problems(self, setup: Setup) -> Iterator[Said]:
        for state in self._prober.states():
            if state.problem:
                yield said(
                    "{target}: {health}, {problem}",
                    "{target}：{health}，{problem}",
                    target=state.target,
                    health=Said(state.health, _HEALTH[state.health]),
                    problem=state.problem,
                )
        if setup.no_model:
            en = "no model is set up, so only rules answer ({why}). To install: {install}"
            zh = "没有可用的模型，只能由规则回答（{why}）。安装：{install}"
            yield said(en, zh, why=setup.no_model, install=INSTALL)
        for note in setup.unread:
            yield note if isinstance(note, Said) else Said(note, note)
        if self.refused:
            en, zh = "the last reload was refused: {why}", "上一次重新加载被拒绝：{why}"
            yield said(en, zh, why=self.refused)
        if self._log.problem:
            en, zh = "the request log cannot be written: {why}", "请求日志无法写入：{why}"
            yield said(en, zh, why=self._log.problem)

    def _targets(self) -> list[dict[str, Any]]:
        told, limits = [], self._limits()
        for state in self._prober.states():
            target: dict[str, Any] = {
                "target": state.target,
                "health": state.health,
                "problem": state.problem,
                "facts": state.facts,
            }
            if state.nodes:
                target["nodes"] = state.nodes
            if (residence := self._board.of(state.target)) is not None:
                target["residence"] = residence
            if limit := limits.get(state.target):
                target["limit"] = {"sequences": limit[0], "why": limit[1]}
            told.append(target)
        return told
