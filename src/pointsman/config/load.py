"""Where settings come from: flags, then POINTSMAN_* environment, then the file, then defaults."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

import msgspec

from pointsman.config.convert import convert
from pointsman.config.references import cross_check
from pointsman.config.rule_files import RuleFile, builtin_packs, read_rules
from pointsman.config.schema import Config, Log, Server
from pointsman.config.yaml_source import VARIABLE, YamlSource, parse_yaml, read_yaml
from pointsman.domain.errors import Problem, Problems, did_you_mean

ENVIRONMENT: dict[str, type[msgspec.Struct]] = {"server": Server, "log": Log}  # sections that POINTSMAN_* reaches
_DEMO = f"""
rules: {{packs: [{", ".join(f"builtin:{name}" for name in builtin_packs())}]}}
sources: {{demo: {{demo: true}}}}
"""  # without any file_SECTIONS: dict[str, type[msgspec.Struct]] = {"server": Server, "log": Log}


class Loaded(msgspec.Struct, frozen=True):
    """A checked config, the rule files that it names, and what a person should know though it is no error."""

    config: Config
    rules: tuple[RuleFile, ...]
    notes: tuple[str, ...]
    path: Path | None


def load(path: Path | None, flags: Mapping[str, Any] | None = None, env: Mapping[str, str] | None = None) -> Loaded:
    """Read and check everything. `flags` are dotted (`server.port`) and win over `env` and the file; None values are
    ignored. Raises Problems with all that is wrong, each with its file, line and the valid values."""
    env = os.environ if env is None else env
    source = read_yaml(path, variables=True) if path else parse_yaml(_DEMO, "built-in demo config")
    problems = list(source.duplicates)
    data = source.data if source.data is not None else {}
    if not isinstance(data, dict):
        raise Problems([Problem("top level", "must be a mapping of sections", where=source.name)])
    found: list[Problem] = []
    data = _secrets(data, "", env, found)
    _overlay_env(data, env, found)
    _overlay_flags(data, flags or {})
    config = convert(data, Config, "", found)
    problems += [source.place(problem) if not problem.where else problem for problem in found]
    if config is None:
        raise Problems(problems)
    wrong, notes = cross_check(config)
    problems += [source.place(problem) for problem in wrong]
    base = path.resolve().parent if path else Path.cwd()
    rules, bad = read_rules(config.rules, base)
    problems += [source.place(problem) if not problem.where else problem for problem in bad]
    problems += _unknown_packs(config, rules, source)
    if problems:
        raise Problems(problems)
    return Loaded(config, tuple(rules), tuple(notes), path)


def _unknown_packs(config: Config, rules: list[RuleFile], source: YamlSource) -> list[Problem]:
    known = sorted({file.pack for file in rules})
    named = [
        (f"entries.{name}.packs[{i}]", pack)
        for name, e in config.entries.items()
        for i, pack in enumerate(e.packs or [])
    ]
    return [
        source.place(Problem(path, f"no pack {pack!r} is loaded{did_you_mean(pack, known)}", valid=", ".join(known)))
        for path, pack in named
        if pack not in known
    ]


def _secrets(data: Any, path: str, env: Mapping[str, str], problems: list[Problem]) -> Any:
    if isinstance(data, dict):
        return {
            key: _secrets(value, f"{path}.{key}" if path else str(key), env, problems) for key, value in data.items()
        }
    if isinstance(data, list):
        return [_secrets(value, f"{path}[{index}]", env, problems) for index, value in enumerate(data)]
    if not isinstance(data, str):
        return data

    def value_of(match: re.Match[str]) -> str:
        if match[1] not in env:
            problems.append(Problem(path, f"the environment has no variable {match[1]}"))
            return ""
        return env[match[1]]

    return VARIABLE.sub(value_of, data)


def _overlay_env(data: dict[str, Any], env: Mapping[str, str], problems: list[Problem]) -> None:
    valid = {
        f"POINTSMAN_{section}_{field.name}".upper(): (section, field)
        for section, kind in ENVIRONMENT.items()
        for field in msgspec.structs.fields(kind)
    }
    also = ["POINTSMAN_CONFIG"]
    for name, text in env.items():
        if not name.startswith("POINTSMAN_") or name in also:
            continue
        if name not in valid:
            hint = did_you_mean(name, [*valid, *also])
            problems.append(
                Problem(name, f"unknown setting{hint}", valid=", ".join([*valid, *also]), where="environment")
            )
            continue
        section, field = valid[name]
        value: Any = text
        if _is_list(field.type) and not text.lstrip().startswith("["):
            value = [part.strip() for part in text.split(",") if part.strip()]
        elif not isinstance(field.default, str):
            value = parse_yaml(text, name).data
        _set(data, (section, field.name), value)


def _is_list(kind: Any) -> bool:
    return get_origin(kind) is list or (get_origin(kind) is Annotated and get_origin(get_args(kind)[0]) is list)


def _overlay_flags(data: dict[str, Any], flags: Mapping[str, Any]) -> None:
    for name, value in flags.items():
        if value is not None:
            _set(data, tuple(name.split(".")), value)


def _set(data: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    for part in path[:-1]:
        below = data.get(part)
        if not isinstance(below, dict):
            if below is not None:
                return  # the file's own mistake is reported by the conversion
            below = data[part] = {}
        data = below
    data[path[-1]] = value
