"""An eval set put to one model after another, some tasks at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import msgspec

from pointsman.bench.quality.ask import Failed, ask, judge
from pointsman.bench.quality.checkers import without_thoughts
from pointsman.bench.quality.eval_set import EvalSet, Task
from pointsman.bench.quality.figures import Difference, difference, figure_of
from pointsman.bench.quality.runs import Graded, Runs, mark_of
from pointsman.bench.results import Failure, Results, Sample, new_results
from pointsman.domain.said import Said, said
from pointsman.ports.backend import Backend

Progress = Callable[[str], None]
ALL = "all"
_UNKNOWN = "(none)"
"""The row of tasks without a type."""
_EVERY = 10
_GIVE_UP = 5
"""So many tasks failed, and none went well: the model is not there."""


class Plan(msgspec.Struct, frozen=True):
    """`parallel` tasks at a time, each at most `seconds`."""

    parallel: int = 4
    seconds: float = 120.0


class Subject(msgspec.Struct, frozen=True):
    """A model as it is called here: `name` is what results show, `model` its real name, by which tables of qualities go."""

    name: str
    model: str
    backend: Backend


async def run_quality(
    subjects: Sequence[Subject],
    tasks: EvalSet,
    plan: Plan,
    runs: Runs,
    progress: Progress,
    judged_by: Backend | None = None,
) -> Results:
    """Subjects are models; rows are types of tasks and `all`. Values: `n` tasks graded, `value` the mean grade with `low`
    and `high` (0 to 1), `empty` (answered nothing), `ungraded` (no reply, or none of the judge), and of `all` also `seconds`
    and `tokens` a reply. What is in `runs` is not asked again."""
    rows = [ALL, *sorted({task.task or _UNKNOWN for task in tasks.tasks})]
    options = {**msgspec.structs.asdict(plan), "set": tasks.name, "tasks": len(tasks.tasks), "models": {}}
    results = new_results("quality", options, rows)
    judge_name = None if judged_by is None else judged_by.target.name
    for subject in subjects:
        results.versions[subject.name] = subject.backend.target.engine
        options["models"][subject.name] = subject.model
        run = _Run(subject, tasks, plan, runs, progress, judged_by, judge_name)
        await run.ask_all()
        run.tell(results)
    return results


def grades_of(
    subject: Subject, tasks: EvalSet, runs: Runs, judge_name: str | None, task_type: str | None = None
) -> dict[str, tuple[float, float]]:
    """Id → (grade, weight) of what was graded, at one type of tasks or all."""
    found = {}
    for task in tasks.tasks:
        if task_type in (None, task.task or _UNKNOWN):
            grade = _grade(subject, task, runs, judge_name)
            if grade is not None:
                found[task.id] = grade, task.weight
    return found


def compared(
    baseline: Subject, candidate: Subject, tasks: EvalSet, runs: Runs, judge_name: str | None
) -> dict[str, Difference]:
    """Row → what the candidate does better, in points."""
    found = {}
    for row in (ALL, *sorted({task.task or _UNKNOWN for task in tasks.tasks})):
        wanted = None if row == ALL else row
        first, second = (grades_of(each, tasks, runs, judge_name, wanted) for each in (baseline, candidate))
        pairs = [(grade, second[name][0], weight) for name, (grade, weight) in first.items() if name in second]
        told = difference(pairs)
        if told is not None:
            found[row] = told
    return found


def _grade(subject: Subject, task: Task, runs: Runs, judge_name: str | None) -> float | None:
    for name in (subject.name, subject.model):
        if name in task.graded:
            return task.graded[name]
    graded = runs.get(_key(subject), mark_of(task, judge_name))
    return None if graded is None else graded.grade


def _key(subject: Subject) -> str:
    return subject.backend.target.name


class _Run:
    def __init__(
        self,
        subject: Subject,
        tasks: EvalSet,
        plan: Plan,
        runs: Runs,
        progress: Progress,
        judged_by: Backend | None,
        judge_name: str | None,
    ) -> None:
        self.subject = subject
        self.tasks = tasks
        self.plan = plan
        self.runs = runs
        self.progress = progress
        self.judged_by = judged_by
        self.judge_name = judge_name
        self.why: str | None = None
        self.failed = 0
        self.done = 0

    async def ask_all(self) -> None:
        open_tasks = [
            task for task in self.tasks.tasks if _grade(self.subject, task, self.runs, self.judge_name) is None
        ]
        open_tasks = [task for task in open_tasks if task.check is not None or task.answer is not None]
        known = len(self.tasks.tasks) - len(open_tasks)
        if known:
            self._now(
                said(
                    "{known} of {all} are graded already",
                    "{all} 个任务中有 {known} 个已有评分",
                    known=known,
                    all=len(self.tasks.tasks),
                )
            )
        if not open_tasks:
            return
        state = await self.subject.backend.probe()
        if state.health != "up":
            self.why = state.problem or said("it does not answer", "没有应答")
            return
        waiting = list(reversed(open_tasks))

        async def worker() -> None:
            while waiting and not (self.failed >= _GIVE_UP and not self.done):
                await self._one(waiting.pop(), len(open_tasks))

        await asyncio.gather(*(worker() for _ in range(min(self.plan.parallel, len(open_tasks)))))

    async def _one(self, task: Task, count: int) -> None:
        try:
            reply = await ask(self.subject.backend, task, self.plan.seconds)
            text = without_thoughts(reply.text)
            grade = 0.0 if not text else await self._judged(task, text)
        except Failed as failed:
            self.failed += 1
            self.why = said(
                "{failed} tasks without a grade, the last one: {why}",
                "{failed} 个任务没有得到评分，最后一个：{why}",
                failed=self.failed,
                why=failed.why,
            )
            return
        self.done += 1
        self.runs.put(
            Graded(
                _key(self.subject),
                task.id,
                mark_of(task, self.judge_name),
                grade,
                reply.text,
                not text,
                round(reply.seconds, 3),
                reply.output_tokens,
            )
        )
        if self.done % _EVERY == 0:
            self._now(said("{done} of {count}", "{done}/{count}", done=self.done, count=count))

    async def _judged(self, task: Task, text: str) -> float:
        if task.check is not None:
            return min(max(task.check(text), 0.0), 1.0)
        if self.judged_by is None:
            raise Failed("unavailable")
        return await judge(self.judged_by, task, text, self.plan.seconds)

    def tell(self, results: Results) -> None:
        name = self.subject.name
        for row in results.rows:
            wanted = None if row == ALL else row
            grades = grades_of(self.subject, self.tasks, self.runs, self.judge_name, wanted)
            told = figure_of(list(grades.values()))
            if told is None:
                continue
            several = [task for task in self.tasks.tasks if wanted in (None, task.task or _UNKNOWN)]
            asked = [self.runs.get(_key(self.subject), mark_of(task, self.judge_name)) for task in several]
            replies = [each for each in asked if each is not None]
            values = {"n": float(told.n), "value": told.value, "low": told.low, "high": told.high}
            values["empty"] = float(sum(each.empty for each in replies))
            values["ungraded"] = float(len(several) - told.n)
            if row == ALL and replies:
                values["seconds"] = sum(each.seconds for each in replies) / len(replies)
                values["tokens"] = sum(each.output_tokens for each in replies) / len(replies)
            results.samples.append(Sample(name, row, 1, values))
        if self.why is not None:
            graded = any(sample.subject == name for sample in results.samples)
            results.failures.append(Failure(name, "ungraded" if graded else "*", 1, self.why))

    def _now(self, what: Said) -> None:
        self.progress(said("{model}: {what}", "{model}：{what}", model=self.subject.name, what=what))
