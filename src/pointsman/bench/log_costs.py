"""`bench log`: what the request log and its journal take of a request, beside what others would write of it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator

import apsw

from pointsman import __version__
from pointsman.bench.log_load import RATE
from pointsman.bench.results import Failure, Results, Sample, new_results
from pointsman.bench.subjects import POINTSMAN
from pointsman.domain.said import said

Progress = Callable[[str], None]
LINES, ROWS = "logging, a JSON line each", "SQLite, a row each"
SIZES = (20, 200, 1400)
KINDS = ("soon", "mixed", "noted")
_NAMES = {POINTSMAN: "pointsman", LINES: "lines", ROWS: "rows"}
_PATIENCE = 120.0  # seconds that a run may take beside its own


def row_of(kind: str, size: int) -> str:
    return f"{kind}, {size} characters"


def run_log(quick: bool, rounds: int, seconds: float, progress: Progress) -> Results:
    """Where it is to be `quick`, prompts have one length. Rows are kinds of request by length of the prompt; `cpu_us` of a
    request, of all threads of a process that does nothing else. Peers note nothing, so that they have the first kind only.
    Nothing is pinned."""
    sizes = SIZES[1:2] if quick else SIZES
    options = {"rounds": rounds, "seconds": seconds, "rate": RATE, "sizes": list(sizes)}
    results = new_results("log", options, [row_of(kind, size) for kind in KINDS for size in sizes])
    results.versions = {
        POINTSMAN: __version__,
        LINES: f"Python {results.machine['python']}",
        ROWS: f"SQLite {apsw.sqlite_lib_version()}",
    }
    for number in range(1, rounds + 1):
        for subject, kind, size in _measurements(sizes):
            row = row_of(kind, size)
            progress(
                said(
                    "round {number}: {row}, {subject}",
                    "第 {number} 轮：{row}，{subject}",
                    number=number,
                    row=row,
                    subject=subject,
                )
            )
            _measure(results, subject, row, number, [_NAMES[subject], kind, str(size), str(seconds)], seconds)
    return results


def _measurements(sizes: Iterable[int]) -> Iterator[tuple[str, str, int]]:
    for size in sizes:
        for kind in KINDS:
            yield POINTSMAN, kind, size
        yield LINES, KINDS[0], size
        yield ROWS, KINDS[0], size


def _measure(results: Results, subject: str, row: str, number: int, arguments: list[str], seconds: float) -> None:
    command = [sys.executable, "-m", "pointsman.bench.log_load", *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=3 * seconds + _PATIENCE)  # noqa: S603
        values: dict[str, float] = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        results.failures.append(Failure(subject, row, number, said("it did not end", "没有结束")))
    except ValueError:
        results.failures.append(Failure(subject, row, number, done.stderr.strip().rpartition("\n")[2][:300]))
    else:
        results.samples.append(Sample(subject, row, number, values))
