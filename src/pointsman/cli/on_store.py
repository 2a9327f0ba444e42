"""The job store that a verb works on, the one of the config; the gateway need not run."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from pointsman.app.job_store import DEFAULT, open_store, wrong_jobs
from pointsman.cli.command import again
from pointsman.cli.output import print_error
from pointsman.cli.source import declare_config, load_config
from pointsman.cli.tongue import declare_tongue
from pointsman.config.paths import data_dir
from pointsman.config.schema import Config
from pointsman.domain.errors import Problem, Problems
from pointsman.domain.said import said, told
from pointsman.ports.job_store import JobStore, StoreError
from pointsman.store.jobs.by_url import check_url


class Desk(msgspec.Struct, frozen=True):
    """What a verb works with."""

    store: JobStore
    config: Config


def declare_store(parser: argparse.ArgumentParser) -> None:
    declare_config(parser)
    parser.add_argument("--store", metavar="URL", help="where jobs are kept; default: as in the config")
    parser.add_argument("--data-dir", metavar="DIR", help="the data folder; default: as in the config")
    declare_tongue(parser)


def on_store(options: argparse.Namespace, verb: str, work: Callable[[Desk], Awaitable[int]]) -> int:
    """`work` gives the exit status; 2 where a flag names no store, 1 where the store fails meanwhile: both are told. Raises
    Problem and Problems where there is none."""
    if wrong := wrong_place(options):
        print_error(verb, wrong, options.tongue)
        return 2
    config = store_config(options)
    file = sqlite_file(config)
    if file is not None and not file.exists():
        raise Problem("store", said(*_NONE_YET, file=file))

    async def run() -> int:
        store = open_store(config)
        try:
            return await work(Desk(store, config))
        finally:
            await store.close()

    try:
        return asyncio.run(run())
    except StoreError as error:
        print_error(verb, error.args[0], options.tongue)
        return 1


def wrong_place(options: argparse.Namespace) -> str | None:
    """What is wrong with --store and --data-dir as they are written."""
    if options.data_dir == "":
        return said("--data-dir names no folder", "--data-dir 没有指定文件夹")
    if options.store is None:
        return None
    try:
        check_url(options.store)
    except ValueError as error:
        return said("--store: {why}", "--store：{why}", why=error.args[0])
    return None


def store_config(options: argparse.Namespace) -> Config:
    """Raises Problems."""
    loaded = load_config(options, {"server.data_dir": options.data_dir, "store": options.store})
    config = loaded.config
    wrong = [problem for problem in wrong_jobs(config) if problem.path == "store"]
    if wrong:
        raise Problems(loaded.places.place_all(wrong))
    return config


def sqlite_file(config: Config) -> Path | None:
    """The file that jobs are kept in; None where a server has them."""
    url = config.store or DEFAULT
    return data_dir(config) / Path(url.removeprefix("sqlite:///")) if url.startswith("sqlite:") else None


def shown_store(config: Config) -> str:
    """For people: without user and password."""
    file = sqlite_file(config)
    if file is not None:
        return str(file)
    parts = urlsplit(config.store or "")
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def no_job(job_id: str, config: Config, options: argparse.Namespace) -> str:
    """What to look for where there is no such job."""
    if job_id.startswith("req_"):
        return said(*_A_REQUEST, id=job_id, trace=again(options, f"trace {job_id}"))
    return said(*_NO_JOB, id=job_id, keep=config.jobs.keep, ls=again(options, "jobs ls"))


def print_wrong(verb: str, message: str, options: argparse.Namespace) -> None:
    """One of several things that could not be done."""
    print_error(verb, told(message, options.tongue), options.tongue)


_NONE_YET = (
    "no job was kept yet in {file}, which is not there; -c, --store and --data-dir say where the gateway keeps them",
    "{file} 不存在，还没有保存过任务；网关把任务保存在哪里，可用 -c、--store、--data-dir 指定",
)
_NO_JOB = (
    'there is no job "{id}": `{ls}` lists what there is; a job is kept for {keep} after its end (jobs.keep)',
    "没有任务“{id}”：用 `{ls}` 查看现有的任务；任务结束后保留 {keep}（jobs.keep）",
)
_A_REQUEST = (
    '"{id}" is the id of a request, not of a job: `{trace}` shows its way',
    "“{id}” 是请求的 id，不是任务的 id：用 `{trace}` 查看它的轨迹",
)
