"""B 4.3, second: are the models' files whole."""

from __future__ import annotations

from pointsman.app.doctor.facts import FileFacts
from pointsman.app.doctor.finding import Finding, ok, wrong
from pointsman.domain.said import Said, said


def judge(files: tuple[FileFacts, ...]) -> list[Finding]:
    found = [_broken(file.problem) for file in files if file.problem is not None]
    found += [_other(file) for file in files if file.sha256 and file.expected and file.sha256 != file.expected]
    if found:
        return found
    if not files:
        return [ok(Said("the config names no model file of this machine", "配置里没有本机的模型文件"))]
    hashed = sum(file.sha256 is not None for file in files)
    return [
        ok(
            said(
                "whole by their structure: {n}; with a hash that is known: {hashed} (pointsman models verify computes them)",
                "结构完整：{n} 个；已知哈希值：{hashed} 个（pointsman models verify 会计算）",
                n=len(files),
                hashed=hashed,
            )
        )
    ]


def _broken(problem: Said) -> Finding:
    return wrong(
        problem,
        Said("no engine can load it", "引擎无法加载它"),
        Said(
            "fetch it again: pointsman models pull SOURCE goes on where a download broke off",
            "重新下载：pointsman models pull SOURCE 会从中断处续传",
        ),
    )


def _other(file: FileFacts) -> Finding:
    return wrong(
        said(
            "{model} has SHA-256 {found}, and should have {wanted}",
            "{model} 的 SHA-256 是 {found}，应当是 {wanted}",
            model=file.model,
            found=file.sha256,
            wanted=file.expected,
        ),
        Said(
            "the file was damaged on its way or on the disk, or is another one",
            "文件在传输或磁盘上损坏了，或者是另一个文件",
        ),
        Said("fetch it again: pointsman models pull SOURCE", "重新下载：pointsman models pull SOURCE"),
    )
