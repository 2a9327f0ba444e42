"""What a reload cannot change, because it is taken up when the process starts."""

from __future__ import annotations

from operator import attrgetter

from pointsman.config.schema import Config

AT_START = (
    *("server.host", "server.port", "server.workers", "server.data_dir", "log.prompts", "log.keep"),
    *("log.rollups", "log.store"),
    *("files.timeout", "files.memory", "files.concurrency"),
    *("files.store", "files.s3_key", "files.s3_secret", "files.link_key"),
    "telemetry",
    "registry",
    *("store", "jobs.concurrency", "jobs.lease", "jobs.poll"),
)


def restart_needed(old: Config, new: Config) -> list[str]:
    """The dotted names of the settings that differ and count from the next start on only. Pure."""
    return [name for name in AT_START if attrgetter(name)(old) != attrgetter(name)(new)]
