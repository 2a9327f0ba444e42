"""List the schedules of the config, and when they come next."""

from __future__ import annotations

import argparse

from pointsman.app.schedules import timing_of
from pointsman.cli.output import print_json, print_line
from pointsman.cli.schedule_words import next_times, schedule_json, what_of
from pointsman.cli.source import declare_config, load_config
from pointsman.cli.table import table
from pointsman.cli.tongue import declare_tongue
from pointsman.config.schedule_schema import Schedule
from pointsman.config.schema import Config
from pointsman.domain.said import Said, Tongue, told
from pointsman.pipeline.schedules.times import in_zone


def declare(parser: argparse.ArgumentParser) -> None:
    declare_config(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    declare_tongue(parser)


def run(options: argparse.Namespace) -> int:
    config = load_config(options).config
    if options.json:
        for name, schedule in config.schedules.items():
            print_json(schedule_json(name, schedule, config, 1))
        return 0
    tongue: Tongue = options.tongue
    if not config.schedules:
        print_line(told(_NONE, tongue))
        return 0
    rows = [_row(name, schedule, config, tongue) for name, schedule in config.schedules.items()]
    for line in table([told(head, tongue) for head in _HEADS], rows, set()):
        print_line(line)
    return 0


def _row(name: str, schedule: Schedule, config: Config, tongue: Tongue) -> list[str]:
    timing = timing_of(schedule, config)
    upcoming = next_times(timing, 1) if schedule.enabled else []
    comes = in_zone(upcoming[0], timing.zone) if upcoming else told(_OFF, tongue)
    return [name, schedule.cron, comes, what_of(schedule), ", ".join(schedule.deliver) or "-"]


_HEADS = (
    Said("name", "名称"),
    Said("cron", "cron"),
    Said("next", "下一次"),
    Said("what", "内容"),
    Said("delivered to", "发送到"),
)
_OFF = Said("switched off", "已停用")
_NONE = Said(
    "the config has no schedules; docs/schedules.md shows how to write one",
    "配置里还没有计划任务；写法见 docs/schedules.zh-CN.md",
)
