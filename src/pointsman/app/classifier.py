"""The models of task types and of difficulties that the config names, or those that ship."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import msgspec

from pointsman.config.schema import Config
from pointsman.domain.errors import Problem
from pointsman.domain.policy import ClassifierRule
from pointsman.domain.said import Said, said
from pointsman.domain.task_types import TASK_TYPES
from pointsman.routing.classifier.difficulty import Difficulty, difficulty_of, shipped_difficulty_version
from pointsman.routing.classifier.tasks import Tasks, shipped_least, shipped_version, tasks_of

Model = TypeVar("Model")


class Classifying(msgspec.Struct, frozen=True):
    """What the policy document says of them; a model of the config's own is there where it is not the one that ships."""

    rule: ClassifierRule
    own: Tasks | None = None
    own_difficulty: Difficulty | None = None


def classifying(config: Config, base: Path) -> tuple[Classifying, list[Problem]]:
    """With what is wrong with the files that the config names."""
    given = config.classifier
    problems: list[Problem] = []
    own = own_difficulty = None
    if given.file is not None:
        own = _read(base / given.file, "classifier.file", tasks_of, _NO_TASKS, problems)
    if given.difficulty is not None:
        own_difficulty = _read(
            base / given.difficulty, "classifier.difficulty", difficulty_of, _NO_DIFFICULTY, problems
        )
    if own is not None and (strange := [name for name in own.names if name not in TASK_TYPES]):
        message = said(
            "{path} tells unknown task types: {names}",
            "{path} 里有未知的任务类型：{names}",
            path=base / str(given.file),
            names=", ".join(strange),
        )
        problems.append(Problem("classifier.file", message, valid=", ".join(TASK_TYPES)))
        own = None
    usual = own.least if own is not None else shipped_least()
    rule = ClassifierRule(
        own.version if own is not None else shipped_version(),
        usual if given.least is None else given.least,
        own_difficulty.version if own_difficulty is not None else shipped_difficulty_version(),
    )
    return Classifying(rule, own, own_difficulty), problems


_NO_TASKS = Said(
    "{path} is no model of task types of this version (`pointsman train` writes one)",
    "{path} 不是本版本的任务类型模型（用 `pointsman train` 生成）",
)
_NO_DIFFICULTY = Said(
    "{path} is no model of difficulties of this version (`pointsman train --scores` writes one)",
    "{path} 不是本版本的难度模型（用 `pointsman train --scores` 生成）",
)


def _read(
    path: Path, key: str, made: Callable[[bytes], Model], no_model: Said, problems: list[Problem]
) -> Model | None:
    try:
        return made(path.read_bytes())
    except OSError as error:
        message = said(
            "{path} cannot be read ({why})", "无法读取 {path}（{why}）", path=path, why=error.strerror or error
        )
    except ValueError:
        message = said(no_model, no_model.zh, path=path)
    problems.append(Problem(key, message))
    return None
