"""B 4.1, note: memory that an allocator holds in pieces too small. Only PyTorch tells; it is not guessed."""

from __future__ import annotations

from pointsman.app.doctor.facts import EngineLog
from pointsman.app.doctor.finding import Finding, ok, wrong
from pointsman.domain.said import Said, said
from pointsman.memory.sizes import shown


def judge(logs: tuple[EngineLog, ...]) -> list[Finding]:
    found = [_broken(log) for log in logs if log.tried and log.reserved and log.reserved >= log.tried]
    if found:
        return found
    if not logs:
        return [ok(Said("no engine of this gateway has written a log", "这个网关的引擎还没有写过日志"))]
    return [
        ok(
            said(
                "no engine's log ({n}) tells of memory that was free and could not be used",
                "{n} 份引擎日志里没有“有空闲却分配不出”的记录",
                n=len(logs),
            )
        )
    ]


def _broken(log: EngineLog) -> Finding:
    return wrong(
        said(
            "{name}: {tried} could not be allocated while {reserved} were held and not in use",
            "{name}：分配 {tried} 失败，而当时有 {reserved} 已占住却没有使用",
            name=log.name,
            tried=shown(log.tried or 0),
            reserved=shown(log.reserved or 0),
        ),
        Said("the memory is there, in pieces that are too small: fragmentation", "显存够，但碎成了太小的块：碎片化"),
        Said(
            'begin the engine anew at a quiet hour (load: {restart: "0 4 * * *"}), and start it with '
            "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
            '在空闲时段重启引擎（load: {restart: "0 4 * * *"}），并在启动时设置 '
            "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
        ),
    )
