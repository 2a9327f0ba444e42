"""`bench replay`: what it makes, what it prints; slow: that it runs."""

from __future__ import annotations

import asyncio
import gzip
import json
import time
from pathlib import Path

import pytest

from cli.conftest import shell as shell
from cli.invoke import Shell
from pointsman.app.build import NOBODY, build
from pointsman.bench.replay.check import FIGURES, ROUTES, WEIGHTS
from pointsman.bench.replay.configs import made_of, other_routes, other_rules, patient, scored, surer, write
from pointsman.bench.replay.made_log import make_log
from pointsman.bench.replay.paced import paced
from pointsman.bench.replay.speed import TERMS
from pointsman.bench.replay.texts import texts_of
from pointsman.bench.results import Results, Sample, new_results
from pointsman.bench.shown import tables_of
from pointsman.bench.tables import as_markdown
from pointsman.config.load import load
from pointsman.domain.errors import PointsmanError
from pointsman.store.log_reader import LogReader

BACKEND = {"engine": "vllm", "base_url": "http://127.0.0.1:1/v1"}


def test_texts_of_files_and_of_the_set_that_ships(tmp_path: Path) -> None:
    file = tmp_path / "texts.jsonl.gz"
    file.write_bytes(
        gzip.compress(b'{"text": "one"}\n{"question": "two"}\n\n{"prompt": " "}\n{"instruction": "three"}\n')
    )
    assert sorted(texts_of([file], 1)) == ["one", "three", "two"]
    assert texts_of([file], 5) == texts_of([file], 5)
    assert len(texts_of([], 1)) > 30
    file.write_bytes(b"no gzip")
    with pytest.raises(PointsmanError, match=r"texts\.jsonl"):
        texts_of([file], 1)


def test_a_log_that_is_made_holds_what_the_pipeline_decides(tmp_path: Path) -> None:
    config = made_of({**BACKEND, "model": "qwen2.5:3b", "name": "l"}, {**BACKEND, "model": "qwen2.5:32b", "name": "h"})
    changes = ((), (scored,), (scored, patient), (scored, surer), (other_rules,), (other_routes,))
    files = [write(tmp_path / str(place), config, *several) for place, several in enumerate(changes)]
    policies = [build(load(file, None, {}), may_ask=NOBODY).policy for file in files]
    assert len({policy.hash for policy in policies}) == len(files)
    make_log(tmp_path / "data", policies[1], texts_of([], 1), 50, 1)
    reader = LogReader(tmp_path / "data")
    logged = list(reader.scan(time.time() - 7 * 86_400))
    assert len(logged) == 50 and {each.head.stage for each in logged} >= {"model"}
    assert all(each.decision() is not None for each in logged)
    reader.close()


async def test_the_relay_holds_events_back_and_nothing_else() -> None:
    sent = b"HTTP/1.1 200 OK\r\n\r\n" + b"data: 1\n\n" * 5 + b"rest"

    async def engine(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(sent)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(engine, "127.0.0.1", 0)
    async with server, paced(server.sockets[0].getsockname()[1], 0.001) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET\n")
        assert await reader.read() == sent
        writer.close()
        await writer.wait_closed()


def test_tables() -> None:
    speed = new_results("replay", {}, [TERMS])
    speed.samples.append(Sample("pointsman", TERMS, 1, {"per_s": 25_000.0, "compared_n": 10.0}))
    shown = page(speed)
    assert "25,000" in shown
    check = new_results("replay-check", {}, [ROUTES, WEIGHTS])
    values = {"requests_n": 80.0, "told_moved_share": 0.25, "real_moved_share": 0.25, "wrong_n": 0.0}
    for name in FIGURES:
        values |= {f"{name}_{what}": 2.0 for what in ("was", "told", "low", "high", "real")}
        values[f"{name}_error_share"] = -0.031
    check.samples += [Sample("pointsman", row, 1, values) for row in (ROUTES, WEIGHTS)]
    shown = page(check)
    assert shown.count("-3.1%") == 8 and shown.count("25.0%") == 4


def page(results: Results) -> str:
    return "\n".join(line for table in tables_of(results) for line in as_markdown(table, "en"))


def test_usage(shell: Shell) -> None:
    assert "--requests" in shell.run("bench", "replay", "--requests", "0").err
    assert "--against" in shell.run("bench", "replay", "--log", "data").err
    assert shell.run("bench", "replay", "--requests", "0").code == 1


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_speed_runs(shell: Shell) -> None:
    done = shell.run("bench", "replay", "--quick", "--requests", "300", "--json", "out.json")
    assert done.code == 0, done.err
    told = json.loads((shell.folder / "out.json").read_text())
    assert {sample["row"] for sample in told["samples"]} == set(told["rows"])
    assert all(sample["values"]["unreadable_n"] == 0 for sample in told["samples"])
    assert shell.run("bench", "table", "out.json").code == 0


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_check_runs_and_requests_go_where_they_were_forecast_to(shell: Shell) -> None:
    done = shell.run("bench", "replay", "--check", "--quick", "--json", "out.json")
    assert done.code == 0, done.out + done.err
    told = json.loads((shell.folder / "out.json").read_text())
    assert told["samples"][0]["values"]["wrong_n"] == 0
