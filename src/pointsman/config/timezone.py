"""Where days begin: the zone of the config, else this machine's."""

from __future__ import annotations

import os
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from pointsman.domain.errors import Problem, did_you_mean
from pointsman.domain.said import said


def zone_name(configured: str | None) -> str:
    """An IANA name. Raises Problem for a configured one that does not exist."""
    if configured is not None:
        if not _exists(configured):
            names = sorted(available_timezones())
            hint = did_you_mean(configured, names)
            raise Problem(
                "server.timezone",
                said("there is no time zone {name!r}{hint}", "没有时区 {name!r}{hint}", name=configured, hint=hint),
                valid=said("an IANA name such as Asia/Shanghai", "IANA 时区名，如 Asia/Shanghai"),
            )
        return configured
    return _machine()


def _machine() -> str:
    candidates = [os.environ.get("TZ", "").lstrip(":")]
    try:
        candidates.append(str(Path("/etc/localtime").resolve()).partition("zoneinfo/")[2])
        candidates.append(Path("/etc/timezone").read_text(encoding="utf-8").strip())
    except (OSError, UnicodeDecodeError):
        pass
    return next((name for name in candidates if name and _exists(name)), "UTC")


def _exists(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True
