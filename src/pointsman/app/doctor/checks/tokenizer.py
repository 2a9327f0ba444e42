"""B 4.2, first: engines that count tokens otherwise than prompts are estimated here."""

from __future__ import annotations

from pointsman.app.doctor.facts import LogFacts
from pointsman.app.doctor.finding import Finding, ok, wrong
from pointsman.domain.said import Said, said
from pointsman.recording.token_ratio import LEAST, OFF


def judge(log: LogFacts) -> list[Finding]:
    known = {name: ratio for name, (ratio, many) in log.ratios.items() if many >= LEAST}
    off = {name: ratio for name, ratio in known.items() if abs(ratio - 1) > OFF}
    if not known:
        return [
            ok(
                said(
                    "no target has answered enough requests yet to tell ({n} each)",
                    "还没有目标回答过足够多的请求，无法判断（每个至少 {n} 个）",
                    n=LEAST,
                )
            )
        ]
    if not off:
        return [
            ok(
                said(
                    "engines count tokens as prompts are estimated, within {share:.0%}: {names}",
                    "引擎的 token 计数与估算一致（误差 {share:.0%} 以内）：{names}",
                    share=OFF,
                    names=", ".join(f"{name} × {ratio:.2f}" for name, ratio in known.items()),
                )
            )
        ]
    return [
        wrong(
            said(
                "{name} counts {ratio:.2f} times the tokens that its prompts were estimated to have ({many} requests)",
                "{name} 数出的 token 是估算值的 {ratio:.2f} 倍（{many} 个请求）",
                name=name,
                ratio=ratio,
                many=log.ratios[name][1],
            ),
            Said(
                "its tokenizer is of another kind: bounds of routes and costs are off by as much for it",
                "它的分词器不同：路由的长度界限和成本对它也偏差这么多",
            ),
            Said(
                "set bounds of routes (max_tokens, min_tokens) with that factor in mind; near a context's end the engine's "
                "own tokenizer is asked anyway, where it has one",
                "设置路由界限（max_tokens、min_tokens）时把这个倍数算进去；接近上下文上限时，本来就会询问引擎自己的分词器",
            ),
        )
        for name, ratio in sorted(off.items())
    ]
