"""One schedule: its next times, what its question decides to, its last jobs."""

from __future__ import annotations

import argparse
import asyncio
import time

from pointsman.app.build import Built, build
from pointsman.app.job_store import open_store
from pointsman.app.schedules import caller_of, decided, timing_of
from pointsman.cli.decision_lines import decision_lines
from pointsman.cli.on_store import declare_store, sqlite_file, wrong_place
from pointsman.cli.output import print_error, print_json, print_line
from pointsman.cli.schedule_words import named_schedule, next_times, schedule_json
from pointsman.cli.source import load_config
from pointsman.cli.trace_lines import labelled
from pointsman.domain.decision import Decision
from pointsman.domain.job import Job
from pointsman.domain.said import Said, Tongue, told
from pointsman.http.jobs.shown import shown
from pointsman.pipeline.job_list import newest, phase_of
from pointsman.pipeline.schedules.times import in_zone
from pointsman.ports.job_store import StoreError, Wanted

_VERB = "schedules show"
_NEXT, _LAST, _LOOKED_AT = 5, 5, 200


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="a schedule of the config")
    parser.add_argument("--json", action="store_true", help="all of it, as one JSON object")
    declare_store(parser)


def run(options: argparse.Namespace) -> int:
    if wrong := wrong_place(options):
        print_error(_VERB, wrong, options.tongue)
        return 2
    built = build(load_config(options, {"server.data_dir": options.data_dir, "store": options.store}))
    config, name, tongue = built.config, options.name, options.tongue
    schedule = named_schedule(name, config)
    upcoming = next_times(timing_of(schedule, config), _NEXT)
    decision = None
    if schedule.ask is not None:
        decision = decided(name, config, built.policy, upcoming[0] if upcoming else time.time(), tongue)
    try:
        jobs = asyncio.run(_jobs(name, built))
    except StoreError as error:
        print_error(_VERB, error.args[0], tongue)
        return 1
    if options.json:
        found = schedule_json(name, schedule, config, _NEXT)
        print_json({**found, "decision": decision, "jobs": [shown(job) for job in jobs]})
        return 0
    for line in _lines(name, built, upcoming, decision, jobs, tongue):
        print_line(line)
    return 0


async def _jobs(name: str, built: Built) -> list[Job]:
    """Its last ones. Raises StoreError."""
    config = built.config
    file = sqlite_file(config)
    if file is not None and not file.exists():
        return []
    store = open_store(config)
    try:
        caller = caller_of(name, config.schedules[name], config).name
        found = await newest(store, Wanted(caller=caller), _LOOKED_AT, None, ("request", "action"))
        return [job for job in found if job.schedule is not None and job.schedule[0] == name][:_LAST]
    finally:
        await store.close()


def _lines(
    name: str, built: Built, upcoming: list[float], decision: Decision | None, jobs: list[Job], tongue: Tongue
) -> list[str]:
    config = built.config
    schedule, zone = config.schedules[name], timing_of(config.schedules[name], config).zone
    pairs: list[tuple[Said, str | None]] = [
        (_NAME, name),
        (_CRON, f"{schedule.cron} ({zone})"),
        (_ASK, schedule.ask),
        (_ACTION, schedule.action),
        (_DELIVER, ", ".join(schedule.deliver)),
        (_FAILURE, ", ".join(schedule.on_failure)),
        (_STATE, None if schedule.enabled else told(_OFF, tongue)),
    ]
    lines = labelled(pairs, tongue)
    if schedule.enabled:
        lines += ["", told(_COMES, tongue), *(f"  {in_zone(at, zone)}" for at in upcoming)]
    if decision is not None:
        lines += ["", told(_DECIDES, tongue), *(f"  {line}" for line in decision_lines(decision, tongue))]
    if jobs:
        lines += ["", told(_JOBS, tongue)]
        for job in jobs:
            assert job.schedule is not None
            lines.append(
                f"  {job.schedule[1]}  {job.id}  {phase_of(job)}  {job.place.outcome or '-'}  {job.error or '-'}"
            )
    return lines


_NAME, _CRON, _ASK = Said("name", "名称"), Said("cron", "cron"), Said("asks", "问题")
_ACTION, _DELIVER = Said("does", "动作"), Said("delivered to", "发送到")
_FAILURE, _STATE, _OFF = Said("told of failures", "失败时通知"), Said("state", "状态"), Said("switched off", "已停用")
_COMES, _DECIDES = (
    Said("comes next at", "接下来的时间"),
    Said("its question, at the next of these, decides to", "到下一次时，问题会这样处理"),
)
_JOBS = Said("its last jobs", "最近的任务")
