"""Does every engine answer, and has it the model; and what the gateway that runs says is wrong."""

from __future__ import annotations

from pointsman.app.doctor.facts import EngineFacts, GatewayFacts
from pointsman.app.doctor.finding import Finding, note, ok, wrong
from pointsman.domain.said import Said, said


def judge(gateway: GatewayFacts, engines: dict[str, EngineFacts]) -> list[Finding]:
    found = []
    for name, engine in engines.items():
        problem = engine.state.problem
        if engine.state.health == "up" and problem is None:
            continue
        words = problem if isinstance(problem, Said) else Said(problem or "it does not answer", problem or "没有应答")
        saw = said("{name}: {why}", "{name}：{why}", name=name, why=words)
        if engine.state.health == "up":
            found.append(note(saw, _SERVES, _CORRECT))
        else:
            found.append(wrong(saw, _LEFT_OUT, _START))
    told = [each for each in gateway.problems if not any(each.startswith(f"{name}:") for name in engines)]
    found += [wrong(each, _SAYS_SO, _RUNBOOKS) for each in told]
    if found:
        return found
    return [ok(said("{here}; {gateway}", "{here}；{gateway}", here=_here(engines), gateway=_gateway(gateway)))]


def _here(engines: dict[str, EngineFacts]) -> Said:
    if not engines:
        return Said("no engine but the gateway's own", "除了网关自己的，没有别的引擎")
    return said("engines that answer, and have their models: {n}", "有应答、模型也在的引擎：{n} 个", n=len(engines))


def _gateway(gateway: GatewayFacts) -> Said:
    if not gateway.running:
        return said("no gateway runs at {url}", "{url} 没有网关在运行", url=gateway.url)
    if gateway.ready:
        return said("the gateway at {url} is ready", "{url} 的网关已就绪", url=gateway.url)
    return said("the gateway at {url} is not ready yet", "{url} 的网关尚未就绪", url=gateway.url)


_SERVES = Said("it serves, though not as the config says", "它可以服务，但与配置不符")
_CORRECT = Said("correct the config, or the engine", "改正配置，或改正引擎")
_LEFT_OUT = Said(
    "requests for it go to the next target, or fail where there is none", "发给它的请求会转到下一个目标；没有就会失败"
)
_START = Said("start the engine, or correct base_url and model", "启动引擎，或改正 base_url 和 model")
_SAYS_SO = Said("the gateway that runs says so itself", "这是正在运行的网关自己报告的")
_RUNBOOKS = Said("see docs/runbooks/down.md", "见 docs/runbooks/down.zh-CN.md")
