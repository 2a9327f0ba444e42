"""`store` and `jobs` of the config: what is wrong with them, and where jobs are kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pointsman.config.paths import data_dir
from pointsman.config.schema import Config
from pointsman.domain.errors import Problem
from pointsman.domain.hosts import read_hosts
from pointsman.outbound.signing import key_of
from pointsman.ports.ephemeral import Ephemeral
from pointsman.ports.job_store import JobStore, StoreError
from pointsman.store.ephemeral.by_url import open_ephemeral
from pointsman.store.jobs.by_url import check_url, open_url

DEFAULT = "sqlite:///jobs.sqlite"


def wrong_jobs(config: Config) -> list[Problem]:
    """What is wrong of itself, without asking anybody."""
    problems = []
    checks: tuple[tuple[str, Callable[[], object]], ...] = (
        ("store", lambda: check_url(config.store or DEFAULT)),
        ("jobs.webhook_hosts", lambda: read_hosts(config.jobs.webhook_hosts)),
        ("jobs.webhook_secret", lambda: key_of(config.jobs.webhook_secret or "none")),
    )
    for place, check in checks:
        try:
            check()
        except ValueError as error:
            problems.append(Problem(place, error.args[0]))
    return problems


def open_store(config: Config) -> JobStore:
    """The data folder is there. Raises Problem where it cannot be used."""
    try:
        return open_url(config.store or DEFAULT, data_dir(config))
    except (StoreError, ValueError, ImportError) as error:
        raise Problem("store", error.args[0]) from None


def open_shared(config: Config) -> Ephemeral:
    """What gateways and workers of the same store tell each other. Raises Problem as `open_store`."""
    try:
        return open_ephemeral(config.store or DEFAULT, data_dir(config))
    except (ValueError, ImportError) as error:
        raise Problem("store", error.args[0]) from None


def sqlite_file(config: Config) -> Path | None:
    """Where jobs are, if that is a file."""
    url = config.store or DEFAULT
    return data_dir(config) / url.removeprefix("sqlite:///") if url.startswith("sqlite:") else None


def shown_store(config: Config) -> str:
    """The same for people, without a password."""
    file = sqlite_file(config)
    if file is not None:
        return str(file)
    scheme, _, rest = (config.store or DEFAULT).partition("://")
    return f"{scheme}://{rest.rpartition('@')[2]}"
