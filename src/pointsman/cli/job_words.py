"""How jobs are told to people: where they are, how old, how often they were tried."""

from __future__ import annotations

import time

from pointsman.domain.job import Job
from pointsman.domain.said import Said, Tongue, said, told

_UNITS = ((86_400, "d"), (3600, "h"), (60, "m"), (1, "s"))
NAMES = {
    "waiting": Said("waiting", "等待"),
    "running": Said("running", "执行中"),
    "parked": Said("parked", "挂起"),
    "dead": Said("dead", "已放弃"),
}


def tries(job: Job, tongue: Tongue) -> str:
    """Tries that failed, and workers that were lost over it, since it was begun."""
    if not job.failures and not job.lost:
        return "-"
    lost = said("{failures}, {lost} lost", "{failures}，失联 {lost}", failures=job.failures, lost=job.lost)
    return told(lost, tongue) if job.lost else str(job.failures)


def span(seconds: float) -> str:
    """3 s, 5 m, 2 h, 4 d: the largest unit alone."""
    seconds = max(seconds, 0.0)
    size, unit = next((each for each in _UNITS if seconds >= each[0]), _UNITS[-1])
    return f"{int(seconds / size)} {unit}"


def long_span(seconds: float) -> str:
    """12 s, 5 m 03 s, 2 h 14 m: for what is left to wait."""
    whole = max(int(seconds), 0)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} m {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} m"


def size(count: int) -> str:
    """Bytes: 17 B, 1.2 KB, 3.4 MB (powers of 1024)."""
    if count < 1024:
        return f"{count} B"
    return f"{count / 1024:.1f} KB" if count < 1 << 20 else f"{count / (1 << 20):.1f} MB"


def moment(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))


def counted(counts: dict[str, int], tongue: Tongue) -> str:
    """How many there are in each phase, of each queue that has any."""
    queues = dict.fromkeys(name.partition(".")[0] for name in counts)
    return told(_SEMICOLON, tongue).join(filter(None, (_of_queue(queue, counts, tongue) for queue in queues))) or told(
        _NONE, tongue
    )


def _of_queue(queue: str, counts: dict[str, int], tongue: Tongue) -> str:
    there = ((name, counts.get(f"{queue}.{phase}")) for phase, name in NAMES.items())
    parts = [f"{told(name, tongue)} {count}" for name, count in there if count]
    if not parts:
        return ""
    return told(said("{queue}: ", "{queue}：", queue=queue), tongue) + told(_COMMA, tongue).join(parts)


_COMMA, _SEMICOLON = Said(", ", "，"), Said("; ", "；")
_NONE = Said("nothing is waiting, running, parked or dead", "没有等待、执行中、挂起或已放弃的任务")
BATCH_STATUSES = {
    "validating": Said("checking its lines", "正在检查各行"),
    "in_progress": Said("in progress", "执行中"),
    "finalizing": Said("writing the files", "正在写结果文件"),
    "cancelling": Said("being called off", "正在取消"),
    "completed": Said("completed", "已完成"),
    "failed": Said("failed", "失败"),
    "expired": Said("ran out of time", "已超过期限"),
    "cancelled": Said("called off", "已取消"),
}
"""OpenAI's words for it → what a person reads."""
