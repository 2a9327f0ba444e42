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
from pointsman.embedding import installed_model, other_than
from pointsman.routing.classifier.difficulty import Difficulty, difficulty_of, shipped_difficulty_version
from pointsman.routing.classifier.tasks import Tasks, shipped_least, shipped_version, tasks_of

Model = TypeVar("Model")


class Classifying(msgspec.Struct, frozen=True):
    """What the policy document says of them; a model of the config's own is there where it is not the one that ships.
    `notes`: what makes them worse than they could be."""

    rule: ClassifierRule
    own: Tasks | None = None
    own_difficulty: Difficulty | None = None
    notes: tuple[Said, ...] = ()


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
    learnt_with = {
        key: model.learnt_with
        for key, model in (("classifier.file", own), ("classifier.difficulty", own_difficulty))
        if model is not None and model.learnt_with is not None
    }
    for key, embedder in learnt_with.items():
        if (wrong := other_than(embedder.name, embedder.digest)) is not None:
            problems.append(Problem(key, wrong))
    usual = own.least if own is not None else shipped_least()
    rule = ClassifierRule(
        own.version if own is not None else shipped_version(),
        usual if given.least is None else given.least,
        own_difficulty.version if own_difficulty is not None else shipped_difficulty_version(),
        next((embedder.name for embedder in learnt_with.values()), None),
    )
    notes = (_NOT_INSTALLED,) if learnt_with and installed_model() is None else ()
    return Classifying(rule, own, own_difficulty, notes), problems


_NOT_INSTALLED = Said(
    "classifier: no embedding model is installed, so requests are classified by spelling (pip install 'pointsman[embed]')",
    "classifier：没有安装向量模型，请求按字面分类（安装：pip install 'pointsman[embed]'）",
)


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
