"""What verbs of the log have in common: where it is, and which of its requests are meant."""

from __future__ import annotations

import argparse
import datetime
import re
import time
from pathlib import Path

from pointsman.cli.source import declare_config, load_config
from pointsman.config.paths import data_dir
from pointsman.config.schema import parse_span
from pointsman.domain.errors import PointsmanError, did_you_mean
from pointsman.domain.said import said
from pointsman.store.log_filters import FILTERS, VALUES
from pointsman.store.log_home import settle

_SPAN = re.compile(r"[0-9]+[smhd]")


def declare_place(parser: argparse.ArgumentParser) -> None:
    declare_config(parser)
    parser.add_argument("--data-dir", metavar="DIR", help="where the log is; default: as in the config")


def place_of(options: argparse.Namespace) -> Path:
    """The data folder, which is told where its log is if the config says so. Raises Problems of the config."""
    config = load_config(options, {"server.data_dir": options.data_dir}).config
    folder = data_dir(config)
    if config.log.store:
        settle(folder, config.log.store)
    return folder


def declare_filters(parser: argparse.ArgumentParser) -> None:
    for name in FILTERS:
        values = f": {', '.join(VALUES[name])}" if name in VALUES and len(VALUES[name]) < 8 else ""
        parser.add_argument(_option(name), dest=f"by_{name}", metavar="VALUE", help=f"only this {name}{values}")


def filters_of(options: argparse.Namespace) -> dict[str, str]:
    """Raises PointsmanError for a value that no request can have."""
    filters = {name: value for name in FILTERS if (value := getattr(options, f"by_{name}")) is not None}
    for name, value in filters.items():
        if name in VALUES and value not in VALUES[name]:
            en = "{option} {value!r} is not known{hint} (valid: {valid})"
            zh = "{option} {value!r} 不存在{hint}（合法取值：{valid}）"
            hint, valid = did_you_mean(value, list(VALUES[name])), ", ".join(VALUES[name])
            raise PointsmanError(said(en, zh, option=_option(name), value=value, hint=hint, valid=valid))
    return filters


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def moment_of(option: str, text: str | None) -> float | None:
    """Seconds since the epoch: of so long ago (30m, 12h, 7d), or of a date (2026-11-30, 2026-11-30T14:00), in local time
    where it names no zone. Raises PointsmanError for what is neither."""
    if text is None:
        return None
    if _SPAN.fullmatch(text):
        return time.time() - parse_span(text)
    try:
        return datetime.datetime.fromisoformat(text).timestamp()
    except ValueError:
        raise PointsmanError(
            said(
                "{option} {text!r} is no span of time and no date (valid: 30m, 12h, 7d, 2026-11-30, 2026-11-30T14:00)",
                "{option} {text!r} 不是时长，也不是日期（合法取值：30m、12h、7d、2026-11-30、2026-11-30T14:00）",
                option=option,
                text=text,
            )
        ) from None
