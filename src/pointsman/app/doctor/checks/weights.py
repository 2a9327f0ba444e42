"""B 4.1, first: what the processes have in memory, against what the model should take; one model twice."""

from __future__ import annotations

from pointsman.app.doctor.facts import FileFacts, Holding
from pointsman.app.doctor.finding import Finding, note, ok, wrong
from pointsman.domain.said import Said, said
from pointsman.memory.sizes import MIB, shown

_MORE = 1.5
_LEAST = 256 * MIB


def judge(files: tuple[FileFacts, ...]) -> list[Finding]:
    found = [finding for file in files if (finding := _judged(file)) is not None]
    if found:
        return found
    if not files:
        return [ok(Said("the config names no model file of this machine", "配置里没有本机的模型文件"))]
    held = sum(bool(file.holders) for file in files)
    return [
        ok(
            said(
                "models whose files lie here: {n}; in memory: {held}; twice: none",
                "文件在本机的模型：{n} 个；在内存中：{held} 个；没有重复加载",
                n=len(files),
                held=held,
            )
        )
    ]


def _judged(file: FileFacts) -> Finding | None:
    if len(file.holders) > 1:
        return wrong(
            said(
                "{model} is in the memory of {n} processes: {who}",
                "{model} 同时在 {n} 个进程的内存里：{who}",
                model=file.model,
                n=len(file.holders),
                who=", ".join(map(_named, file.holders[:4])),
            ),
            said(
                "it was loaded more than once: each instance has a cache of its own, and on a GPU the weights "
                "({weights}) again",
                "它被重复加载了：每个实例都有自己的缓存，在显卡上权重（{weights}）也各占一份",
                weights=shown(file.weights),
            ),
            said(
                "end the instances that nobody asks; several backends of the config may name one engine instead of a model "
                "each",
                "结束没有人用的实例；配置里的几个后端可以指向同一个引擎，不必各自加载",
            ),
        )
    for holder in file.holders:
        taken = holder.gpu if file.on_gpu else holder.memory
        if taken and file.needs and taken > max(_MORE * file.needs, file.needs + _LEAST):
            return note(
                said(
                    "{who} takes {taken} for {model}; weights and cache come to {needs}",
                    "{who} 为 {model} 占用 {taken}；权重加缓存应为 {needs}",
                    who=_named(holder),
                    model=file.model,
                    taken=shown(taken),
                    needs=shown(file.needs),
                ),
                Said(
                    "what lies between is not this model: another model in the same process, other settings than the "
                    "config's, or memory that was never given back",
                    "多出来的不是这个模型：同一进程里还有别的模型、启动参数与配置不同，或内存没有归还",
                ),
                Said(
                    'look at the engine\'s command line; begin it anew at a quiet hour: load: {restart: "0 4 * * *"}',
                    '查看引擎的命令行；在空闲时段重启它：load: {restart: "0 4 * * *"}',
                ),
            )
    return None


def _named(holder: Holding) -> str:
    return f"{holder.name} (pid {holder.pid}, {shown(holder.gpu or holder.memory)})"
