"""Texts with their task types: from a file, from the request log, and what is wrong with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from pointsman.config.others_words import why
from pointsman.domain.errors import PointsmanError, Problem, Problems, did_you_mean
from pointsman.domain.said import Said, said
from pointsman.domain.task_types import TASK_TYPES
from pointsman.offline.read_log import asked_of
from pointsman.offline.training.tasks import Labelled
from pointsman.store.log_reader import LogReader

LEAST_EACH = 10
"""Texts of a task type below which nothing is learnt of it."""
_LEARNT = tuple(task for task in TASK_TYPES if task not in ("vision", "long_context", "other"))
_SHOWN = 20


def labelled_lines(data: bytes, path: str) -> tuple[Labelled, ...]:
    """JSON lines of `text` and `task`, other fields passed over. Raises Problems: each bad line by its number."""
    found: list[Labelled] = []
    problems: list[Problem] = []
    decode = msgspec.json.Decoder(Labelled).decode
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").splitlines(), 1):
        if not line.strip():
            continue
        where = said("line {number}", "第 {number} 行", number=number)
        try:
            row = decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            message = said('not {{"text": …, "task": …}} ({why})', '不是 {{"text": …, "task": …}}（{why}）', why=error)
            problems.append(Problem(where, message, where=path))
            continue
        if row.task not in _LEARNT:
            hint = did_you_mean(row.task, list(_LEARNT))
            message = said("no task type {task!r}{hint}", "没有任务类型 {task!r}{hint}", task=row.task, hint=hint)
            problems.append(Problem(where, message, where=path, valid=", ".join(_LEARNT)))
        elif not row.text.strip():
            problems.append(Problem(where, Said("the text is empty", "文本为空"), where=path))
        else:
            found.append(row)
    if problems:
        raise Problems(problems[:_SHOWN])
    return tuple(found)


def labelled_file(path: Path) -> tuple[Labelled, ...]:
    """Raises PointsmanError, Problems."""
    try:
        data = path.read_bytes()
    except OSError as error:
        message = said("{path} cannot be read: {why}", "{path} 无法读取：{why}", path=path, why=why(error))
        raise PointsmanError(message) from None
    return labelled_lines(data, str(path))


def labelled_log(folder: Path, since: float | None) -> tuple[Labelled, ...]:
    """What callers declared, and what a model told of requests whose reply was adopted. Raises what LogReader raises."""
    reader = LogReader(folder)
    found: list[Labelled] = []
    try:
        adopted = {each.request_id for each in reader.feedback(since) if each.adopted}
        for logged in reader.scan(since):
            content = logged.content()
            features = content.decision.features if content and content.decision else None
            if content is None or features is None or features.task_type not in _LEARNT:
                continue
            sure = features.task_source == "declared" or logged.head.id in adopted
            if sure and (text := asked_of(content)) is not None:
                found.append(Labelled(text, features.task_type))
    finally:
        reader.close()
    return tuple(found)


def sound(texts: Iterable[Labelled]) -> tuple[Labelled, ...]:
    """Each text once. Raises Problems where one has two task types."""
    tasks: dict[str, Labelled] = {}
    problems = []
    for each in texts:
        before = tasks.setdefault(" ".join(each.text.split()), each)
        if before.task != each.task:
            message = said(
                "is both {one} and {other}",
                "既标为 {one} 又标为 {other}",
                one=before.task,
                other=each.task,
            )
            problems.append(Problem(repr(_short(each.text)), message))
    if problems:
        raise Problems(problems[:_SHOWN])
    return tuple(tasks.values())


def enough(texts: Sequence[Labelled]) -> None:
    """Raises PointsmanError where nothing can be learnt of them."""
    counts = Counter(each.task for each in texts)
    if len(counts) < 2:
        message = said(
            "{texts} texts of {kinds} task types: at least two types are needed",
            "{texts} 条文本只有 {kinds} 种任务类型：至少需要两种",
            texts=len(texts),
            kinds=len(counts),
        )
        raise PointsmanError(message)
    if few := {task: count for task, count in sorted(counts.items()) if count < LEAST_EACH}:
        message = said(
            "too few texts, at least {least} of each task type are needed: {few}",
            "文本太少，每种任务类型至少 {least} 条：{few}",
            least=LEAST_EACH,
            few=", ".join(f"{task} {count}" for task, count in few.items()),
        )
        raise PointsmanError(message)


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 60 else f"{flat[:57]}…"
