"""Every family that /metrics shows: its name, its labels, what it says, and how several processes' figures become one."""

from __future__ import annotations

from typing import Literal

import msgspec

from pointsman.domain.said import Said

Kind = Literal["counter", "gauge", "histogram"]

PREFIX = "pointsman_"

SECONDS = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.0, 40.0, 80.0, 160.0, 320.0, 640.0)
FAST = (1e-5, 2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 1e-2, 5e-2)
GAPS = (0.001, 0.0025, 0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56)
SURE = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98)


class Family(msgspec.Struct, frozen=True):
    """`name` without `pointsman_` before it and the endings that samples have (`_total`, `_bucket`, …). `bounds` are those
    of a histogram. `joined`: what several processes know of a gauge adds up, or is the same thing seen by each, and then the
    largest holds."""

    name: str
    kind: Kind
    labels: tuple[str, ...]
    about: Said
    bounds: tuple[float, ...] = ()
    joined: Literal["sum", "max"] = "sum"


def _counter(name: str, labels: str, en: str, zh: str) -> Family:
    return Family(name, "counter", tuple(labels.split()), Said(en, zh))


def _sum(name: str, labels: str, en: str, zh: str) -> Family:
    return Family(name, "gauge", tuple(labels.split()), Said(en, zh))


def _same(name: str, labels: str, en: str, zh: str) -> Family:
    return Family(name, "gauge", tuple(labels.split()), Said(en, zh), joined="max")


def _spread(name: str, labels: str, bounds: tuple[float, ...], en: str, zh: str) -> Family:
    return Family(name, "histogram", tuple(labels.split()), Said(en, zh), bounds)


SERVICE = (
    _counter("requests", "entry endpoint stage outcome", "Finished requests", "处理完的请求数"),
    _counter(
        "errors",
        "entry kind",
        "Requests that ended in an error, by whose it was",
        "以错误结束的请求数，按错误出在哪里分",
    ),
    _spread("decision_seconds", "", FAST, "From the body to the decision", "从收到请求体到作出决定"),
    _spread(
        "request_duration_seconds",
        "entry stage",
        SECONDS,
        "From the body to the last byte",
        "从收到请求体到发出最后一个字节",
    ),
    _spread(
        "time_to_first_token_seconds",
        "entry target",
        SECONDS,
        "From the body to the first content of a model (TTFT)",
        "从收到请求体到模型给出第一段内容（TTFT）",
    ),
    _spread(
        "time_per_output_token_seconds",
        "target",
        GAPS,
        "From the first content to the end, for each token after the first: a reply's mean gap (ITL, TPOT)",
        "从第一段内容到结束，平均到第一个之后的每个 token：一次回复的平均间隔（ITL、TPOT）",
    ),
    _spread(
        "target_duration_seconds",
        "target",
        SECONDS,
        "What a target worked on a reply, from the call to the last byte",
        "目标处理一次回复的时间，从调用到最后一个字节",
    ),
    _counter(
        "tokens",
        "target type",
        "Tokens through models; `cached` are those of the input that the engine had kept",
        "经过模型的 token 数；`cached` 是输入中引擎已有缓存的部分",
    ),
    _counter("attempts", "target outcome", "Tries at targets", "对目标的尝试次数"),
    _counter("upstream", "target event", "Calls and connections to engines", "对引擎的调用和连接次数"),
    _counter("cache", "outcome", "Requests to entries that keep replies", "发往保留回复的入口的请求数"),
    _counter("masked", "kind", "Values that engines saw placeholders of", "引擎只看到占位符的值的个数"),
    _counter("tool_calls", "tool outcome", "Tools that clients called themselves", "客户端自己调用的工具次数"),
    _counter("reloads", "outcome", "Reloads of the config", "重新加载配置的次数"),
)
ADMISSION = (
    _spread(
        "queue_wait_seconds",
        "entry",
        SECONDS,
        "At the gate before targets",
        "在目标前的闸口等待的时间",
    ),
    _sum("queue_waiting", "", "Requests that wait for a place at targets", "正在等待目标空位的请求数"),
    _counter("turned_away", "why", "Requests that were not let in", "没有放行的请求数"),
    _sum("target_inside", "target", "Requests that a target has", "目标正在处理的请求数"),
    _sum(
        "target_cells",
        "target",
        "Cells of the KV cache, in tokens, that the requests at a target may come to take",
        "目标上的请求可能占用的 KV 缓存格数，以 token 计",
    ),
    _same(
        "target_cells_limit",
        "target",
        "Cells of the KV cache that a target holds in all; not shown where there is no limit",
        "目标的 KV 缓存总格数；没有上限的不显示",
    ),
    _sum(
        "target_limit",
        "target",
        "Sequences that a target may have at a time, where the gateway finds that out itself (`sequences: auto`)",
        "目标同时可处理的序列数，由网关自行摸索时（`sequences: auto`）",
    ),
    _counter("parked", "cause", "Jobs that were parked, by what was under pressure", "挂起的任务数，按哪里吃紧分"),
    _sum("jobs_parked", "", "Jobs that are parked now", "当前挂起的任务数"),
    _same("pressure", "cause", "1 while that pressure holds", "处于该压力时为 1"),
    _same(
        "target_kv_cache_usage_ratio",
        "target",
        "How full the engine says its KV cache is, 0 to 1",
        "引擎自己报告的 KV 缓存占用率，0 到 1",
    ),
    _same("target_running", "target", "Requests that the engine says it works on", "引擎自己报告的正在处理的请求数"),
    _same("target_waiting", "target", "Requests that the engine says wait in it", "引擎自己报告的在其中等待的请求数"),
    _same("target_up", "target", "1 where the last probe found the target up", "上一次探测时目标正常则为 1"),
    _same(
        "target_info",
        "target model backend engine tier external",
        "What a target is made of: for joins by model or backend",
        "目标由什么组成：用来按模型或后端汇总",
    ),
    _same(
        "target_breaker",
        "target state",
        "1 for the state in which a target's breaker is",
        "目标的熔断器所处的状态为 1",
    ),
    _same(
        "target_token_ratio",
        "target",
        "An engine's own count of prompts beside our estimate of them: the median of the last 200",
        "引擎自己的提示词 token 计数与我们估算值之比：最近 200 次的中位数",
    ),
    _same(
        "target_rate",
        "target phase",
        "Tokens a second of one request, as measured: of the prompt (prefill), of the reply (decode)",
        "实测的单个请求每秒 token 数：提示词（prefill）、回复（decode）",
    ),
)
NODES = (
    _same("node_state", "target node state", "1 for the state in which a node is", "节点所处的状态为 1"),
    _same("node_slots", "target node", "Requests that a node is given at a time", "节点同时最多得到的请求数"),
    _sum("node_inside", "target node", "Requests that this gateway has at a node", "本网关在该节点上的请求数"),
    _same(
        "node_success_ratio", "target node", "Share of late tries at a node that worked", "近期对该节点的尝试成功的比例"
    ),
    _same(
        "node_gateways",
        "",
        "Gateways that share nodes over the store, this one included",
        "通过存储共享节点的网关数，包括本网关",
    ),
    _same("registry_up", "kind", "1 while the registry of nodes can be asked", "能查询节点登记时为 1"),
)
MODELS = (
    _same(
        "model_resident", "target", "1 where a model that comes and goes is in memory", "会装卸的模型当前在内存中则为 1"
    ),
    _counter(
        "model_loads",
        "target cause outcome",
        "Loads of models, by why: a request waited, from the start, an operator asked, a restart",
        "加载模型的次数，按原因分：有请求在等、启动时、操作者要求、重启",
    ),
    _counter(
        "model_unloads",
        "target reason",
        "Models that left memory, by why: room for another, unused, an operator asked, restart, reload, lost",
        "模型离开内存的次数，按原因分：给其他模型腾地方、闲置、操作者要求、重启、重新加载配置、自行退出",
    ),
    _spread("model_load_seconds", "target", SECONDS, "What a load took", "加载一次所用的时间"),
)
RULES = (
    _counter("rule_hits", "rule", "Requests that a rule took", "规则命中的请求数"),
    _counter("marks", "label risk", "What rules noted of requests that went on", "规则对放行的请求作的标记"),
    _counter("shadow_hits", "rule", "Requests that a rule in shadow would have taken", "影子规则本来会命中的请求数"),
    _counter("rules_cut", "", "Requests for whose rules time ran out", "规则时间用尽的请求数"),
    _counter("actions", "action outcome", "What rules and arbiters had done", "规则和仲裁执行的动作"),
)
ARBITERS = (
    _counter(
        "arbitrations",
        "arbiter outcome",
        "Requests that an arbiter was heard on, or that the user settled when asked",
        "由仲裁判断、或由用户回答追问而定的请求数",
    ),
    _counter("intents", "intent", "Requests by what an arbiter made of them", "按仲裁得出的意图分的请求数"),
    _counter(
        "arbiter_drifts",
        "arbiter",
        "How often an arbiter became less sure than usual",
        "仲裁的把握低于平时的次数",
    ),
    _spread(
        "arbiter_confidence",
        "arbiter",
        SURE,
        "How sure an arbiter was of the intent that it heard",
        "仲裁对得出的意图有多大把握",
    ),
    _spread("arbiter_seconds", "arbiter", SECONDS, "What an arbiter took to hear a query", "仲裁判断一次所用的时间"),
)
BUSINESS = (
    _counter("tasks", "task outcome", "Finished requests by kind of task", "按任务类型分的请求数"),
    _counter("feedback", "adopted rating", "What callers said of replies", "调用方对回复的反馈"),
    _same(
        "quality_shift",
        "model task",
        "What feedback moves a model's quality at a kind of task by now (task all: at any)",
        "反馈目前对模型在某类任务上质量的修正（task 为 all：所有任务）",
    ),
    _counter(
        "judged",
        "stage judgement",
        "Replies that callers said were right or wrong, by the level that gave them",
        "调用方说对或说错的回复数，按给出回复的级别分",
    ),
    _counter(
        "gpu_seconds",
        "target",
        "GPU seconds that replies took: their tokens by the target's rates, one request alone",
        "回复用掉的 GPU 秒：token 数按目标的速率折算，以单个请求计",
    ),
    _counter(
        "gpu_baseline_seconds",
        "stage",
        "GPU seconds that the same requests would have taken if all had gone to the heavy model",
        "同样的请求若全部交给重型模型要用的 GPU 秒",
    ),
    _sum(
        "gpu_saved_seconds",
        "",
        "GPU seconds saved against everything on the heavy model: the baseline less what was taken",
        "与全部交给重型模型相比省下的 GPU 秒：基线减去实际用掉的",
    ),
    _counter(
        "baseline_tokens",
        "stage type",
        "Tokens that would have gone through the heavy model; of replies that no model gave, a usual reply's",
        "本会经过重型模型的 token 数；没有用模型的回复按通常长度估计",
    ),
    _counter(
        "kv_baseline_bytes",
        "stage",
        "KV memory that the same requests would have taken on the heavy model, summed over requests",
        "同样的请求在重型模型上会占用的 KV 显存，按请求累加",
    ),
    _counter(
        "kv_taken_bytes",
        "target",
        "KV memory that requests took where they went, summed over requests",
        "请求在实际去处占用的 KV 显存，按请求累加",
    ),
    _sum(
        "kv_kept_free_bytes",
        "",
        "KV memory kept free against everything on the heavy model, summed over requests",
        "与全部交给重型模型相比没有占用的 KV 显存，按请求累加",
    ),
    _counter(
        "cost",
        "target",
        "What replies cost, in the currency of the backends' `money_per_hour`",
        "回复的花费，货币同后端的 `money_per_hour`",
    ),
    _counter(
        "energy_joules",
        "target",
        "Energy that replies took, by the backends' `watts`",
        "回复耗用的电能，按后端的 `watts`",
    ),
)
NODE = (
    _same(
        "node_cpu_ratio",
        "",
        "Share of all cores that worked since the reading before",
        "自上次读数起所有核心忙碌的比例",
    ),
    _same("node_memory_used_bytes", "", "Main memory in use", "已用内存"),
    _same("node_memory_bytes", "", "Main memory there is", "内存总量"),
    _same(
        "gpu_utilisation_ratio",
        "uuid gpu",
        "Share of time in which the GPU computed (NVML)",
        "GPU 忙碌的时间比例（NVML）",
    ),
    _same("gpu_memory_used_bytes", "uuid gpu", "GPU memory in use (NVML)", "已用显存（NVML）"),
    _same("gpu_memory_bytes", "uuid gpu", "GPU memory there is (NVML)", "显存总量（NVML）"),
    _same("gpu_temperature_celsius", "uuid gpu", "Temperature of the GPU (NVML)", "GPU 温度（NVML）"),
    _same("gpu_power_watts", "uuid gpu", "Power that the GPU draws (NVML)", "GPU 功率（NVML）"),
    _same(
        "scale_signal",
        "cause",
        "1 while a sign holds that one more machine is needed: `queue_wait`, `p99_rising`, `memory`, `models`",
        "需要再加一台机器的迹象存在时为 1：`queue_wait`、`p99_rising`、`memory`、`models`",
    ),
    _sum("process_memory_bytes", "", "Resident memory of the gateway's processes", "网关各进程的常驻内存"),
    _sum("process_cpu_seconds", "", "CPU time that the gateway's processes took", "网关各进程用掉的 CPU 时间"),
)
OWN = (
    _sum("log_records_dropped", "", "Records that could not be kept", "没能保留的记录数"),
    _counter(
        "series_dropped",
        "family",
        "Counted under `(other)`: a family holds no more label values than its limit",
        "计入 `(other)` 的次数：一族指标的标签值达到了上限",
    ),
    _counter(
        "otlp",
        "signal outcome",
        "Spans and metrics by OTLP: `sent`, `dropped` (the queue was full), `failed` (not taken by the collector)",
        "经 OTLP 的 span 和指标：`sent` 已发送，`dropped` 队列已满，`failed` 收集器没有收下",
    ),
    _same("build_info", "version", "1, with the gateway's version", "恒为 1，带网关的版本"),
)
GROUPS: tuple[tuple[Said, tuple[Family, ...]], ...] = (
    (Said("Service", "服务"), SERVICE),
    (Said("Admission and targets", "准入与目标"), ADMISSION),
    (Said("Nodes of a backend", "后端的各节点"), NODES),
    (Said("Models in memory", "内存中的模型"), MODELS),
    (Said("Rules", "规则"), RULES),
    (Said("Arbiters", "仲裁"), ARBITERS),
    (Said("Business", "业务"), BUSINESS),
    (Said("Node", "节点"), NODE),
    (Said("The gateway itself", "网关自身"), OWN),
)
FAMILIES = {family.name: family for _, families in GROUPS for family in families}
