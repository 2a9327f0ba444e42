"""What this config needs installed."""

from __future__ import annotations

from pointsman.app.doctor.facts import ConfigFacts
from pointsman.app.doctor.finding import Finding, ok, wrong
from pointsman.domain.said import Said, said


def judge(config: ConfigFacts) -> list[Finding]:
    missing = [extra for extra in config.extras if not extra.there]
    if not missing:
        names = ", ".join(extra.name for extra in config.extras) or "-"
        return [
            ok(said("what the config needs is installed ({names})", "配置需要的组件都已安装（{names}）", names=names))
        ]
    return [
        wrong(
            said("{name} is not installed", "没有安装 {name}", name=extra.name),
            said("this needs it: {it}", "这些功能需要它：{it}", it=extra.wants),
            Said(*(f"pip install 'pointsman[{extra.name}]'",) * 2),
        )
        for extra in missing
    ]
