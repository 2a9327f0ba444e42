"""B 4.3: models that are loaded again and again."""

from __future__ import annotations

from pointsman.app.doctor.facts import GatewayFacts, ModelNow
from pointsman.app.doctor.finding import Finding, note, ok, wrong
from pointsman.domain.said import Said, said

LEAST, _OFTEN = 6, 0.5


def judge(gateway: GatewayFacts) -> list[Finding]:
    if not gateway.running:
        return [ok(said("no gateway runs, so nothing is loaded", "没有网关在运行，也就没有加载"))]
    models = gateway.models or ()
    found = [_failed(model) for model in models if model.stage == "failed" and model.problem is not None]
    found += [_often(model) for model in models if model.loads >= LEAST and model.evictions >= _OFTEN * model.loads]
    if found:
        return found
    return [
        ok(
            said(
                "{n} models come and go; they were loaded {loads} times since the gateway began",
                "按需加载的模型有 {n} 个；网关启动以来共加载 {loads} 次",
                n=len(models),
                loads=sum(model.loads for model in models),
            )
        )
    ]


def _failed(model: ModelNow) -> Finding:
    return wrong(
        said("{name}: {why}", "{name}：{why}", name=model.target, why=model.problem),
        Said(
            "the last load came to nothing; requests go elsewhere, or fail", "上一次加载失败；请求会转到别处，或者失败"
        ),
        Said("pointsman models load NAME tries it again", "pointsman models load NAME 可再试一次"),
    )


def _often(model: ModelNow) -> Finding:
    seconds = said(", {s:.0f} s each time", "，每次 {s:.0f} 秒", s=model.load_seconds) if model.load_seconds else ""
    return note(
        said(
            "{name} was loaded {loads} times and pushed out {evictions} times{seconds}",
            "{name} 加载了 {loads} 次，被挤出 {evictions} 次{seconds}",
            name=model.target,
            loads=model.loads,
            evictions=model.evictions,
            seconds=seconds,
        ),
        Said(
            "the models that are asked for do not fit together: time goes into loading",
            "要用的模型一起放不下：时间都花在加载上",
        ),
        Said(
            "which fit together: pointsman fit --plan pointsman.yaml; smaller caches or quantisations, or a larger budget; "
            "more patience makes loads fewer: memory: {patience: …}",
            "看看哪些能放在一起：pointsman fit --plan pointsman.yaml；减小缓存或量化，或增大预算；"
            "多等一会儿可以少加载几次：memory: {patience: …}",
        ),
    )
