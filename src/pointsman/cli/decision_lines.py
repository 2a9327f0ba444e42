"""A decision as people read it."""

from __future__ import annotations

import re

from pointsman.domain.decision import Decision, RateSource, TargetChoice, Terms, Wants
from pointsman.domain.features import Features
from pointsman.domain.intent import Hearing
from pointsman.domain.said import Said, Tongue, said, told
from pointsman.domain.wording import say
from pointsman.pipeline.scored import cost_text


def decision_lines(decision: Decision, tongue: Tongue) -> list[str]:
    def line(label: Said, text: str) -> str:
        return f"{told(label, tongue)}{' ' * (9 - _columns(told(label, tongue)))}{text}"

    lines = [line(_STAGE, decision.stage), line(_REASON, decision.reason)]
    if decision.rule:
        lines.append(line(_RULE, f"{decision.rule} → {decision.action}"))
    if decision.intent:
        sure = "" if decision.confidence is None else f" ({decision.confidence:.2f})"
        leads = f" → {decision.action}" if decision.action and not decision.rule else ""
        lines.append(line(_INTENT, f"{decision.intent}{sure}{leads}"))
    if decision.hearing:
        lines += [line(_HEARD, told(text, tongue)) for text in _heard(decision.hearing)]
    if decision.fallback_reason:
        lines.append(line(_FALLBACK, decision.fallback_reason))
    if decision.wants:
        lines.append(line(_WANTS, told(_WANTED[decision.wants], tongue)))
    lines += [line(_MATCHED, f"{m.group}: {m.text} ({m.start}–{m.end})") for m in decision.matched]
    if decision.framed:
        lines.append(line(_FRAMED, f"{decision.framed.frame} ({decision.framed.start}–{decision.framed.end})"))
    for mark in decision.marks:
        lines.append(line(_MARK, f"{mark.label} ({mark.risk}): {', '.join(m.text for m in mark.matched)}"))
    lines += [line(_SHADOW, rule) for rule in decision.shadow]
    if decision.parameters:
        for key, value in decision.parameters.items():
            if key != "refused":
                first, *more = str(value).splitlines() or [""]
                lines += [f"{key:<8} {first}", *(f"{'':<8} {each}" for each in more)]
    if decision.deliver:
        lines.append(line(_DELIVER, ", ".join(decision.deliver)))
    for choice in decision.targets:
        lines.append(line(_TARGET, told(_chosen(choice), tongue)))
        if choice.terms is not None:
            lines += [f"{'':<9}{told(text, tongue)}" for text in _scored(choice, choice.terms)]
    if decision.last:
        lines.append(line(_LAST, decision.last))
    lines += [line(_LEFT_OUT, told(_chosen(choice), tongue)) for choice in decision.left_out]
    if decision.error:
        lines.append(line(_ERROR, decision.error))
    if decision.features:
        lines.append(line(_FEATURES, told(_shown(decision.features), tongue)))
    lines.append(line(_POLICY, decision.policy))
    return lines


_STAGE = Said("stage", "阶段")
_REASON = Said("reason", "原因")
_RULE = Said("rule", "规则")
_INTENT = Said("intent", "意图")
_HEARD = Said("heard", "听到")
_FALLBACK = Said("unsure", "存疑")
_WANTS = Said("open", "未定")
_WANTED: dict[Wants, Said] = {
    "hearing": Said("the arbiter would be asked first", "会先询问仲裁器"),
    "second": Said("a second arbiter would be asked first", "会先询问第二个仲裁器"),
    "filling": Said("a model would read the parameters first", "会先由模型读取参数"),
    "meaning": Said(
        "the embedding model would be asked first; task and difficulty are told by spelling here",
        "会先询问向量模型；这里的任务和难度按字面判断",
    ),
}
_DELIVER = Said("sent to", "发送到")
_MATCHED = Said("matched", "命中")
_FRAMED = Said("frame", "模板")
_MARK = Said("mark", "标记")
_SHADOW = Said("shadow", "影子")
_TARGET = Said("target", "目标")
_LAST = Said("before", "上次")
_LEFT_OUT = Said("left out", "排除")
_ERROR = Said("error", "错误")
_FEATURES = Said("features", "特征")
_POLICY = Said("policy", "策略")
_SOURCES = {"declared": "声明", "classified": "分类", "inferred": "推测"}
_WHYS = (
    (r"fallback", "默认"),
    (r"policy (.*)", r"策略 \1"),
    (r"route (.*)", r"路由 \1"),
    (r"rule (.*)", r"规则 \1"),
    (r"intent (.*)", r"意图 \1"),
    (r"named as (.*)", r"指定了 \1"),
    (r"embedding model", "嵌入模型"),
    (r"holds the prompt", "装得下这段提示词"),
    (r"external, and this entry keeps requests local", "外部后端，而这个入口的请求必须留在本网内"),
    (r"holds (\d+) tokens, the prompt has (\d+)", r"最多 \1 个 token，提示词有 \2 个"),
)


def _columns(text: str) -> int:
    """How wide a label is on a terminal: an ideograph takes two columns."""
    return sum(1 if character.isascii() else 2 for character in text)


def _chosen(choice: TargetChoice) -> Said:
    return said("{target} ({why})", "{target}（{why}）", target=choice.target, why=_why(choice.why))


def _scored(choice: TargetChoice, terms: Terms) -> list[Said]:
    """The terms of a score, a line each for what they are and whence."""
    sums = said(
        "score {score} = quality {quality}, latency {latency_share} of the slowest, cost {cost_share} of the dearest{bonus}",
        "得分 {score} = 质量 {quality}，延迟为最慢者的 {latency_share}，成本为最贵者的 {cost_share}{bonus}",
        score=f"{choice.score:.3f}",
        quality=f"{choice.quality:.2f}",
        latency_share=f"{terms.latency_share:.2f}",
        cost_share=f"{terms.cost_share:.2f}",
        bonus=said(", {bonus} for staying", "，留任加 {bonus}", bonus=f"{terms.bonus:.2f}") if terms.bonus else "",
    )
    whence = said(
        "quality: {quality}{shift}; {latency} s at rates {rates}{wait}; {cost}",
        "质量：{quality}{shift}；{latency} 秒，速率{rates}{wait}；{cost}",
        quality=_said(f"score.from.{terms.quality_from}"),
        shift=said(", feedback {shift}", "，反馈修正 {shift}", shift=f"{terms.shift:+.2f}") if terms.shift else "",
        latency=f"{choice.latency:.2f}",
        rates=_RATES[terms.rate_from],
        wait=_wait(choice),
        cost=Said(cost_text(choice, "en"), cost_text(choice, "zh")),
    )
    return [sums, whence]


_RATES: dict[RateSource, Said] = {
    "measured": Said("as measured", "为实测值"),
    "size": Said("usual for its size", "按模型规模估计"),
    "tier": Said("usual for its tier", "按档位估计"),
    "none": Said("assumed", "为假定值"),
}


def _wait(choice: TargetChoice) -> Said:
    if not choice.in_flight and not choice.wait:
        return Said("", "")
    return said(
        ", {wait} s of them waiting ({in_flight} in flight)",
        "，其中等待 {wait} 秒（正在处理 {in_flight} 个）",
        wait=f"{choice.wait or 0.0:.1f}",
        in_flight=choice.in_flight,
    )


def _said(key: str) -> Said:
    return Said(say(key, "en"), say(key, "zh"))


def _why(text: str) -> Said:
    """Why a target was chosen or left out, which decisions say in English."""
    for pattern, zh in _WHYS:
        if found := re.fullmatch(pattern, text):
            return Said(text, found.expand(zh))
    return Said(text, text)


def _heard(hearing: Hearing) -> list[Said]:
    """What each arbiter heard."""
    texts = []
    for heard in (hearing.first, hearing.second):
        if heard is None:
            continue
        if heard.failure is not None:
            texts.append(Said(f"{heard.arbiter}: {heard.failure}", f"{heard.arbiter}：{heard.failure}"))
            continue
        scores = ", ".join(f"{name} {score:.2f}" for name, score in heard.scores[:3])
        en = "{arbiter}: {scores}; outside {outside}{cut}"
        zh = "{arbiter}：{scores}；集合之外 {outside}{cut}"
        cut = Said(" (cut)", "（已截断）") if heard.cut else Said("", "")
        texts.append(said(en, zh, arbiter=heard.arbiter, scores=scores, outside=f"{heard.outside:.2f}", cut=cut))
    return texts


def _shown(features: Features) -> Said:
    task: str = said("none", "无")
    sure = features.task_confidence
    if features.task_type:
        source = Said(features.task_source, _SOURCES.get(features.task_source, features.task_source))
        by = source if sure is None else Said(f"{source} {sure:.2f}", f"{source.zh} {sure:.2f}")
        task = said("{task} ({source})", "{task}（{source}）", task=features.task_type, source=by)
    elif sure is not None:
        task = said("none (not sure enough: {sure})", "无（把握不够：{sure}）", sure=f"{sure:.2f}")
    hard = features.difficulty
    difficult = said("", "") if hard is None else said(", difficulty {hard}", "，难度 {hard}", hard=f"{hard:.2f}")
    return said(
        "{about}{tokens} tokens, {language}, turn {turn}, task {task}{difficult}",
        "{about}{tokens} 个 token，{language}，第 {turn} 轮，任务：{task}{difficult}",
        about="" if features.exact else said("about ", "约 "),
        tokens=features.input_tokens,
        language=features.language,
        turn=features.turns,
        task=task,
        difficult=difficult,
    )
