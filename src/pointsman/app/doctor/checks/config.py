"""Does the config load, and do its rules pass their own cases."""

from __future__ import annotations

from pointsman.app.doctor.facts import ConfigFacts
from pointsman.app.doctor.finding import Finding, ok, wrong
from pointsman.domain.said import Said, said

_SHOWN = 5


def judge(config: ConfigFacts) -> list[Finding]:
    where = config.path or Said("built-in defaults", "内置默认配置")
    if config.problems:
        more = len(config.problems) - _SHOWN
        found = [
            wrong(
                problem,
                Said(
                    "a gateway would not start with it; one that runs keeps the config before",
                    "网关无法用它启动；正在运行的会继续用之前的配置",
                ),
                Said("correct it; pointsman check says the same", "改正它；pointsman check 会给出同样的提示"),
            )
            for problem in config.problems[:_SHOWN]
        ]
        if more > 0:
            found.append(
                wrong(
                    said("and {n} more problems", "另有 {n} 处问题", n=more),
                    Said("as above", "同上"),
                    Said("pointsman check lists them all", "pointsman check 会全部列出"),
                )
            )
        return found
    return [
        ok(
            said(
                "{where}: it loads; {rules} rules, and all of their {cases} cases hold",
                "{where}：可以加载；{rules} 条规则，{cases} 个用例全部通过",
                where=where,
                rules=config.rules,
                cases=config.cases,
            )
        )
    ]
