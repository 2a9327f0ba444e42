"""The eval set: a JSON line a task. See docs/routing/eval-set.md."""

from __future__ import annotations

import math
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from pointsman.bench.quality.checkers import BadChecker, Check, checker_of
from pointsman.config.others_words import why
from pointsman.domain.errors import Problem, Problems, did_you_mean
from pointsman.domain.said import Said, said
from pointsman.domain.task_types import TASK_TYPES

BUILTIN = Path(__file__).with_name("sets")
_PREFIX = "builtin:"
_FIELDS = (
    "id", "prompt", "messages", "task", "weight", "max_tokens", "checker", "answer", "rubric", "graded",
)  # fmt: skip
_ROLES = ("system", "user", "assistant")
_MOST_TOKENS = 32_768


class Task(msgspec.Struct, frozen=True):
    """One line. `check` grades a reply; where it is None, a judge holds the reply against `answer` by `rubric`, unless
    `graded` has the model's grade already. `mark` is a hash of all that the grade depends on."""

    id: str
    messages: tuple[dict[str, str], ...]
    task: str | None
    weight: float
    max_tokens: int | None
    check: Check | None
    answer: str | None
    rubric: str | None
    graded: dict[str, float]
    mark: str


class EvalSet(msgspec.Struct, frozen=True):
    """`name` is as it was asked for; `judged`: some tasks need a judge."""

    name: str
    tasks: tuple[Task, ...]

    @property
    def judged(self) -> bool:
        return any(task.check is None and task.answer is not None for task in self.tasks)


def builtin_sets() -> list[str]:
    return sorted(_PREFIX + path.stem for path in BUILTIN.glob("*.jsonl"))


def read_set(name: str) -> EvalSet:
    """A file, or one that ships (`builtin:basic`). Raises Problems with the number of each wrong line."""
    path = Path(name)
    if name.startswith(_PREFIX):
        if name not in builtin_sets():
            hint = did_you_mean(name, builtin_sets())
            message = said("no such set ships{hint}", "没有这个内置评测集{hint}", hint=hint)
            raise Problems([Problem(name, message, valid=", ".join(builtin_sets()))])
        path = BUILTIN / f"{name.removeprefix(_PREFIX)}.jsonl"
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Problems([Problem(name, said("it cannot be read: {why}", "无法读取：{why}", why=why(error)))]) from None
    problems: list[Problem] = []
    tasks: list[Task] = []
    lines: dict[str, int] = {}
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            task = _task(line, number)
        except _Wrong as wrong:
            problems.append(Problem(wrong.field, wrong.message, valid=wrong.valid, where=f"{name}:{number}"))
            continue
        if task.id in lines:
            message = said(
                "the id {id!r} stands in line {line} already",
                "id {id!r} 已经出现在第 {line} 行",
                id=task.id,
                line=lines[task.id],
            )
            problems.append(Problem("id", message, where=f"{name}:{number}"))
            continue
        lines[task.id] = number
        tasks.append(task)
    if not tasks and not problems:
        problems.append(Problem(name, said("it is empty: a task a line is expected", "文件是空的：应当每行一个任务")))
    if problems:
        raise Problems(problems)
    return EvalSet(name, tuple(tasks))


class _Wrong(Exception):
    def __init__(self, field: str, message: str, valid: str | None = None) -> None:
        super().__init__(message)
        self.field = field
        self.message = message
        self.valid = valid


def _task(line: bytes, number: int) -> Task:
    try:
        given = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _Wrong("line", said("it is no JSON: {why}", "不是 JSON：{why}", why=error)) from None
    if not isinstance(given, dict):
        raise _Wrong("line", Said("it must be a mapping", "必须是映射"))
    for name in given:
        if name not in _FIELDS:
            hint = did_you_mean(name, list(_FIELDS))
            raise _Wrong(name, said("unknown key{hint}", "不认识的键{hint}", hint=hint), ", ".join(_FIELDS))
    checker, answer, graded = given.get("checker"), given.get("answer"), _graded(given.get("graded"))
    if checker is None and answer is None and not graded:
        raise _Wrong("checker", Said("nothing says what is right", "没有说明怎样才算对"), "checker, answer, graded")
    if checker is not None and answer is not None:
        raise _Wrong("answer", Said("there is a checker already", "已经有 checker 了"), "checker / answer")
    task = given.get("task")
    if task is not None and task not in TASK_TYPES:
        hint = did_you_mean(str(task), list(TASK_TYPES))
        raise _Wrong(
            "task",
            said("no task type {task!r}{hint}", "没有任务类型 {task!r}{hint}", task=task, hint=hint),
            ", ".join(TASK_TYPES),
        )
    try:
        check = None if checker is None else checker_of(checker)
    except BadChecker as error:
        raise _Wrong("checker", error.args[0]) from None
    named = given.get("id", str(number))
    if not isinstance(named, str) or not 0 < len(named) <= 200:
        raise _Wrong("id", Said("it must be text of at most 200 characters", "必须是不超过 200 个字符的文本"))
    messages = _messages(given)
    max_tokens = given.get("max_tokens")
    if max_tokens is not None and (
        isinstance(max_tokens, bool) or not isinstance(max_tokens, int) or not 1 <= max_tokens <= _MOST_TOKENS
    ):
        raise _Wrong(
            "max_tokens",
            said("it must be a whole number from 1 to {most}", "必须是 1 到 {most} 的整数", most=_MOST_TOKENS),
        )
    for name in ("answer", "rubric"):
        if given.get(name) is not None and (not isinstance(given[name], str) or not given[name].strip()):
            raise _Wrong(name, Said("it must be text", "必须是文本"))
    told = {name: value for name, value in given.items() if name not in ("id", "weight", "graded")}
    return Task(
        id=named,
        messages=messages,
        task=task,
        weight=_weight(given.get("weight", 1)),
        max_tokens=max_tokens,
        check=check,
        answer=answer,
        rubric=given.get("rubric"),
        graded=graded,
        mark=sha256(msgspec.json.encode(told, order="deterministic")).hexdigest()[:16],
    )


def _messages(given: dict[str, Any]) -> tuple[dict[str, str], ...]:
    prompt, messages = given.get("prompt"), given.get("messages")
    if (prompt is None) == (messages is None):
        raise _Wrong(
            "prompt", Said("there must be a prompt or messages, and not both", "prompt 和 messages 必须有且只有一个")
        )
    if prompt is not None:
        if not isinstance(prompt, str) or not prompt.strip():
            raise _Wrong("prompt", Said("it must be text", "必须是文本"))
        return ({"role": "user", "content": prompt},)
    if not isinstance(messages, list) or not messages:
        raise _Wrong("messages", Said("it must be a list with something in it", "必须是非空列表"))
    for message in messages:
        sound = (
            isinstance(message, dict) and set(message) == {"role", "content"} and isinstance(message["content"], str)
        )
        if not sound or message["role"] not in _ROLES:
            raise _Wrong(
                "messages",
                Said("each must be {role, content}, both text", "每条必须是 {role, content}，都是文本"),
                ", ".join(_ROLES),
            )
    if messages[-1]["role"] != "user":
        raise _Wrong("messages", Said("the last one must be the user's", "最后一条必须是 user 的"))
    return tuple(messages)


def _graded(given: Any) -> dict[str, float]:
    if given is None:
        return {}
    if not isinstance(given, dict) or not given:
        raise _Wrong("graded", Said("it must be a mapping of model to grade", "必须是从模型到评分的映射"))
    for model, grade in given.items():
        if isinstance(grade, bool) or not isinstance(grade, int | float) or not 0 <= grade <= 1:
            raise _Wrong(f"graded.{model}", Said("a grade is a number from 0 to 1", "评分必须是 0 到 1 的数"))
    return {model: float(grade) for model, grade in given.items()}


def _weight(given: Any) -> float:
    if (
        isinstance(given, bool)
        or not isinstance(given, int | float)
        or not math.isfinite(given)
        or not 0 < given <= 1000
    ):
        raise _Wrong("weight", Said("it must be a number above 0, at most 1000", "必须是大于 0、不超过 1000 的数"))
    return float(given)
