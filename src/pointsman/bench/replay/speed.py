"""How many logged decisions one core makes again in a second."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from pointsman import __version__
from pointsman.bench.replay.configs import made_of, other_rules, patient, scored, surer, write
from pointsman.bench.replay.made_log import make_log
from pointsman.bench.replay.replayed import replayed
from pointsman.bench.results import Failure, Results, Sample, new_results
from pointsman.bench.subjects import POINTSMAN
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import said
from pointsman.pipeline.policy import Policy

Progress = Callable[[str], None]
TERMS, WHOLE, TASKS, BOTH = "other weights", "another rule", "another classifier", "another classifier, both policies"
GIVEN = "as given"
_BACKEND = {"engine": "vllm", "base_url": "http://127.0.0.1:1/v1"}


def run_speed(
    policy_of: Callable[[Path], Policy], texts: Sequence[str], count: int, rounds: int, seed: int, progress: Progress
) -> Results:
    """On a log that is made of `count` requests. `policy_of` builds what a config file says. Raises PointsmanError."""
    results = new_results("replay", {"requests": count, "rounds": rounds}, [TERMS, WHOLE, TASKS, BOTH])
    results.versions = {POINTSMAN: __version__}
    folder = Path(tempfile.mkdtemp(prefix="pointsman-bench-"))
    try:
        light = {**_BACKEND, "model": "qwen2.5:3b", "name": "light"}
        heavy = {**_BACKEND, "model": "qwen2.5:32b", "name": "heavy"}
        config = made_of(light, heavy)
        old = write(folder / "old", config, scored)
        weights = write(folder / "weights", config, scored, patient)
        rules = write(folder / "rules", config, scored, other_rules)
        tasks = write(folder / "tasks", config, scored, surer)
        progress(said("making a log of {count} requests", "生成 {count} 个请求的日志", count=f"{count:,}"))
        make_log(folder / "data", policy_of(old), texts, count, seed)
        results.options["mb"] = round(sum(file.stat().st_size for file in folder.rglob("data/**/*")) / 1e6, 1)
        cases = ((TERMS, weights, ()), (WHOLE, rules, ()), (TASKS, tasks, ()), (BOTH, tasks, ("--verify",)))
        for number in range(1, rounds + 1):
            for row, against, more in cases:
                progress(said("round {number}: {row}", "第 {number} 轮：{row}", number=number, row=row))
                _measure(results, row, number, old, folder / "data", against, more)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return results


def run_given(config: Path, data: Path, against: Path, rounds: int, progress: Progress) -> Results:
    """On a log that is there."""
    results = new_results("replay", {"rounds": rounds}, [GIVEN])
    results.versions = {POINTSMAN: __version__}
    for number in range(1, rounds + 1):
        progress(said("round {number}", "第 {number} 轮", number=number))
        _measure(results, GIVEN, number, config, data, against, ())
    return results


def _measure(
    results: Results, row: str, number: int, config: Path, data: Path, against: Path, more: tuple[str, ...]
) -> None:
    try:
        told = replayed(config, data, against, *more)
    except PointsmanError as error:
        results.failures.append(Failure(POINTSMAN, row, number, error.message))
        return
    compared = told["compared"]
    values = {
        "per_s": compared / told["seconds"],
        "compared_n": float(compared),
        "moved_n": float(told["moved"]),
        "by_terms_n": float(told["by_terms"]),
        "checked_n": float(told["checked"]),
        "unreadable_n": float(told["unreadable"]),
    }
    results.samples.append(Sample(POINTSMAN, row, number, values))
