"""B 4.1, third: engines to which nothing limits how many requests go at once."""

from __future__ import annotations

from pointsman.app.doctor.facts import ConfigFacts, EngineFacts, GatewayFacts, TargetFacts
from pointsman.app.doctor.finding import Finding, note, ok
from pointsman.domain.said import Said, said


def judge(config: ConfigFacts, gateway: GatewayFacts, engines: dict[str, EngineFacts]) -> list[Finding]:
    free = [target.name for target in config.targets if _unlimited(target, gateway, engines)]
    if not free:
        return [
            ok(said("every engine here has a limit of requests at once", "本网络的每个引擎都有同时处理请求数的上限"))
        ]
    return [
        note(
            said(
                "nothing limits how many requests {names} get at once",
                "{names} 同时收到的请求数没有上限",
                names=", ".join(free),
            ),
            Said(
                "the engine tells no slots, so everybody who comes is let in: replies slow down together, and what does not "
                "fit its cache is turned away or begun anew",
                "引擎没有报告槽位数，来的请求全部放行：大家一起变慢，缓存放不下的会被拒绝或重新开始",
            ),
            Said(
                "limits: {sequences: auto} finds the number out, or give it: limits: {sequences: 4}",
                "limits: {sequences: auto} 会自动摸索，也可以直接写：limits: {sequences: 4}",
            ),
        )
    ]


def _unlimited(target: TargetFacts, gateway: GatewayFacts, engines: dict[str, EngineFacts]) -> bool:
    if target.external or target.ours or target.sequences is not None or gateway.limits.get(target.name) is not None:
        return False
    states = [engine.state for engine in engines.values() if engine.state.target == target.name]
    return any(state.health == "up" and state.facts.slots is None for state in states)  # who is down gets nothing
