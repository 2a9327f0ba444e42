"""Why a child ended, in a sentence: its exit, the engine's own words where it said something, and where memory was short
what would fit."""

from __future__ import annotations

import re
import signal
from collections.abc import Sequence

import msgspec

from pointsman.domain.said import Said, said
from pointsman.fleet.load_faults import fault_of
from pointsman.fleet.port_owner import explain_port
from pointsman.fleet.settings import Sizing
from pointsman.ports.model_driver import LoadFailure

_PORT = re.compile(r"(?:127\.0\.0\.1|0\.0\.0\.0|localhost|\[?::1?\]?|port)['\": ,]+(\d{2,5})\b")


class End(msgspec.Struct, frozen=True):
    """How the child `name` ended. `code` as subprocess has it; `told` is what it reported itself; `lines` are those of its
    log that may name a cause, `reasons` the few that surely do, `last` its last words. `up`: it had served before."""

    name: str
    place: tuple[str, int]
    code: int | None
    told: Said | None
    lines: Sequence[str]
    reasons: Sequence[str]
    last: Sequence[str]
    up: bool
    command: bool


def failure_of(end: End, sizing: Sizing | None) -> LoadFailure:
    """Blocking: who has a port, and what would fit, is looked at now."""
    fault = fault_of(end.code, [*end.lines, str(end.told or "")])
    if fault is not None and fault.kind == "port":
        named = _PORT.search(fault.line or "")
        host, port = end.place[0], int(named[1]) if named else end.place[1]
        if 0 < port < 65_536:
            return LoadFailure("port", explain_port(host, port))
        taken = said("{name}: the port is taken: {it}", "{name}：端口已被占用：{it}", name=end.name, it=fault.line)
        return LoadFailure("port", taken)
    if fault is not None and fault.kind == "memory":
        from pointsman.fleet.model_memory import what_fits  # the arithmetic of memory is needed here alone

        fits = what_fits(sizing) if sizing is not None else None
        return LoadFailure(
            "memory",
            said(
                "{name} ran out of memory: {how}{fits}",
                "{name} 内存不足：{how}{fits}",
                name=end.name,
                how=_quoted([fault.line]) if fault.line else _exit(end.code),
                fits=said("; {it}", "；{it}", it=fits) if fits else "",
            ),
        )
    words = _quoted(end.reasons or (end.last if end.command else ()))
    if end.told is not None:
        text = said(
            "{name} did not load: {why}",
            "{name} 没有加载成功：{why}",
            name=end.name,
            why=words if end.reasons else end.told,
        )
        return LoadFailure("exited", text)
    if end.command and end.code == 0 and not end.up:
        text = said(
            "the command of {name} ended with exit status 0 before it served: does it go to the background (docker run -d, "
            "a script that starts something with &)? It has to stay in the foreground{words}",
            "{name} 的命令还没有提供服务就以状态 0 结束了：它是不是转入了后台（“docker run -d”，或脚本里用了 &）？"
            "它必须一直在前台运行{words}",
            name=end.name,
            words=said("; it said: {it}", "；它说：{it}", it=words) if words else "",
        )
        return LoadFailure("exited", text)
    text = said(
        "the process of {name} ended: {what}{words}",
        "{name} 的进程已结束：{what}{words}",
        name=end.name,
        what=_exit(end.code),
        words=said(": {words}", "：{words}", words=words) if words else "",
    )
    return LoadFailure("exited", text)


def _quoted(words: Sequence[str]) -> Said:
    text = "; ".join(words)
    return Said(text, f"“{text}”" if text else "")


def _exit(code: int | None) -> Said:
    if code is None or (code >= 0 and code != 128 + signal.SIGKILL):
        return said("exit status {code}", "退出状态 {code}", code=code)
    number = -code if code < 0 else code - 128
    try:
        what = said("killed by {it}", "被 {it} 终止", it=signal.Signals(number).name)
    except ValueError:
        what = said("killed by signal {it}", "被信号 {it} 终止", it=number)
    if number == signal.SIGKILL:
        return said("{what} (the system does that when memory runs out)", "{what}（内存耗尽时系统会这样做）", what=what)
    return what
