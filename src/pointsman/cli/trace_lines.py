"""A request or a job, and the way that it took, as people read them. What comes in is JSON as the API shows it."""

from __future__ import annotations

import time
from typing import Any

import msgspec

from pointsman.cli.decision_lines import decision_lines
from pointsman.cli.job_words import long_span, moment
from pointsman.cli.table import columns, table
from pointsman.domain.decision import Decision
from pointsman.domain.said import Said, Tongue, encodable, said, told

_STEP = ("number", "event", "state", "disposition", "at", "ms", "worker", "token", "why")
"""Of a step, what has a column of its own; the rest is about it."""


def plain(value: Any, tongue: Tongue) -> Any:
    """As a client that speaks this language gets it."""
    return msgspec.json.decode(msgspec.json.encode(value, enc_hook=lambda part: encodable(part, tongue)))


def labelled(pairs: list[tuple[Said, str | None]], tongue: Tongue) -> list[str]:
    """Label and value, a line each; those without a value are left out."""
    shown = [(told(label, tongue), value) for label, value in pairs if value]
    width = max((columns(label) for label, _ in shown), default=0)
    return [f"{label}{' ' * (width - columns(label))}  {value}" for label, value in shown]


def summary_lines(
    summary: dict[str, Any], tongue: Tongue, more: list[tuple[Said, str | None]] | None = None
) -> list[str]:
    """What it is and where it is now. `more` are lines after those."""
    pairs = _of_job(summary, tongue) if summary["object"] == "job" else _of_request(summary, tongue)
    return labelled([*pairs, *(more or ())], tongue)


def path_lines(path: list[dict[str, Any]], tongue: Tongue) -> list[str]:
    """A line each step: when, how long after the one before, what happened, where it was then, who did it, and why."""
    days = {time.strftime("%m-%d ", time.localtime(step["at"])) for step in path if step["at"] is not None}
    rows, before, told_before = [], None, _Told("", {})
    for step in path:
        why, told_before = _why(step, told_before, tongue)
        rows.append(
            [
                str(step["number"]),
                _time(step["at"], len(days) > 1),
                _after(step["at"], before),
                step["event"],
                _state(step),
                step.get("worker") or "-",
                why,
            ]
        )
        before = step["at"] if step["at"] is not None else before
    heads = [told(head, tongue) for head in _HEADS]
    if all(row[5] == "-" for row in rows):
        heads, rows = [*heads[:5], heads[6]], [[*row[:5], row[6]] for row in rows]
    return table(heads, rows, {0, 2})


def trace_lines(trace: dict[str, Any], tongue: Tongue) -> list[str]:
    """The way, then the decision and the tries at targets, as far as they are known."""
    lines = ["", told(_PATH, tongue), *_indented(path_lines(trace["path"], tongue))]
    if trace["decision"] is not None:
        decision = msgspec.convert(trace["decision"], Decision)
        lines += ["", told(_DECISION, tongue), *_indented(decision_lines(decision, tongue))]
    if trace["attempts"]:
        rows = [_attempt(number, attempt) for number, attempt in enumerate(trace["attempts"], 1)]
        heads = [told(head, tongue) for head in _TRIES]
        lines += ["", told(_ATTEMPTS, tongue), *_indented(table(heads, rows, {0, 2, 3}))]
    return lines


def _of_job(job: dict[str, Any], tongue: Tongue) -> list[tuple[Said, str | None]]:
    error, progress = job["error"], job["progress"]
    counts = ((job["failures"], _FAILED), (job["lost"], _LOST), (job["generation"] - 1, _REVIVED))
    tried = [f"{told(name, tongue)} {count}" for count, name in counts if count]
    return [
        (_JOB, job["id"]),
        (_KIND, _joined([job["kind"], job["priority"]], tongue)),
        (_REQUEST, job["request_id"]),
        (_STATE, _joined([_state(job), job["outcome"]], tongue)),
        (_PROGRESS, f"{progress['done']} / {progress['of']}" if progress else None),
        (_CREATED, moment(job["created_at"])),
        (_UPDATED, moment(job["updated_at"])),
        (_EXPIRES, moment(job["expires_at"]) if job["expires_at"] else None),
        (_WORKER, job["worker"]),
        (_TRIED, _joined(tried, tongue)),
        (_ERROR, error and told(said(*_CODED, code=error["code"], why=error["message"] or "-"), tongue)),
        (_WEBHOOK, job["webhook"]),
    ]


def _of_request(request: dict[str, Any], tongue: Tongue) -> list[tuple[Said, str | None]]:
    names = (("decided_ms", _DECIDED), ("ttft_ms", _FIRST), ("total_ms", _TOTAL))
    times = [f"{told(name, tongue)} {_ms(request[key])}" for key, name in names if request[key] is not None]
    ended = [request["outcome"], request["status"], request["error"]]
    tokens = f"{request['input_tokens'] or 0} → {request['output_tokens'] or 0}"
    return [
        (_REQUEST, request["id"]),
        (_ASKED, _joined([request["endpoint"], request["model"]], tongue)),
        (_STATE, _joined([_state(request), *ended], tongue)),
        (_CREATED, moment(request["created_at"])),
        (_TIMES, _joined(times, tongue)),
        (_TOKENS, tokens if request["input_tokens"] is not None else None),
        (_TARGET, request["target"]),
        (_POLICY, request["policy"]),
        (_SNAPSHOT, request["snapshot"]),
    ]


def _joined(parts: list[Any], tongue: Tongue) -> str:
    return told(_COMMA, tongue).join(str(part) for part in parts if part is not None)


def _state(place: dict[str, Any]) -> str:
    return place["state"] if place["disposition"] == "active" else f"{place['state']} ({place['disposition']})"


class _Told(msgspec.Struct, frozen=True):
    """What was said already: the last step's reason, and the last value of all that steps were about."""

    why: str
    about: dict[str, Any]


def _why(step: dict[str, Any], before: _Told, tongue: Tongue) -> tuple[str, _Told]:
    """The reason of a step, else what its event means, and what it is about that was not told yet: steps that happened at
    once have one reason."""
    about = {name: value for name, value in step.items() if name not in _STEP and value is not None}
    news = ", ".join(f"{name}={value}" for name, value in about.items() if before.about.get(name) != value)
    why, meaning = step.get("why") or "", _MEANINGS.get(step["event"])
    text = why if why and why != before.why else told(meaning, tongue) if meaning else ""
    return f"{text} [{news}]" if news else text, _Told(why, {**before.about, **about})


def _time(at: float | None, with_day: bool) -> str:
    if at is None:
        return "-"
    return time.strftime("%m-%d %H:%M:%S" if with_day else "%H:%M:%S", time.localtime(at)) + f".{int(at % 1 * 1000):03}"


def _after(at: float | None, before: float | None) -> str:
    if at is None or before is None:
        return ""
    ms = (at - before) * 1000
    return f"-{_ms(-ms)}" if ms < -0.01 else f"+{_ms(max(ms, 0.0))}"


def _ms(ms: float) -> str:
    if ms >= 60_000:
        return long_span(ms / 1000)
    if ms >= 1000:
        return f"{ms / 1000:.1f} s"
    return f"{ms:.0f} ms" if ms >= 10 else f"{ms:.2f} ms"


def _attempt(number: int, attempt: dict[str, Any]) -> list[str]:
    ended = attempt["failure"] or ("ok" if attempt["status"] is not None else "-")
    status = "" if attempt["status"] is None else f" {attempt['status']}"
    node = f" ({attempt['node']})" if attempt.get("node") else ""
    return [
        *(str(number), attempt["target"] + node, _ms(attempt["began_ms"]), _ms(attempt["took_ms"])),
        f"{ended}{status}" + (f": {attempt['message']}" if attempt["message"] else ""),
    ]


def _indented(lines: list[str]) -> list[str]:
    return [f"  {line}" for line in lines]


_COMMA, _CODED = Said(", ", "，"), ("{code}: {why}", "{code}：{why}")
_FAILED, _LOST = Said("failed", "失败"), Said("workers lost", "工作进程失联")
_REVIVED = Said("begun anew", "重新开始")
_PATH, _DECISION, _ATTEMPTS = Said("Path", "轨迹"), Said("Decision", "决策"), Said("Attempts", "尝试")
_JOB, _KIND, _REQUEST, _ASKED = (
    Said("job", "任务"),
    Said("kind", "类型"),
    Said("request", "请求"),
    Said("asked", "调用"),
)
_STATE, _PROGRESS, _CREATED = Said("state", "状态"), Said("progress", "进度"), Said("created", "提交")
_UPDATED, _EXPIRES, _WORKER = Said("updated", "更新"), Said("expires", "过期"), Said("worker", "工作进程")
_TRIED, _ERROR, _WEBHOOK = Said("tries", "重试"), Said("error", "错误"), Said("webhook", "webhook")
_TIMES, _TOKENS, _TARGET = Said("times", "用时"), Said("tokens", "token"), Said("target", "目标")
_POLICY, _SNAPSHOT = Said("policy", "策略"), Said("snapshot", "快照")
_DECIDED, _FIRST, _TOTAL = Said("decided", "决策"), Said("first byte", "首字节"), Said("total", "总计")
_HEADS = (
    Said("#", "#"),
    Said("time", "时间"),
    Said("after", "间隔"),
    Said("event", "事件"),
    Said("state", "状态"),
    Said("worker", "工作进程"),
    Said("why", "说明"),
)
_TRIES = (
    Said("#", "#"),
    Said("target", "目标"),
    Said("began", "开始"),
    Said("took", "用时"),
    Said("ended", "结果"),
)
_MEANINGS = {
    "received": Said("it came", "收到请求"),
    "submitted": Said("kept, and acknowledged", "已保存并确认"),
    "admitted": Said("on to the rules", "进入规则匹配"),
    "matched": Said("decided without a model", "无需模型即可决定"),
    "missed": Said("no rule took it", "没有规则命中"),
    "arbitrated": Said("on to the arbiter", "进入仲裁"),
    "dispatched": Said("on to the execution", "开始执行"),
    "clarified": Said("the user answered a question", "用户回答了反问"),
    "stepped": Said("the execution made a step", "执行前进一步"),
    "resumed": Said("taken up where it was left", "从中断处继续"),
    "restarted": Said("decided anew", "重新决策"),
    "sent_again": Said("sent again", "重新发送"),
    "failed": Said("this try failed", "这次尝试失败"),
    "parked": Said("waits for something else", "挂起等待"),
    "unparked": Said("waits no more", "结束等待"),
    "died": Said("given up", "已放弃"),
    "revived": Said("begun anew", "重新开始"),
    "ended": Said("over", "已结束"),
}
