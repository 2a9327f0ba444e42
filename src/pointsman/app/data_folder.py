"""A data folder that cannot be used is a problem of the config, and is told as one."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from pointsman.config.others_words import why
from pointsman.config.paths import data_dir
from pointsman.config.schema import Config
from pointsman.domain.errors import Problem
from pointsman.domain.said import said
from pointsman.store.log_reader import LogError
from pointsman.store.log_schema import explained


@contextlib.contextmanager
def usable(config: Config) -> Iterator[None]:
    """Raises Problem where the folder of `config`, or what lies in it, turns out to be of no use."""
    try:
        yield
    except OSError as error:
        name = error.filename or data_dir(config)
        message = said("{name} cannot be used: {why}", "无法使用 {name}：{why}", name=name, why=why(error))
        raise Problem("server.data_dir", message) from None
    except (ValueError, LogError) as error:
        raise Problem("server.data_dir", explained(error)) from None
