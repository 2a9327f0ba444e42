"""Each of these mistakes, put into the real source, is noticed by a test of this folder."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from pathlib import Path

import pytest

from faults.mutants import MUTANTS

_HERE = Path(__file__).parent
NOTICED: dict[str, str] = {
    "sqlite_no_version": "test_duplicates.py::test_two_people_revive_it_at_once[sqlite]",
    "sqlite_no_token": "test_zombies.py::test_while_another_has_it_and_has_done_nothing_yet[sqlite-stepped]",
    "sqlite_early_answers": "test_syncs.py::test_what_was_answered_is_there[before-4]",
    "sqlite_no_sync": "test_power_loss.py::test_after_each_sync_and_answer",
    "files_overwritten": "test_zombies.py::test_after_another_did_the_job[sqlite-effect]",
    "redis_no_version": "test_duplicates.py::test_two_people_revive_it_at_once[redis]",
    "redis_no_token": "test_zombies.py::test_while_another_has_it_and_has_done_nothing_yet[redis-stepped]",
    "redis_no_op": "test_server_faults.py::test_a_step_whose_answer_is_lost_is_made_once",
}
_ALONGSIDE = 3  # at a time


async def _run(mutant: str | None, tests: list[str], folder: Path) -> str:
    """What pytest says of them."""
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # those that are needed take a second less
    environment.pop("MUTANT", None)
    if mutant is not None:
        environment["MUTANT"] = mutant
    options = ["-q", "-x", "-p", "pytest_asyncio.plugin", "-p", "pytest_timeout", "-p", "no:cacheprovider"]
    places = [f"--basetemp={folder}", f"--confcutdir={_HERE}", "--timeout=60"]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "pytest", *options, *places),
        *(str(_HERE / test) for test in tests),
        env=environment,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        output, _ = await process.communicate()
    except asyncio.CancelledError:
        process.kill()
        await process.wait()
        raise
    return output.decode()


async def test_all_are_noticed(tmp_path: Path) -> None:
    turn, missed = asyncio.Semaphore(_ALONGSIDE), []

    async def one(mutant: str, test: str) -> None:
        async with turn:
            output = await _run(mutant, [test], tmp_path / mutant)
            if not re.search(r"^FAILED ", output, re.MULTILINE) or "write the mutant anew" in output:
                missed.append(f"{mutant}:\n{output[-3000:]}")

    await asyncio.gather(*(one(*pair) for pair in NOTICED.items()))
    assert not missed, "\n\n".join(missed)


def test_each_has_its_test() -> None:
    assert NOTICED.keys() == MUTANTS.keys()
    for test in NOTICED.values():
        file, name = re.fullmatch(r"(\w+\.py)::(\w+).*", test).groups()  # type: ignore[union-attr]
        assert f"def {name}(" in (_HERE / file).read_text()


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_without_any_they_pass(tmp_path: Path) -> None:
    output = await _run(None, list(NOTICED.values()), tmp_path / "none")
    assert re.search(rf"^{len(NOTICED)} passed", output, re.MULTILINE), output[-3000:]
