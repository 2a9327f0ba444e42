"""Who can reach the gateway, and whether they need a key."""

from __future__ import annotations

from pointsman.app.doctor.facts import ConfigFacts
from pointsman.app.doctor.finding import Finding, ok, wrong
from pointsman.domain.said import Said, said


def judge(config: ConfigFacts) -> list[Finding]:
    place = f"{config.host}:{config.port}"
    if not config.public:
        return [ok(said("{place}: this machine alone reaches it", "{place}：只有本机能访问", place=place))]
    if config.keys:
        return [
            ok(
                said(
                    "{place}: other machines reach it, and need one of {n} keys",
                    "{place}：其他机器可以访问，需要 {n} 个密钥之一",
                    place=place,
                    n=config.keys,
                )
            )
        ]
    return [
        wrong(
            said(
                "{place}: every machine reaches it, without a key", "{place}：任何机器都能访问，不需要密钥", place=place
            ),
            Said("anybody uses the models, and reads what rules answer", "谁都能使用模型，读到规则的回答"),
            Said(
                "make keys: pointsman keys new NAME, and put them under auth.keys",
                "生成密钥：pointsman keys new NAME，写入 auth.keys",
            ),
        )
    ]
