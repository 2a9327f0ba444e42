"""The data folder: can it be written, and is there room."""

from __future__ import annotations

from pointsman.app.doctor.facts import ConfigFacts, MachineFacts
from pointsman.app.doctor.finding import Finding, note, ok, wrong
from pointsman.domain.said import Said, said
from pointsman.memory.sizes import MIB

FULL, LITTLE = 256 * MIB, 2048 * MIB


def judge(config: ConfigFacts, machine: MachineFacts) -> list[Finding]:
    if machine.unwritable is not None:
        return [
            wrong(
                machine.unwritable,
                Said("neither the log nor jobs nor keys can be kept", "日志、任务、密钥都无法保存"),
                Said(
                    "give the user of the gateway the folder, or another one: server.data_dir",
                    "把文件夹的权限给网关的用户，或换一个：server.data_dir",
                ),
            )
        ]
    saw = said(
        "{folder} can be written; {free} of {disk} are free",
        "{folder} 可写；磁盘共 {disk}，空闲 {free}",
        folder=config.data_dir,
        free=_of_disk(machine.disk_free),
        disk=_of_disk(machine.disk),
    )
    if machine.disk_free >= LITTLE:
        return [ok(saw)]
    tell = wrong if machine.disk_free < FULL else note
    return [
        tell(
            saw,
            Said("when the disk is full the log stops, and jobs are refused", "磁盘一满，日志就会停写，任务也会被拒绝"),
            Said(
                "keep the log shorter (log: {keep: 7d}), or move the folder: server.data_dir",
                "缩短日志保留时间（log: {keep: 7d}），或换个文件夹：server.data_dir",
            ),
        )
    ]


def _of_disk(size: int) -> str:
    """Disks are large: whole GiB from 10 of them on."""
    gib = size / (1024 * MIB)
    return f"{gib:,.0f} GiB" if gib >= 10 else f"{gib:.1f} GiB" if gib >= 1 else f"{size / MIB:,.0f} MiB"
