"""`bench rules`: how long a decision takes, beside other ways to decide the same."""

from __future__ import annotations

import gc
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pointsman import __version__
from pointsman.bench.classifying import classified_micros, classified_rows
from pointsman.bench.footprint import footprint
from pointsman.bench.load import quantile
from pointsman.bench.policies import Plain, as_rules, hopeless, random_rules, random_texts
from pointsman.bench.results import Failure, Results, Sample, new_results
from pointsman.bench.session import Cores
from pointsman.bench.subjects import POINTSMAN, versions_in
from pointsman.domain.features import Features
from pointsman.domain.said import Said, said
from pointsman.rules import RuleSet, compile_rules

Progress = Callable[[str], None]
RIVALS = ("naive", "rule-engine", "zen-engine")
"""The naive loop needs no package; the others are those of the same name."""
_SCRIPT = Path(__file__).with_name("peers") / "deciders.py"
_FEATURES = Features(10, 10, 10, "zh", 1, False, False, False, 0, False, False, None, "none")
_LONG = 200_000  # characters of the texts that no rule takes


@dataclass(frozen=True)
class Case:
    """So many rules, and texts of so many characters."""

    rules: int
    characters: int

    @property
    def name(self) -> str:
        return f"{self.rules:,} rules, {self.characters} characters"


CASES = (Case(89, 20), Case(89, 500), Case(10_000, 500))
QUICK = (Case(89, 20), Case(89, 500))


def run_rules(quick: bool, rounds: int, seconds: float, venv: Path, progress: Progress) -> Results:
    """Rows are cases, long texts without a winner, texts whose task is told, and rule counts; `p50_us` and `p99_us` are of
    one decision, folding included for Pointsman (the others are handed texts that need none). A rival that decides
    otherwise has failed."""
    cores = Cores.split()
    options = {"rounds": rounds, "seconds": seconds, "subject_cores": list(cores.subject)}
    results = new_results("rules", options, [])
    results.versions[POINTSMAN] = __version__
    for rival in RIVALS:
        python = sys.executable if rival == "naive" else str(venv / "bin" / "python")
        version = platform.python_version() if rival == "naive" else versions_in(Path(python), rival)
        if version is None:
            results.skipped[rival] = Said("not installed: make bench installs it", "没有安装：make bench 会装好它")
        else:
            results.versions[rival] = version
    with _pinned(cores.subject):
        for case in QUICK if quick else CASES:
            _case(case, results, rounds, seconds, venv, progress)
        for name, plain, text in hopeless(_LONG):
            _ours_alone(f"{name}, {_LONG:,} characters", plain, text, results, rounds, progress)
        for row in classified_rows():
            _classified(row, results, rounds, seconds, progress)
        for count in (1000,) if quick else (1000, 10_000):
            row = f"{count:,} rules compiled"
            results.rows.append(row)
            progress(row)
            for number in range(1, rounds + 1):
                results.samples.append(Sample(POINTSMAN, row, number, footprint(count)))
    return results


def _case(case: Case, results: Results, rounds: int, seconds: float, venv: Path, progress: Progress) -> None:
    results.rows.append(case.name)
    plain, words = random_rules(case.rules)
    plain.sort(key=lambda rule: -rule.priority)
    texts = random_texts(300, case.characters, words)
    compiled = compile_rules(as_rules(plain))
    wanted = [_decision(compiled, text) for text in texts]
    for number in range(1, rounds + 1):
        for subject in results.versions:
            progress(
                said(
                    "round {number}: {case}, {subject}",
                    "第 {number} 轮：{case}，{subject}",
                    number=number,
                    case=case.name,
                    subject=subject,
                )
            )
            if subject == POINTSMAN:
                micros = _timed(compiled, texts, seconds)
                values: dict[str, float] = {}
            else:
                done = _rival(subject, plain, texts, seconds, venv)
                if isinstance(done, str):
                    results.failures.append(Failure(subject, case.name, number, done))
                    continue
                micros, decisions, values = done["micros"], done["decisions"], {"setup_s": done["setup_s"]}
                wrong = [place for place, found in enumerate(decisions) if found != wanted[place]]
                if wrong:
                    results.failures.append(Failure(subject, case.name, number, _otherwise(wrong, decisions, wanted)))
            values |= {"p50_us": quantile(micros, 0.5), "p99_us": quantile(micros, 0.99), "decisions": len(micros)}
            values["hits"] = sum(found is not None for found in wanted) / len(wanted)
            results.samples.append(Sample(subject, case.name, number, values))


def _ours_alone(row: str, plain: list[Plain], text: str, results: Results, rounds: int, progress: Progress) -> None:
    results.rows.append(row)
    compiled = compile_rules(as_rules(plain))
    if _decision(compiled, text) is not None:
        results.failures.append(Failure(POINTSMAN, row, 1, Said("a rule took the text", "有规则命中了这段文本")))
    for number in range(1, rounds + 1):
        progress(said("round {number}: {row}", "第 {number} 轮：{row}", number=number, row=row))
        micros = _timed(compiled, [text] * 5, 60.0)
        results.samples.append(Sample(POINTSMAN, row, number, {"p50_us": quantile(micros, 0.5)}))


def _classified(row: str, results: Results, rounds: int, seconds: float, progress: Progress) -> None:
    results.rows.append(row)
    for number in range(1, rounds + 1):
        progress(said("round {number}: task type, {row}", "第 {number} 轮：任务类型，{row}", number=number, row=row))
        with_it, without = classified_micros(row, seconds)
        values = {"routed_us": quantile(with_it, 0.5), "bare_us": quantile(without, 0.5)}
        values["times"] = values["routed_us"] / values["bare_us"]
        results.samples.append(Sample(POINTSMAN, row, number, values))


def _decision(compiled: RuleSet, text: str) -> str | None:
    hit = compiled.match(text, _FEATURES, entry="auto", endpoint="chat", role=None)
    return hit.rule.id if hit else None


def _timed(compiled: RuleSet, texts: Sequence[str], seconds: float) -> list[float]:
    """µs of each decision, of the texts again and again until the time is over, of each at least once."""
    micros = []
    end = time.perf_counter() + seconds
    gc.collect()
    while True:
        for text in texts:
            fresh = (text + " ")[:-1]  # as from a request: what Python caches of a text is not there yet
            began = time.perf_counter()
            compiled.match(fresh, _FEATURES, entry="auto", endpoint="chat", role=None)
            micros.append((time.perf_counter() - began) * 1e6)
        if time.perf_counter() > end or len(texts) == 5:
            return micros


def _rival(name: str, plain: list[Plain], texts: list[str], seconds: float, venv: Path) -> dict[str, Any] | str:
    """What it did, or why it could not."""
    python = sys.executable if name == "naive" else str(venv / "bin" / "python")
    task = json.dumps({"rules": [asdict(rule) for rule in plain], "texts": texts, "seconds": seconds})
    done = subprocess.run([python, str(_SCRIPT), name], input=task, capture_output=True, text=True)  # noqa: S603
    if done.returncode:
        return done.stderr.strip().rpartition("\n")[2][:300]
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def _otherwise(wrong: list[int], decisions: list[str | None], wanted: list[str | None]) -> Said:
    first = wrong[0]
    return said(
        "{count} of {all} decisions are other ones than ours; text {number}: {found} instead of {wanted}",
        "{all} 个决定中有 {count} 个和我们的不同；第 {number} 段文本：{found}，应为 {wanted}",
        count=len(wrong),
        all=len(decisions),
        number=first,
        found=decisions[first],
        wanted=wanted[first],
    )


@contextmanager
def _pinned(cores: Sequence[int]) -> Iterator[None]:
    """This process, and what it starts, on these cores; on any where there are none."""
    if not cores:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
