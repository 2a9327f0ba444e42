"""The model of task types that the config names, or the one that ships."""

from __future__ import annotations

from pathlib import Path

import msgspec

from pointsman.config.schema import Config
from pointsman.domain.errors import Problem
from pointsman.domain.policy import ClassifierRule
from pointsman.domain.said import said
from pointsman.domain.task_types import TASK_TYPES
from pointsman.routing.classifier.tasks import Tasks, shipped_least, shipped_version, tasks_of


class Classifying(msgspec.Struct, frozen=True):
    """What the policy document says of it; `own` and its bytes are there where it is not the one that ships."""

    rule: ClassifierRule
    own: Tasks | None = None
    data: bytes | None = None


def classifying(config: Config, base: Path) -> tuple[Classifying, list[Problem]]:
    """With what is wrong with the file that the config names."""
    given = config.classifier
    if given.file is None:
        least = shipped_least() if given.least is None else given.least
        return Classifying(ClassifierRule(shipped_version(), least)), []
    path = base / given.file
    shipped = Classifying(ClassifierRule(shipped_version(), shipped_least()))
    try:
        data = path.read_bytes()
        own = tasks_of(data)
    except OSError as error:
        message = said(
            "{path} cannot be read ({why})", "无法读取 {path}（{why}）", path=path, why=error.strerror or error
        )
        return shipped, [Problem("classifier.file", message)]
    except ValueError:
        message = said(
            "{path} is no model of task types of this version (`pointsman train` writes one)",
            "{path} 不是本版本的任务类型模型（用 `pointsman train` 生成）",
            path=path,
        )
        return shipped, [Problem("classifier.file", message)]
    if strange := [name for name in own.names if name not in TASK_TYPES]:
        message = said(
            "{path} tells unknown task types: {names}",
            "{path} 里有未知的任务类型：{names}",
            path=path,
            names=", ".join(strange),
        )
        return shipped, [Problem("classifier.file", message, valid=", ".join(TASK_TYPES))]
    least = own.least if given.least is None else given.least
    return Classifying(ClassifierRule(own.version, least), own, data), []
