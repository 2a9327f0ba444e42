"""The process that tries rules out, as the gateway keeps it: begun when asked, told a policy once, given up and ended."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from pipeline.policies import ask
from pointsman.app.build import build
from pointsman.app.console_trials import Trials
from pointsman.config.load import load
from pointsman.console.rules.told import NearRules, Nears, Reviewed
from pointsman.domain.errors import PointsmanError
from pointsman.pipeline.policy import Policy


@pytest.fixture(scope="module")
def policy() -> Policy:
    return build(load(None, {}, {})).policy


JOB = NearRules(ask("good morning to you all"), None)


async def test_it_answers_after_one_was_given_up_and_after_it_died(policy: Policy, tmp_path: Path) -> None:
    trials = Trials(lambda: policy, tmp_path)
    try:
        assert isinstance(await trials.ask(JOB), Nears)
        waiting = asyncio.create_task(trials.ask(JOB))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert isinstance(await trials.ask(JOB), Nears)
        process = trials._bench._process
        assert process is not None
        os.kill(process.pid, 9)
        try:
            answer = await trials.ask(JOB)
        except PointsmanError as error:
            assert error.status == 503
            answer = await trials.ask(JOB)
        assert isinstance(answer, Nears)
        one, two = await asyncio.gather(trials.ask(JOB), trials.ask(JOB))
        assert one == two == answer
    finally:
        await trials.close()
    assert trials._bench._process is None


async def test_a_review_is_made_beside(policy: Policy, tmp_path: Path) -> None:
    trials = Trials(lambda: policy, tmp_path)
    try:
        assert trials.review(3600.0) is None
        assert trials._reviewing is not None
        await trials._reviewing
        reviewed = trials.review(3600.0)
        assert isinstance(reviewed, Reviewed) and reviewed.requests == 0 and trials.review_failed is None
    finally:
        await trials.close()
