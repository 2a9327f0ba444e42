"""What every kind of action says of itself in the same way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from pointsman.config.action_schema import ActionConfig
from pointsman.config.schema import Config, parse_size, parse_span
from pointsman.domain.action import ActionSpec
from pointsman.domain.hosts import AllowedHosts
from pointsman.domain.said import Said
from pointsman.ports.outbound import Outbound


def limited(spec: ActionSpec, config: ActionConfig) -> ActionSpec:
    """The spec with what the config says of it: what it is called in each language, its limits, what is not shown."""
    changes: dict[str, object] = {"redact": (*spec.redact, *config.redact)}
    if config.about is not None:
        changes["about"] = config.about if isinstance(config.about, dict) else {"en": config.about, "zh": config.about}
    if config.timeout is not None:
        changes["seconds"] = parse_span(config.timeout)
    if config.memory is not None:
        changes["memory"] = parse_size(config.memory)
    if config.output is not None:
        changes["output"] = parse_size(config.output)
    if config.gpu_memory is not None:
        changes["gpu_memory"] = config.gpu_memory
    if config.cpu_seconds is not None:
        changes["cpu_seconds"] = config.cpu_seconds
    if config.cores is not None:
        changes["cores"] = config.cores
    return msgspec.structs.replace(spec, **changes)


class Surroundings(msgspec.Struct, frozen=True):
    """What kinds may look at to say what they take: the whole config, and the folder that its paths are relative to.
    `found` are specs of the same names as they were known before, for kinds that have to ask somebody: `outbound` makes
    calls, as it does in Tools (None: none can be made), and `asked` keeps answers that serve several actions, by kind.
    `may_ask` names those of whom it may be asked at all (None: all), as MCP servers are; of others is known what they said
    before, which is kept in the folder `kept`."""

    config: Config
    base: Path
    found: Mapping[str, ActionSpec] = {}
    outbound: Callable[[AllowedHosts, str], Outbound] | None = None
    asked: dict[str, Any] = {}
    may_ask: frozenset[str] | None = None
    kept: Path | None = None


class NotNow(Exception):
    """Whoever knows what an action takes cannot be asked now. `spec` serves meanwhile; the message, in both languages, is
    a note for the owner."""

    def __init__(self, message: Said, spec: ActionSpec) -> None:
        super().__init__(message)
        self.message = message
        self.spec = spec


def takes(properties: Mapping[str, Any], required: Sequence[str] | None = None) -> dict[str, Any]:
    """The JSON Schema of parameters, nothing else beside them; required are those without a default, unless told."""
    if required is None:
        required = [name for name, schema in properties.items() if "default" not in schema]
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }
