"""B 4.1: memory that ran out, by what engines said, what their logs hold, and whom the system ended."""

from __future__ import annotations

from pointsman.app.doctor.facts import EngineLog, GatewayFacts, LogFacts, MachineFacts
from pointsman.app.doctor.finding import Finding, note, ok, wrong
from pointsman.domain.said import Said, said
from pointsman.routing.causes import cause_of

_LINE = 160  # characters of a log that are shown
_DO = Said(
    "see what fits: pointsman fit MODEL, and with which flags: pointsman models flags MODEL",
    "看看放得下什么：pointsman fit MODEL；该用什么参数：pointsman models flags MODEL",
)

_NOW = Said(
    "the gateway's own words for an engine that did not get its memory", "这是网关对一个没有得到内存的引擎的说明"
)


def judge(log: LogFacts, logs: tuple[EngineLog, ...], machine: MachineFacts, gateway: GatewayFacts) -> list[Finding]:
    found = [wrong(problem, _NOW, _DO) for problem in gateway.problems if cause_of(problem) == "out_of_memory"]
    for target, causes in log.causes.items():
        if times := causes.get("out_of_memory"):
            found.append(
                wrong(
                    said(
                        "{target} said {times} times within {days} days that memory ran out",
                        "{days} 天内 {target} 有 {times} 次报告内存不足",
                        target=target,
                        times=times,
                        days=log.days,
                    ),
                    Said(
                        "its cache, its context or its model is larger than what is free for it",
                        "它的缓存、上下文或模型超过了留给它的内存",
                    ),
                    _DO,
                )
            )
    for each in logs:
        if each.kind == "memory":
            found.append(
                wrong(
                    said(
                        "the log of {name} says: {line}",
                        "{name} 的日志里写着：{line}",
                        name=each.name,
                        line=_short(each.line or ""),
                    ),
                    Said("the engine did not get the memory that it asked for", "引擎没有得到它申请的内存"),
                    _DO,
                )
            )
    if machine.killed:
        found.append(
            note(
                said(
                    "the system has ended {n} processes for want of memory since it began",
                    "开机以来系统因内存不足结束了 {n} 个进程",
                    n=machine.killed,
                ),
                Said(
                    "main memory was full: an engine that vanishes without a word is ended so (exit status 137, or SIGKILL)",
                    "内存曾经耗尽：引擎一声不响地消失，多半就是这样（退出状态 137，或 SIGKILL）",
                ),
                Said(
                    "see whom: journalctl -k | grep -i oom; bound what models take together: memory: {budget: …}",
                    "查看是谁：journalctl -k | grep -i oom；限制模型的总占用：memory: {budget: …}",
                ),
            )
        )
    return found or [ok(said("memory has not run out, as far as logs tell", "从日志看，没有出现过内存不足"))]


def _short(line: str) -> str:
    return line if len(line) <= _LINE else line[:_LINE] + "…"
