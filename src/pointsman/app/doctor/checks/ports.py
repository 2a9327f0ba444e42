"""B 4.3, third: ports that somebody else has."""

from __future__ import annotations

from pointsman.app.doctor.facts import ConfigFacts, EngineFacts, GatewayFacts, MachineFacts
from pointsman.app.doctor.finding import Finding, ok, wrong
from pointsman.domain.said import Said, said


def judge(
    config: ConfigFacts, gateway: GatewayFacts, machine: MachineFacts, engines: dict[str, EngineFacts]
) -> list[Finding]:
    found = []
    if not gateway.running and machine.owner is not None:
        found.append(
            wrong(
                machine.owner,
                Said("the gateway cannot start there", "网关无法在那里启动"),
                Said(
                    "end that process, or give the gateway another port: server.port",
                    "结束那个进程，或给网关换个端口：server.port",
                ),
            )
        )
    if not gateway.running:
        found += [wrong(owner, _CANNOT, _OTHER) for owner in machine.owners]
    for name, engine in engines.items():
        if engine.port_owner is not None:
            found.append(
                wrong(
                    said("{name}: {owner}", "{name}：{owner}", name=name, owner=engine.port_owner),
                    Said(
                        "what listens there is not the engine, or not ready", "在那里监听的不是这个引擎，或还没有就绪"
                    ),
                    Said("start the engine on another port, and correct base_url", "让引擎换个端口，并改正 base_url"),
                )
            )
    if found:
        return found
    if gateway.running:
        return [ok(said("the gateway answers at {url}", "网关在 {url} 上应答", url=gateway.url))]
    return [ok(said("port {port} is free for the gateway", "端口 {port} 空闲，网关可以使用", port=config.port))]


_CANNOT = Said(
    "an engine that the gateway starts is to listen there, and cannot", "网关要启动的引擎本该在那里监听，却不能"
)
_OTHER = Said("end that process, or give the backend another port: port", "结束那个进程，或给这个后端换个端口：port")
