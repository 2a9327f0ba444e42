"""What is laid over the data of a file: variables in texts, then POINTSMAN_* of the environment, then flags."""

from __future__ import annotations

import re
import types
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec

from pointsman.config.places import Places
from pointsman.config.schema import Log, Server
from pointsman.config.yaml_source import VARIABLE, as_written, parse_yaml
from pointsman.domain.errors import Problem, Problems, did_you_mean
from pointsman.domain.said import said

ENVIRONMENT: dict[str, type[msgspec.Struct]] = {"server": Server, "log": Log}
"""The sections that POINTSMAN_* reaches."""
ALSO = {
    "POINTSMAN_CONFIG": "the file, where `-c` names none",
    "POINTSMAN_KEY": "the key that `jobs batch`, `reload` and `trace` send to a gateway, where `--key` names none",
}
"""What else is read from there, not as a setting."""
_IN_ENVIRONMENT = said("environment", "环境变量")
_ON_THE_LINE = said("command line", "命令行")


def fill_variables(data: Any, env: Mapping[str, str], places: Places, problems: list[Problem], path: str = "") -> Any:
    """A copy of `data` with every variable of the file replaced by its text. One that is not there is a problem."""
    if isinstance(data, dict):
        return {
            as_written(key) if isinstance(key, str) else key: fill_variables(
                value, env, places, problems, f"{path}.{key}" if path else str(key)
            )
            for key, value in data.items()
        }
    if isinstance(data, list):
        return [fill_variables(value, env, places, problems, f"{path}[{index}]") for index, value in enumerate(data)]
    if not isinstance(data, str) or not VARIABLE.search(data):
        return data

    def value_of(match: re.Match[str]) -> str:
        if match[1] not in env:
            message = said("the environment has no variable {name}", "没有环境变量 {name}", name=match[1])
            problems.append(places.place(Problem(path, message)))
            places.spoil(path)
        return env.get(match[1], "")

    filled = VARIABLE.sub(value_of, data)
    places.fill(path, as_written(data), filled)
    return filled


def lay_environment(data: dict[Any, Any], env: Mapping[str, str], places: Places, problems: list[Problem]) -> None:
    """POINTSMAN_SECTION_KEY over `data`. Texts are taken as they stand, a list may be parted by commas, and all else is
    written as in the file. An unknown name and a value that cannot be read are problems of the environment."""
    valid = {
        f"POINTSMAN_{section}_{name}".upper(): (section, name, kind)
        for section, struct in ENVIRONMENT.items()
        for name, kind in get_type_hints(struct, include_extras=True).items()
    }
    for name, text in env.items():
        if not name.startswith("POINTSMAN_") or name in ALSO:
            continue
        if name not in valid:
            names = [*valid, *ALSO]
            message = said("unknown setting{hint}", "没有这项设置{hint}", hint=did_you_mean(name, names))
            problems.append(Problem(name, message, valid=", ".join(names), where=_IN_ENVIRONMENT))
            continue
        section, key, kind = valid[name]
        try:
            value = _read(text, name, _plain(kind))
        except Problems as error:
            problems += [Problem(name, problem.message, where=_IN_ENVIRONMENT) for problem in error.problems]
            continue
        _lay(data, section, key, value, places, name, _IN_ENVIRONMENT)


def lay_flags(data: dict[Any, Any], flags: Mapping[str, Any], places: Places) -> None:
    """Flags over `data`, by the name of the setting (`store`, `server.port`); None is a flag that was not given."""
    for name, value in flags.items():
        if value is None:
            continue
        section, _, key = name.rpartition(".")
        flag = f"--{key.replace('_', '-')}"
        if section:
            _lay(data, section, key, value, places, flag, _ON_THE_LINE)
        else:
            data[name] = value
            places.give(name, flag, _ON_THE_LINE)


def _read(text: str, name: str, kind: Any) -> Any:
    if kind is str or get_origin(kind) is Literal:
        return text
    if get_origin(kind) is list and not text.lstrip().startswith("["):
        return [part.strip() for part in text.split(",") if part.strip()]
    source = parse_yaml(text, name)
    if source.mistakes:
        raise Problems(source.mistakes)
    return source.data


def _plain(kind: Any) -> Any:
    """A type without its annotations and without None."""
    if get_origin(kind) is Annotated:
        return _plain(get_args(kind)[0])
    if get_origin(kind) in (Union, types.UnionType):
        [kind] = [arg for arg in get_args(kind) if arg is not type(None)]
        return _plain(kind)
    return kind


def _lay(data: dict[Any, Any], section: str, key: str, value: Any, places: Places, name: str, where: str) -> None:
    if data.get(section) is None:
        data[section] = {}
    if isinstance(data[section], dict):  # else the file's own mistake, which the conversion reports
        data[section][key] = value
        places.give(f"{section}.{key}", name, where)
