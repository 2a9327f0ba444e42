"""What a gateway process runs on, whether it read that itself or was told."""

from __future__ import annotations

import msgspec

from pointsman.actions.report.settings import SourceSettings
from pointsman.config.schema import Config
from pointsman.pipeline.policy import Policy


class Setup(msgspec.Struct, frozen=True, kw_only=True):
    """A sound config and its policy. `no_model` says why there is none, where there is none; `unread` what could not be
    read of the values of reports. `base` is the folder that paths in the config are relative to, `file` the config itself;
    None: the built-in one."""

    config: Config
    policy: Policy
    sources: dict[str, SourceSettings]
    base: str
    notes: tuple[str, ...] = ()
    no_model: str | None = None
    unread: tuple[str, ...] = ()
    file: str | None = None
