"""B 4.3, first: models that are not in memory, and would not fit beside what is there now."""

from __future__ import annotations

from pointsman.app.doctor.facts import ConfigFacts, FileFacts, MachineFacts
from pointsman.app.doctor.finding import Finding, note, ok, wrong
from pointsman.domain.said import Said, said
from pointsman.memory.sizes import shown


def judge(config: ConfigFacts, files: tuple[FileFacts, ...], machine: MachineFacts) -> list[Finding]:
    on_demand = {target.model for target in config.targets if target.on_demand}
    found = []
    fit = 0
    for file in files:
        if file.holders or file.needs is None or file.problem is not None:
            continue
        card = max(machine.cards, key=lambda each: each.total, default=None) if file.on_gpu else None
        free = card.total - card.used if card is not None else machine.available
        if file.needs <= free:
            fit += 1
            continue
        saw = said(
            "{model} needs {needs}, and {free} are free {where}",
            "{model} 需要 {needs}，而{where}只空闲 {free}",
            model=file.model,
            needs=shown(file.needs),
            free=shown(free),
            where=Said("on the GPU", "显卡上") if card is not None else Said("in main memory", "内存里"),
        )
        if file.model in on_demand:
            found.append(
                note(
                    saw,
                    Said(
                        "it is loaded when somebody asks for it; another model has to go first",
                        "有人请求时才加载；届时要先卸载别的模型",
                    ),
                    Said(
                        "nothing, if the gateway starts the others too; else unload them: pointsman models unload",
                        "如果其他模型也由网关管理，不必处理；否则先卸载：pointsman models unload",
                    ),
                )
            )
        else:
            found.append(
                wrong(
                    saw,
                    Said("loading it now would fail, or push other programs out", "现在加载会失败，或挤掉别的程序"),
                    Said(
                        "unload what is there and look again; or make it smaller: pointsman models flags MODEL",
                        "先卸载占用内存的，再看一次；或者减小它：pointsman models flags MODEL",
                    ),
                )
            )
    if found:
        return found
    if not fit:
        return [ok(Said("no model waits to be loaded", "没有等待加载的模型"))]
    return [
        ok(
            said(
                "models that are not in memory: {n}, each of which would fit now",
                "未加载的模型：{n} 个，现在都放得下",
                n=fit,
            )
        )
    ]
