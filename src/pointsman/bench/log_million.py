"""`bench log --million`: how large a log of a million requests is, and how long lists and sums of it take."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec.structs import replace

from pointsman import __version__
from pointsman.bench.log_load import POLICY, SNAPSHOT, decided, requests_of
from pointsman.bench.results import Results, Sample, new_results
from pointsman.bench.subjects import POINTSMAN
from pointsman.domain.record import Record, Timings
from pointsman.domain.request import Request
from pointsman.domain.said import said
from pointsman.store.log_reader import LogReader
from pointsman.store.log_writer import LogWriter
from pointsman.store.rollups import Rollups

Progress = Callable[[str], None]
MILLION = 1_000_000
SIZE = "size"
_DAYS = 30
_DAY = 86_400
_TEXTS = 50_000  # prompts, cut from one pool, each of which comes again
_CHARACTERS = 200
_RARE = "one_in_all"
_WAITS = 32 << 20  # bytes that may wait to be written
_PAGE = 50


def run_million(count: int, times: int, progress: Progress) -> Results:
    """`ms` of each query, and `cpu_ms` of them, which other work on the cores leaves about as they are, `times` over; before
    that the `bytes` on disk, with sealed prompts, and the `seconds` that writing took."""
    with tempfile.TemporaryDirectory(prefix="pointsman-bench-") as folder:
        place = Path(folder)
        progress(said("writing {count:,} requests", "写入 {count:,} 个请求", count=count))
        spent = write_log(place, count)
        size = sum(path.stat().st_size for path in place.iterdir())
        queries = dict(_queries(LogReader(place), Rollups(place)))
        results = new_results("log_million", {"count": count, "rounds": times}, [SIZE, *queries])
        results.versions = {POINTSMAN: __version__}
        results.samples.append(Sample(POINTSMAN, SIZE, 1, {"bytes": float(size), "seconds": spent}))
        for name, query in queries.items():
            progress(name)
            for number in range(1, times + 1):
                began, used = time.perf_counter(), time.thread_time()
                query()
                used, taken = time.thread_time() - used, time.perf_counter() - began
                results.samples.append(Sample(POINTSMAN, name, number, {"ms": taken * 1e3, "cpu_ms": used * 1e3}))
    return results


def write_log(folder: Path, count: int) -> float:
    """As a gateway would have in thirty days until now. Returns the seconds that it took."""
    dice = random.Random(count)  # noqa: S311
    pool = requests_of(_TEXTS, _CHARACTERS)
    end = time.time()
    began = time.perf_counter()
    writer = LogWriter(folder, "sealed", 2.0 * _DAYS * _DAY)
    for number in range(count):
        now = end - _DAYS * _DAY * (1 - number / count)
        while writer.waiting > _WAITS:
            time.sleep(0.01)
        writer.put(_record(pool[number % _TEXTS], now, number, count, dice), POLICY, SNAPSHOT)
    writer.close()
    assert (writer.written, writer.dropped) == (count, 0)
    return time.perf_counter() - began


def _record(like: Request, now: float, number: int, count: int, dice: random.Random) -> Record:
    request = replace(
        like,
        id=f"req_{int(now * 1000):011x}{dice.getrandbits(68):017x}",
        now=now,
        caller=f"key{int(dice.random() ** 3 * 300)}",
    )
    decision = decided(request)
    if dice.random() < 0.4:
        rule = f"rule{int(dice.random() ** 2 * 60)}"
        decision = replace(decision, stage="l0", rule=rule, action="answer", targets=())
        return Record(request, now, "ok", decision, timings=Timings(0.1, None, 0.2))
    target = dice.choice(("big@big", "small@small", "spare@spare"))
    failed = number == count // 2 or dice.random() < 0.01
    return Record(
        request, now, "failed" if failed else "ok", decision, target=target, status=502 if failed else 200,
        error=_RARE if number == count // 2 else "timeout" if failed else None,
        timings=Timings(0.2, 300.0, 500 + dice.random() * 5000), input_tokens=70, output_tokens=dice.randrange(400),
    )  # fmt: skip


def _queries(reader: LogReader, rollups: Rollups) -> Iterator[tuple[str, Callable[[], object]]]:
    newest: float = reader.page({}, limit=1).rows[0]["received"]
    deep = reader.page({}, until=newest - _DAYS / 2 * _DAY, limit=_PAGE)
    filters: dict[str, dict[str, str]] = {
        "newest": {},
        "stage": {"stage": "l0"},
        "rule": {"rule": "rule3"},
        "caller": {"caller": "key250"},
        "caller and rule": {"caller": "key250", "rule": "rule3"},
        "never together": {"rule": "rule3", "target": "big@big"},
        "no such caller": {"caller": "nobody"},
        "no such error": {"error": "nothing"},
        "one in all": {"error": _RARE},
        "id": {"id": deep.rows[0]["id"]},
    }
    for name, wanted in filters.items():
        yield name, lambda wanted=wanted: reader.page(wanted, limit=_PAGE)  # type: ignore[misc]
    yield "deep", lambda: reader.page({}, before=deep.next, limit=_PAGE)
    yield "deep, errors", lambda: reader.page({"error": "timeout"}, before=deep.next, limit=_PAGE)
    start = (newest - _DAYS * _DAY) // _DAY * _DAY
    yield "sums of 30 days, by day", lambda: rollups.between(start, newest, _DAY)
    yield "sums of 30 days, by day and rule", lambda: rollups.between(start, newest, _DAY, ["rule"])
    yield "sums of 30 days, by hour", lambda: rollups.between(start, newest, 3600)
    yield "sums of 30 days, by hour and stage", lambda: rollups.between(start, newest, 3600, ["stage"])
