"""Everything at once: gather the facts, then judge them in order."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from pointsman.app.doctor.facts import Facts, Recount
from pointsman.app.doctor.finding import Finding
from pointsman.app.doctor.gather import Look, gather
from pointsman.app.doctor.look.config import fixed_ports, look_at_config
from pointsman.app.doctor.look.engine_logs import look_at_logs
from pointsman.app.doctor.look.engines import look_at_engines
from pointsman.app.doctor.look.files import look_at_files
from pointsman.app.doctor.look.gateway import look_at_gateway
from pointsman.app.doctor.look.log import look_at_log
from pointsman.app.doctor.look.machine import look_at_machine
from pointsman.app.doctor.look.store import look_at_store
from pointsman.app.doctor.order import PARTS, Check, Part, judged
from pointsman.app.targets import with_builtin
from pointsman.config.load import Loaded
from pointsman.config.paths import data_dir

DAYS = 7
SECONDS = 20.0
"""For each look."""
_LOG_SECONDS = 12.0
_DAY = 86_400


class Examined(msgspec.Struct, frozen=True):
    part: Part
    check: Check
    findings: tuple[Finding, ...]


class Examination(msgspec.Struct, frozen=True):
    """What is asked for: `url` and `key` of the gateway, `days` of the log, `seconds` for each look. `recount` computes
    decisions of a folder again that came since then."""

    loaded: Loaded
    url: str
    key: str | None
    recount: Callable[[Path, float], Recount]
    days: int = DAYS
    seconds: float = SECONDS


def facts_of(asked: Examination) -> Facts:
    """Takes `seconds` at most, once more for engines that answer late."""
    loaded = asked.loaded
    config, _ = with_builtin(loaded.draft)
    folder, server = data_dir(config), config.server
    looks: dict[str, Look] = {
        "config": (lambda: look_at_config(loaded), asked.seconds),
        "gateway": (lambda: look_at_gateway(asked.url, asked.key), asked.seconds),
        "log": (lambda: look_at_log(folder, asked.days, min(_LOG_SECONDS, asked.seconds / 2)), asked.seconds),
        "recount": (lambda: asked.recount(folder, time.time() - _DAY), asked.seconds),
        "engines": (lambda: look_at_engines(config), asked.seconds),
        "files": (lambda: look_at_files(config), asked.seconds),
        "machine": (lambda: look_at_machine(folder, server.host, server.port, fixed_ports(config)), asked.seconds),
        "logs": (lambda: look_at_logs(folder), asked.seconds),
        "store": (lambda: look_at_store(config), asked.seconds),
    }
    return gather(looks)


def examine(asked: Examination) -> list[Examined]:
    """In order. Raises nothing that a look runs into: that is a finding."""
    facts = facts_of(asked)
    return [Examined(part, check, tuple(judged(check, facts))) for part in PARTS for check in part.checks]
