"""How good models were measured to be, from the file that the config names."""

from __future__ import annotations

from pathlib import Path

import msgspec

from pointsman.config.others_words import why
from pointsman.config.schema import Config
from pointsman.domain.errors import Problem, did_you_mean
from pointsman.domain.quality import Quality
from pointsman.domain.said import Said, said
from pointsman.domain.task_types import TASK_TYPES

_MOST = 20  # problems that are named; a file of another kind would give one a line
_PATH = "quality.file"
_FORM = '{"model": "qwen2.5-7b", "task": "math", "value": 0.71, "weight": 40}'


def quality_table(config: Config, base: Path) -> tuple[tuple[Quality, ...], list[Problem]]:
    """What is sound in it, in the order of the file, and what is wrong with the rest. Keys beside those of a Quality are
    passed over: the file may say more than is read here."""
    name = config.quality.file
    if name is None:
        return (), []
    path = base / name
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, ValueError) as error:  # UnicodeDecodeError is one
        reason = why(error) if isinstance(error, OSError) else Said("it is no UTF-8", "它不是 UTF-8 文本")
        hint = Said("", "")
        if isinstance(error, FileNotFoundError):
            hint = Said("; `pointsman bench quality` writes it", "；可用 `pointsman bench quality` 生成")
        message = said(
            "{file} cannot be read: {why}{hint}", "无法读取 {file}：{why}{hint}", file=path, why=reason, hint=hint
        )
        return (), [Problem(_PATH, message)]
    found: list[Quality] = []
    problems: list[Problem] = []
    first: dict[tuple[str, str | None], int] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            quality = _quality(line)
            key = (quality.model, quality.task)
            if key in first:
                raise _Wrong(
                    said(
                        "{model} has a figure for {task} in line {line} already",
                        "第 {line} 行已经有 {model} 在 {task} 上的数值",
                        model=quality.model,
                        task=quality.task or said("all tasks", "全部任务"),
                        line=first[key],
                    )
                )
        except _Wrong as wrong:
            problems.append(Problem(_PATH, wrong.why, valid=_FORM, where=f"{path}:{number}"))
            continue
        first[key] = number
        found.append(quality)
    return tuple(found), problems[:_MOST]


class _Wrong(Exception):
    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def _quality(line: str) -> Quality:
    try:
        quality = msgspec.json.decode(line.encode(), type=Quality)
    except msgspec.DecodeError as error:
        raise _Wrong(said("no line of qualities: {why}", "不是一行质量数值：{why}", why=error)) from None
    except UnicodeEncodeError:
        raise _Wrong(said("no text", "不是文本")) from None
    if not quality.model:
        raise _Wrong(said("model is empty", "model 是空的"))
    if quality.task is not None and quality.task not in TASK_TYPES:
        hint = did_you_mean(quality.task, list(TASK_TYPES))
        raise _Wrong(said("no task type {task!r}{hint}", "没有任务类型 {task!r}{hint}", task=quality.task, hint=hint))
    if not 0.0 <= quality.value <= 1.0:
        raise _Wrong(said("value {value} is not within 0 to 1", "value {value} 不在 0 到 1 之间", value=quality.value))
    if quality.weight < 1:
        raise _Wrong(said("weight {weight} is below 1", "weight {weight} 小于 1", weight=quality.weight))
    return quality
