"""Where settings come from: flags, then POINTSMAN_* environment, then the file, then defaults."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from pointsman.config.overlay import fill_variables, lay_environment, lay_flags
from pointsman.config.places import Places
from pointsman.config.references import cross_check, unknown_packs
from pointsman.config.rule_files import RuleFile, default_packs, read_rules
from pointsman.config.salvage import salvage
from pointsman.config.schema import Config
from pointsman.config.yaml_source import TOP, parse_yaml, read_yaml
from pointsman.domain.errors import Problem, Problems
from pointsman.domain.said import said

_DEMO = f"""
rules: {{packs: [{", ".join(f"builtin:{name}" for name in default_packs())}]}}
sources: {{demo: {{demo: true}}}}
entries: {{auto: {{arbiter: embedded}}}}
"""  # without any file
_DEMO_NAME = said("built-in demo config", "内置演示配置")


class Loaded(msgspec.Struct, frozen=True):
    """A config as far as it could be read, and the rule files that it names. Each of `problems` says where it stands.
    `draft` is the config as far as it is sound, for finding further problems: its `broken` sections, those with a mistake
    of form, lack something. `places` says where those stand."""

    draft: Config
    rules: tuple[RuleFile, ...]
    path: Path | None
    problems: tuple[Problem, ...]
    broken: frozenset[str]
    places: Places

    @property
    def config(self) -> Config:
        """The checked config. Raises Problems while anything is wrong with it."""
        if self.problems:
            raise Problems(list(self.problems))
        return self.draft


def load(path: Path | None, flags: Mapping[str, Any] | None = None, env: Mapping[str, str] | None = None) -> Loaded:
    """Read and check everything. `flags` are dotted (`server.port`) and win over `env` and the file; None values are
    ignored. Raises Problems only where the file as a whole cannot be read; all that is wrong in it waits in the result,
    so that what is wrong with the rules can be said along with it."""
    env = os.environ if env is None else env
    source = read_yaml(path, variables=True) if path else parse_yaml(_DEMO, _DEMO_NAME)
    if not isinstance(source.data, (dict, type(None))):
        message = said("must be a mapping of sections", "必须是由各节组成的映射")
        raise Problems([Problem(TOP, message, where=source.name), *source.mistakes])
    places = Places(source)
    found: list[Problem] = []
    data = fill_variables(source.data or {}, env, places, found)
    lay_environment(data, env, places, found)
    lay_flags(data, flags or {}, places)
    draft, broken = salvage(data, found)
    wrong = cross_check(draft, broken)
    rules, unread = read_rules(draft.rules, path.resolve().parent if path else Path.cwd())
    found += [*wrong, *unread]
    if "rules" not in broken:
        found += unknown_packs(draft, {file.pack for file in rules})
    problems = (*source.mistakes, *places.place_all(found))
    return Loaded(draft, tuple(rules), path, problems, broken, places)
