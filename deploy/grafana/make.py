"""Makes the dashboards beside this file, one a language: `python deploy/grafana/make.py`. A test holds them against it, and
every query against the metrics that there are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
FILES = {"en": HERE / "pointsman.json", "zh": HERE / "pointsman.zh-CN.json"}
CHAT = 'endpoint=~"chat|completions"'
RATE = "$__rate_interval"
NOW = '{instance=~"$instance"}'

Query = tuple[str, str]
"""PromQL, and how its lines are named."""
Panel = tuple[str, str, str, str, list[Query]]
"""English, Chinese, kind, unit, queries."""


def rate(name: str, labels: str = "") -> str:
    return f'rate(pointsman_{name}{{instance=~"$instance"{", " + labels if labels else ""}}}[{RATE}])'


def grown(name: str, labels: str = "", span: str = "$__range") -> str:
    return f'increase(pointsman_{name}{{instance=~"$instance"{", " + labels if labels else ""}}}[{span}])'


def quantile(share: float, name: str, by: str = "") -> str:
    groups = f"{by}, le" if by else "le"
    return f"histogram_quantile({share}, sum by ({groups}) ({rate(name + '_bucket')}))"


def level(name: str) -> str:
    return f"pointsman_{name}{NOW}"


REQUESTS, DURATION = "requests_total", "request_duration_seconds"
TTFT, WAIT = "time_to_first_token_seconds", "queue_wait_seconds"
FAULTS = 'kind!~"request|limit"'
L0 = 'stage="l0"'
RIGHT = 'stage="l0", judgement="right"'
DONE, HELD, LOST = 'outcome=~"ok|refused|handed_over"', 'outcome!="cancelled"', 'outcome!="sent"'

ROWS: list[tuple[str, str, list[Panel]]] = [
    (
        "Business",
        "业务",
        [
            (
                "Requests intercepted: share that rules answer (L0)",
                "请求拦截率：规则直接答复的比例（L0）", "stat", "percentunit",
                [(f"sum({grown(REQUESTS, f'{CHAT}, {L0}')}) / sum({grown(REQUESTS, CHAT)})", "L0")],
            ),
            (
                "KV memory kept free, against everything on the heavy model",
                "KV 显存节省率，与全部交给重型模型相比", "stat", "percentunit",
                [
                    (
                        f"1 - (sum({grown('kv_taken_bytes_total')}) or vector(0)) / "
                        f"sum({grown('kv_baseline_bytes_total')})",
                        "KV",
                    )
                ],
            ),
            (
                "GPU seconds saved", "省下的 GPU 秒", "stat", "s",
                [(f"sum({grown('gpu_baseline_seconds_total')}) - (sum({grown('gpu_seconds_total')}) or vector(0))", "GPU")],
            ),
            (
                "Precision of rules, by feedback", "规则的准确率，按反馈估计", "stat", "percentunit",
                [(f"sum({grown('judged_total', RIGHT)}) / sum({grown('judged_total', L0)})", "L0")],
            ),
            (
                "Cost", "花费", "stat", "none", [(f"sum({grown('cost_total')})", "")],
            ),
            (
                "Energy", "耗电", "stat", "joule", [(f"sum({grown('energy_joules_total')})", "")],
            ),
            (
                "Requests by the level that decided", "按决定的级别分的请求数", "timeseries", "reqps",
                [(f"sum by (stage) ({rate(REQUESTS, CHAT)})", "{{stage}}")],
            ),
            (
                "GPU seconds a second: taken, and without rules and routing",
                "每秒 GPU 秒：实际，与没有规则和路由时", "timeseries", "none",
                [
                    (f"sum({rate('gpu_seconds_total')})", "taken"),
                    (f"sum({rate('gpu_baseline_seconds_total')})", "baseline"),
                ],
            ),
            (
                "Tasks that succeed", "任务成功率", "timeseries", "percentunit",
                [
                    (
                        f"sum by (task) ({rate('tasks_total', DONE)}) / "
                        f"sum by (task) ({rate('tasks_total', HELD)})",
                        "{{task}}",
                    )
                ],
            ),
            (
                "Feedback", "反馈", "timeseries", "none",
                [(f"sum by (stage, judgement) ({grown('judged_total', span='1h')})", "{{stage}} {{judgement}}")],
            ),
        ],
    ),
    (
        "What users feel",
        "用户的感受",
        [
            (
                "P99 of the whole reply", "整个回复的 P99", "timeseries", "s",
                [(quantile(0.99, DURATION, "entry"), "{{entry}}"), (quantile(0.5, DURATION), "P50")],
            ),
            (
                "Time to the first token (TTFT), P50 and P99", "首个 token 的时间（TTFT），P50 与 P99", "timeseries", "s",
                [(quantile(0.99, TTFT, "target"), "P99 {{target}}"), (quantile(0.5, TTFT, "target"), "P50 {{target}}")],
            ),
            (
                "Time per output token (ITL), P50 and P99", "每个输出 token 的时间（ITL），P50 与 P99", "timeseries", "s",
                [
                    (quantile(0.99, "time_per_output_token_seconds", "target"), "P99 {{target}}"),
                    (quantile(0.5, "time_per_output_token_seconds", "target"), "P50 {{target}}"),
                ],
            ),
            (
                "Errors, by whose fault", "错误，按错误出在哪里分", "timeseries", "reqps",
                [(f"sum by (kind) ({rate('errors_total')})", "{{kind}}")],
            ),
            (
                "Share of requests that fail through no fault of the client's",
                "非客户端过错的失败比例", "timeseries", "percentunit",
                [
                    (
                        f"(sum({rate('errors_total', FAULTS)}) or vector(0)) / "
                        f"sum({rate(REQUESTS, HELD)})",
                        "",
                    )
                ],
            ),
            (
                "Decision, P50 and P99", "决定所用的时间，P50 与 P99", "timeseries", "s",
                [(quantile(0.99, "decision_seconds"), "P99"), (quantile(0.5, "decision_seconds"), "P50")],
            ),
        ],
    ),
    (
        "Admission",
        "准入",
        [
            (
                "Wait at the gate, P50 and P95", "闸口等待，P50 与 P95", "timeseries", "s",
                [(quantile(0.95, WAIT), "P95"), (quantile(0.5, WAIT), "P50")],
            ),
            (
                "Who waits, who was turned away", "排队数与未放行数", "timeseries", "none",
                [
                    (f"sum({level('queue_waiting')})", "waiting"),
                    (f"sum by (why) ({grown('turned_away_total', span=RATE)})", "{{why}}"),
                ],
            ),
            (
                "Jobs parked, and why", "挂起的任务及原因", "timeseries", "none",
                [(f"sum({level('jobs_parked')})", "parked"), (f"max by (cause) ({level('pressure')})", "{{cause}}")],
            ),
            (
                "KV cells taken of those there are", "KV 格占用率", "timeseries", "percentunit",
                [
                    (f"{level('target_cells')} / {level('target_cells_limit')}", "{{target}}"),
                    (level("target_kv_cache_usage_ratio"), "{{target}}: engine"),
                ],
            ),
        ],
    ),
    (
        "Targets",
        "目标",
        [
            (
                "Requests inside, and the limit that was found out", "处理中的请求数与自行摸索的上限", "timeseries", "none",
                [(level("target_inside"), "{{target}}"), (level("target_limit"), "{{target}}: limit")],
            ),
            (
                "Up, and breakers that are not closed", "可用，以及未闭合的熔断器", "timeseries", "none",
                [
                    (level("target_up"), "{{target}}"),
                    ('pointsman_target_breaker{instance=~"$instance", state!="closed"}', "{{target}} {{state}}"),
                ],
            ),
            (
                "Tries by how they ended", "尝试，按结果分", "timeseries", "reqps",
                [(f"sum by (target, outcome) ({rate('attempts_total')})", "{{target}} {{outcome}}")],
            ),
            (
                "Tokens a second, by model", "每秒 token 数，按模型分", "timeseries", "none",
                [
                    (
                        f"sum by (model, type) ({rate('tokens_total')} * on (instance, target) group_left (model) "
                        f"{level('target_info')})",
                        "{{model}} {{type}}",
                    )
                ],
            ),
            (
                "Measured speed of one request", "实测的单请求速度", "timeseries", "none",
                [(level("target_rate"), "{{target}} {{phase}}")],
            ),
            (
                "Time that a target works on a reply, P50 and P99", "目标处理一次回复的时间，P50 与 P99", "timeseries", "s",
                [
                    (quantile(0.99, "target_duration_seconds", "target"), "P99 {{target}}"),
                    (quantile(0.5, "target_duration_seconds", "target"), "P50 {{target}}"),
                ],
            ),
        ],
    ),
    (
        "Rules and arbiters",
        "规则与仲裁",
        [
            (
                "Rules by hits", "规则命中排行", "timeseries", "reqps",
                [(f"topk(10, sum by (rule) ({rate('rule_hits_total')}))", "{{rule}}")],
            ),
            (
                "What arbiters led to", "仲裁的结果", "timeseries", "reqps",
                [(f"sum by (arbiter, outcome) ({rate('arbitrations_total')})", "{{arbiter}} {{outcome}}")],
            ),
            (
                "Share of requests that an arbiter was heard on (L1)", "经过仲裁的比例（L1）", "timeseries", "percentunit",
                [(f"(sum({rate('arbitrations_total')}) or vector(0)) / sum({rate(REQUESTS, CHAT)})", "L1")],
            ),
            (
                "How sure arbiters are, P50; and drifts", "仲裁的把握（P50）与漂移", "timeseries", "none",
                [
                    (quantile(0.5, "arbiter_confidence", "arbiter"), "{{arbiter}}"),
                    (f"sum by (arbiter) ({grown('arbiter_drifts_total', span='1h')})", "{{arbiter}}: drifts"),
                ],
            ),
            (
                "Kept replies", "保留的回复", "timeseries", "reqps",
                [(f"sum by (outcome) ({rate('cache_total')})", "{{outcome}}")],
            ),
            (
                "Marks and masked values", "标记与遮盖的值", "timeseries", "none",
                [
                    (f"sum by (label) ({rate('marks_total')})", "{{label}}"),
                    (f"sum by (kind) ({rate('masked_total')})", "{{kind}}"),
                ],
            ),
        ],
    ),
    (
        "Node",
        "节点",
        [
            ("GPU", "GPU 利用率", "timeseries", "percentunit", [(level("gpu_utilisation_ratio"), "{{gpu}} {{uuid}}")]),
            (
                "GPU memory", "显存", "timeseries", "bytes",
                [
                    (level("gpu_memory_used_bytes"), "{{gpu}} {{uuid}}"),
                    (level("gpu_memory_bytes"), "{{gpu}} {{uuid}}: all"),
                ],
            ),
            (
                "GPU temperature", "GPU 温度", "timeseries", "celsius",
                [(level("gpu_temperature_celsius"), "{{gpu}} {{uuid}}")],
            ),
            ("GPU power", "GPU 功率", "timeseries", "watt", [(level("gpu_power_watts"), "{{gpu}} {{uuid}}")]),
            ("CPU", "CPU 利用率", "timeseries", "percentunit", [(level("node_cpu_ratio"), "{{instance}}")]),
            (
                "Memory: machine and gateway", "内存：机器与网关", "timeseries", "bytes",
                [
                    (level("node_memory_used_bytes"), "{{instance}}"),
                    (level("process_memory_bytes"), "{{instance}}: pointsman"),
                ],
            ),
            (
                "Records, spans and series that were lost", "丢失的记录、span 与序列", "timeseries", "none",
                [
                    (level("log_records_dropped"), "log"),
                    (f"sum by (signal, outcome) ({grown('otlp_total', LOST, RATE)})", "{{signal}} {{outcome}}"),
                    (f"sum by (family) ({grown('series_dropped_total', span=RATE)})", "{{family}}"),
                ],
            ),
        ],
    ),
]  # fmt: skip


def dashboard(tongue: str) -> dict[str, Any]:
    """Grafana's own form, version 39 of its schema (Grafana 10 and 11)."""
    panels: list[dict[str, Any]] = []
    y = 0
    for row_en, row_zh, row in ROWS:
        panels.append(_placed(len(panels), row_zh if tongue == "zh" else row_en, "row", 0, y, 24, 1))
        x, y = 0, y + 1
        tall = 0
        for en, zh, kind, unit, queries in row:
            wide, high = (4, 5) if kind == "stat" else (8, 8)
            if x + wide > 24:
                x, y = 0, y + tall
            panel = _placed(len(panels), zh if tongue == "zh" else en, kind, x, y, wide, high)
            panel["datasource"] = {"type": "prometheus", "uid": "${datasource}"}
            panel["fieldConfig"] = {"defaults": {"unit": unit, "min": 0}, "overrides": []}
            panel["targets"] = [
                {"refId": chr(65 + place), "expr": expr, "legendFormat": legend}
                for place, (expr, legend) in enumerate(queries)
            ]
            panels.append(panel)
            x, tall = x + wide, high
        y += tall
    return {
        "uid": f"pointsman-{tongue}",
        "title": "Pointsman" if tongue == "en" else "扳道工（Pointsman）",
        "tags": ["pointsman"],
        "schemaVersion": 39,
        "editable": True,
        "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"},
        "templating": {"list": [_datasource(tongue), _instance(tongue)]},
        "panels": panels,
    }


def _placed(number: int, title: str, kind: str, x: int, y: int, wide: int, high: int) -> dict[str, Any]:
    return {"id": number + 1, "title": title, "type": kind, "gridPos": {"x": x, "y": y, "w": wide, "h": high}}


def _datasource(tongue: str) -> dict[str, Any]:
    label = "数据源" if tongue == "zh" else "Data source"
    return {"name": "datasource", "label": label, "type": "datasource", "query": "prometheus"}


def _instance(tongue: str) -> dict[str, Any]:
    return {
        "name": "instance",
        "label": "网关" if tongue == "zh" else "Gateway",
        "type": "query",
        "datasource": {"type": "prometheus", "uid": "${datasource}"},
        "query": "label_values(pointsman_build_info, instance)",
        "multi": True,
        "includeAll": True,
        "allValue": ".*",
        "current": {"text": "All", "value": "$__all"},
        "refresh": 2,
    }


def text(tongue: str) -> str:
    return json.dumps(dashboard(tongue), ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    for name, path in FILES.items():
        path.write_text(text(name), encoding="utf-8")
