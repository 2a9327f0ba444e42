"""Do the jobs that gateways keep, in a process of its own: here, beside a gateway that shares the data folder, or on another
machine, with a store in Redis or Valkey. It serves no port."""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
from typing import get_args

from pointsman import __version__
from pointsman.app.build import Built, build
from pointsman.app.data_folder import usable
from pointsman.app.gateway import App
from pointsman.app.jobs import worker_name
from pointsman.app.reading import Origin
from pointsman.app.targets import started_here
from pointsman.cli.event_loop import run_loop, stop_or_reload
from pointsman.cli.greeting import SETTLE
from pointsman.cli.on_store import shown_store, wrong_place
from pointsman.cli.output import print_error
from pointsman.cli.source import declare_config, load_config
from pointsman.cli.spoken_log import SpokenLog
from pointsman.cli.systemd import ServiceManager
from pointsman.domain.job import Queue
from pointsman.domain.said import Said, said
from pointsman.loaded import loaded

log = logging.getLogger("pointsman")

_ENDING = 30.0  # seconds for jobs to be given back and the log to be written
_AT_ONCE = 4  # jobs at a time where the config leaves all of them to workers


def declare(parser: argparse.ArgumentParser) -> None:
    declare_config(parser)
    parser.add_argument("--concurrency", type=int, metavar="N", help="jobs at a time; default: as in the config, or 4")
    parser.add_argument("--queues", metavar="LIST", help="by commas, first things first: interactive,webhook,batch")
    parser.add_argument("--store", metavar="URL", help="where jobs are kept; default: as in the config")
    parser.add_argument("--data-dir", metavar="DIR", help="the data folder; default: as in the config")
    levels = ("debug", "info", "warning", "error")
    parser.add_argument("--log-level", default="info", choices=levels, help="how much is said (default info)")
    parser.add_argument(
        "--language", choices=("zh", "en"), help="of the log and of messages, where a request shows none"
    )


def run(options: argparse.Namespace) -> int:
    wrong = _wrong_usage(options)
    if wrong:
        print_error("worker", wrong, options.tongue)
        return 2
    flags: dict[str, object] = {
        "jobs.concurrency": options.concurrency,
        "jobs.queues": _queues(options),
        "store": options.store,
        "server.data_dir": options.data_dir,
        "server.language": options.language,
    }
    lines = logging.StreamHandler(sys.stderr)
    logging.basicConfig(level=options.log_level.upper(), handlers=[lines])
    loaded = load_config(options, flags)
    if loaded.draft.jobs.concurrency == 0:
        flags["jobs.concurrency"] = _AT_ONCE
        loaded = load_config(options, flags)
    if loaded.path is not None:
        options.config = str(loaded.path.resolve())  # a reload reads this very file, and fails where it is gone
    lines.setFormatter(SpokenLog(options.tongue))
    built = build(loaded)
    origin = Origin(options.config, {name: value for name, value in flags.items() if value is not None})
    run_loop(_work(built, origin))
    return 0


async def _work(built: Built, origin: Origin) -> None:
    with usable(built.config):
        app = App(built, origin, logs="worker-engines")
    manager = ServiceManager()
    told_to_stop = stop_or_reload(app.reload, manager)
    _greet(built)
    await app.start()
    loaded()
    manager.ready()
    telling = asyncio.create_task(_tell_state(app))
    try:
        await told_to_stop.wait()
    finally:
        telling.cancel()
        manager.stopping(_ENDING)
        await app.stop()
        manager.close()
        log.info(_STOPPED)


def _greet(built: Built) -> None:
    config = built.config
    log.info(
        _WORKS, __version__, worker_name(), config.jobs.concurrency, ", ".join(config.jobs.queues), shown_store(config)
    )
    models = [target.name for target, _ in started_here(config)]
    if models:
        log.warning(_LOADS, ", ".join(models))


async def _tell_state(app: App) -> None:
    """Once models have loaded or failed: what can be used, and what a person should know."""
    await app.settled(SETTLE)
    _, state = app.readiness()
    for remark in (*app.setup.notes, *state["problems"]):
        log.warning(remark)
    up = [entry["target"] for entry in state["targets"] if entry["health"] == "up"]
    log.info(_READY, ", ".join(up) or said("rules only", "只有规则"))


def _wrong_usage(options: argparse.Namespace) -> str | None:
    if options.concurrency is not None and options.concurrency < 1:
        return Said("--concurrency must be at least 1", "--concurrency 至少是 1")
    valid = get_args(Queue)
    for name in _queues(options) or ():
        if name not in valid:
            return said(*_NO_QUEUE, name=name, valid=", ".join(valid))
    return wrong_place(options)


def _queues(options: argparse.Namespace) -> list[str] | None:
    if options.queues is None:
        return None
    return [name.strip() for name in options.queues.split(",")]


_WORKS = Said(
    "Pointsman %s worker %s: %s jobs at a time, from %s; they are kept in %s",
    "Pointsman %s 工作进程 %s：同时执行 %s 个任务，队列：%s；任务存储：%s",
)
_LOADS = Said(
    "the config has embedded models, which this process loads for itself, beside those of a gateway: %s",
    "配置里有内嵌模型，本进程会自行加载一份，与网关的各占一份内存：%s",
)
_READY = Said("jobs are being done; models: %s", "开始执行任务；可用模型：%s")
_STOPPED = Said(
    "stopped; jobs that were under way went back, for others or the next start",
    "已停止；执行到一半的任务已退回，由其他进程或下次启动后继续",
)
_NO_QUEUE = (
    '--queues: there is no queue "{name}" (valid: {valid})',
    "--queues：没有队列“{name}”（合法取值：{valid}）",
)
