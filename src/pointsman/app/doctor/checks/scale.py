"""Whether one machine is enough: signs that the gateway sees in its own traffic."""

from __future__ import annotations

from pointsman.app.doctor.facts import GatewayFacts
from pointsman.app.doctor.finding import Finding, note, ok
from pointsman.domain.said import Said


def judge(gateway: GatewayFacts) -> list[Finding]:
    if not gateway.running:
        return [ok(Said("no gateway runs, so nobody waits", "没有网关在运行，也就没有人在等"))]
    if not gateway.scale:
        return [ok(Said("no sign that one more machine is needed", "没有需要再加一台机器的迹象"))]
    return [
        note(
            sign,
            Said("it held for ten minutes at least, so it is no moment's rush", "至少持续了十分钟，不是一时的高峰"),
            Said(
                "what more nodes would have made of this traffic: pointsman report scale",
                "看看同样的流量在更多节点上会怎样：pointsman report scale",
            ),
        )
        for sign in gateway.scale
    ]
