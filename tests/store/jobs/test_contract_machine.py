"""Each store, through many chance histories, is what the slow one says. A history that fails is cut down to the few steps
that matter, and told."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import Any

import pytest

from store.jobs.histories import History, Script, script
from store.jobs.stores import KINDS, Grounds

STEPS = 60
COUNT = {"memory": 40, "sqlite": 20, "redis": 10, "cluster": 4}
TRIES = 400  # of cutting down


async def fault(grounds: Grounds, steps: Script) -> BaseException | None:
    """What goes wrong in that history, on grounds that nobody has used."""
    try:
        history = History(grounds, await grounds.open())
        for step in steps:
            await history.play(step)
    except (Exception, pytest.fail.Exception) as error:
        return error
    finally:
        await grounds.close()
    return None


async def shortest(kind: str, folder: Path, steps: Script) -> Script:
    """What is left of a history that fails when all goes that can."""
    tries, size = 0, len(steps) // 2
    while size:
        for start in itertools.count(0, size):
            if start >= len(steps) or tries >= TRIES:
                break
            tries += 1
            fewer = steps[:start] + steps[start + size :]
            if await fault(Grounds(kind, folder), fewer) is not None:
                steps = fewer
        size //= 2
    return steps


async def hold(kind: str, folder: Path, seeds: Any) -> None:
    for seed in seeds:
        steps = script(random.Random(seed), STEPS)
        if await fault(Grounds(kind, folder), steps) is not None:
            steps = await shortest(kind, folder, steps)
            told = "\n".join(f"  {name}({arguments})" for name, arguments in steps)
            error = await fault(Grounds(kind, folder), steps)
            raise AssertionError(f"history {seed}, of which these steps fail:\n{told}") from error


@pytest.mark.parametrize("kind", KINDS)
async def test_histories(kind: str, tmp_path: Path) -> None:
    await hold(kind, tmp_path, range(COUNT[kind]))


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", KINDS)
async def test_many_histories(kind: str, tmp_path: Path) -> None:
    """Others each time."""
    first = random.SystemRandom().getrandbits(32)
    await hold(kind, tmp_path, range(first, first + 30 * COUNT[kind]))
