"""What is known of an action before it runs: what it takes, what it may cost, what it leaves behind."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Repeatable = Literal["yes", "keyed", "no"]
"""Whether doing it twice does no harm: always; where both tries carry the same key; never."""

QUESTION = "question"
"""The parameter that takes the user's own words where nothing else fills it."""
FILE = "file"
"""The `format` of a parameter that takes a file: the id of an upload, or one that came with the message."""
SOURCE = "x-source"
"""The key of a parameter's schema that says where it is filled from, where no rule and no client fills it."""
CHUNKS = "chunks"
"""The source of a parameter that takes what was retrieved for the question: a list of {"id", "text"}."""

ALL = 0
"""So many cores as actions may have."""


class ActionSpec(msgspec.Struct, frozen=True, kw_only=True):
    """`parameters` is a JSON Schema of type object; `about` says in each language what the action does, for people and for
    the arbiter. `steps` are the names that its execution path shows. `seconds`, `memory` (bytes) and `output` (bytes of
    text and values) bound one run; `gpu_memory` is in MB. `cpu_seconds` is the CPU time that a run of usual size is expected
    to take of this machine, `cores` how many it keeps busy at once (ALL: as actions may have): they say when its turn
    comes. `effect`: it changes something outside (a call, a mail), so it
    is done once for each generation of a job; `repeatable` says what may be tried again. Values of the parameters named in
    `redact` stay out of logs, traces and messages. No secret and no address stands in here."""

    name: str
    kind: str
    about: dict[str, str] = {}
    parameters: dict[str, Any] = {}
    steps: tuple[str, ...] = ()
    seconds: float = 30.0
    memory: int = 512 << 20
    output: int = 1 << 20
    gpu_memory: int = 0
    cpu_seconds: float = 0.01
    cores: int = 1
    effect: bool = False
    repeatable: Repeatable = "yes"
    redact: tuple[str, ...] = ()

    @property
    def required(self) -> tuple[str, ...]:
        return tuple(self.parameters.get("required", ()))

    @property
    def properties(self) -> dict[str, Any]:
        return dict(self.parameters.get("properties", {}))

    @property
    def path(self) -> tuple[str, ...]:
        """What `execution_path` shows."""
        return self.steps or (self.name,)
