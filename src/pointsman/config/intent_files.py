"""Reading files of intents that `arbiter.files` names, and putting those into the config beside its own."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from pointsman.config.arbiter_schema import IntentConfig
from pointsman.config.convert import convert
from pointsman.config.schema import Config
from pointsman.config.yaml_source import YamlSource, read_yaml
from pointsman.domain.errors import Problem, Problems
from pointsman.domain.said import said


def with_intents(config: Config, base: Path) -> tuple[Config, list[Problem]]:
    """The config with the intents of its files, in their order after its own; and what is wrong in these, with its place. A
    name that was there before is a problem."""
    intents = dict(config.arbiter.intents)
    problems: list[Problem] = []
    for index, name in enumerate(config.arbiter.files):
        path = f"arbiter.files[{index}]"
        try:
            source = read_yaml(base / name)
        except Problems as error:
            problems += [problem if problem.where else Problem(path, problem.said) for problem in error.problems]
            continue
        problems += source.mistakes
        _take(source, path, intents, problems)
    return replace(config, arbiter=replace(config.arbiter, intents=intents)), problems


def _take(source: YamlSource, path: str, intents: dict[str, IntentConfig], problems: list[Problem]) -> None:
    if not isinstance(source.data, dict):
        en, zh = "{file} must be a mapping of name to intent", "{file} 必须是从名称到意图的映射"
        problems.append(Problem(path, said(en, zh, file=source.name)))
        return
    wrong: list[Problem] = []
    found = convert(source.data, dict[str, IntentConfig], "", wrong)
    problems += [
        source.place(Problem(problem.path.lstrip("."), problem.message, valid=problem.valid)) for problem in wrong
    ]
    for name, intent in (found or {}).items():
        if intent is None:
            continue
        if name in intents:
            en, zh = "there is an intent {name!r} already", "已经有名为 {name!r} 的意图"
            problems.append(source.place(Problem(name, said(en, zh, name=name))))
            continue
        intents[name] = intent
