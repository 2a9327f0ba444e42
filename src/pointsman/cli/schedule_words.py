"""A schedule as people and programs see it."""

from __future__ import annotations

import time
from typing import Any

from pointsman.app.build import Built
from pointsman.app.schedules import decided, entry_of, timing_of
from pointsman.config.schedule_schema import Schedule
from pointsman.config.schema import Config
from pointsman.domain.errors import Problem, did_you_mean
from pointsman.domain.said import Said, Tongue, said, told
from pointsman.pipeline.schedules.times import Timing, in_utc, in_zone, next_after

_LONGEST = 40  # characters of a question in a list


def named_schedule(name: str, config: Config) -> Schedule:
    """Raises Problem where there is none of that name."""
    if name not in config.schedules:
        valid = list(config.schedules)
        hint = did_you_mean(name, valid)
        message = said("there is no schedule {name!r}{hint}", "没有计划任务 {name!r}{hint}", name=name, hint=hint)
        raise Problem("schedules", message, valid=", ".join(valid) or Said("none", "没有"))
    return config.schedules[name]


def next_times(timing: Timing, count: int, after: float | None = None) -> list[float]:
    """The next ones, in seconds since the epoch."""
    moment = time.time() if after is None else after
    found: list[float] = []
    while len(found) < count and (upcoming := next_after(timing, moment)) is not None:
        found.append(upcoming)
        moment = upcoming
    return found


def checked(built: Built, tongue: Tongue) -> list[str]:
    """What each schedule comes to, a line each."""
    config = built.config
    lines = []
    for name, schedule in config.schedules.items():
        timing = timing_of(schedule, config)
        [at] = next_times(timing, 1) or [time.time()]
        comes = in_zone(at, timing.zone) if schedule.enabled else told(_OFF, tongue)
        what = schedule.action if schedule.ask is None else decided(name, config, built.policy, at, tongue).reason
        to = said(*_TO, channels=", ".join(schedule.deliver)) if schedule.deliver else Said("", "")
        lines.append(told(said(*_CHECKED, name=name, comes=comes, what=what, to=to), tongue))
    return lines


def what_of(schedule: Schedule) -> str:
    """What it asks or does, in short."""
    text = schedule.ask if schedule.ask is not None else schedule.action or ""
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def schedule_json(name: str, schedule: Schedule, config: Config, count: int) -> dict[str, Any]:
    timing = timing_of(schedule, config)
    return {
        "name": name,
        "enabled": schedule.enabled,
        "cron": schedule.cron,
        "timezone": timing.zone,
        "next": [in_utc(at) for at in next_times(timing, count)] if schedule.enabled else [],
        "ask": schedule.ask,
        "action": schedule.action,
        "entry": entry_of(schedule, config) if schedule.ask is not None else None,
        "deliver": schedule.deliver,
        "on_failure": schedule.on_failure,
        "missed": schedule.missed,
    }


_CHECKED = "schedule {name}: {comes}: {what}{to}", "计划任务 {name}：{comes}：{what}{to}"
_TO = " → {channels}", " → {channels}"
_OFF = Said("switched off", "已停用")
