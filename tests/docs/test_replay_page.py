"""docs/replay.md in both languages: the same figures, commands that run, workflows whose steps do what they say."""

from __future__ import annotations

import argparse
import re
import shlex
import time
from typing import Any

import pytest
import yaml

from cli.conftest import shell as shell
from cli.invoke import Shell
from docs.pages import DOCS, needs_docs
from offline.replay import scored_log
from offline.replay.scored_log import CONFIG, RULES, policy, write
from pointsman.cli.bench_replay import declare_replay
from pointsman.cli.replay import declare

pytestmark = needs_docs
SALARY = """
- id: no_salary
  when: {any: [salary, 工资]}
  negation: ignore
  refuse: {why: Secret., instead: Ask HR.}
  examples: [whose salary, 谁的工资]
  counter_examples: [what do I earn]
  boundary: [{text: salaries, takes: false}]
"""


def text_of(chinese: bool = False) -> str:
    return (DOCS / f"replay{'.zh-CN' if chinese else ''}.md").read_text(encoding="utf-8")


def test_options_are_there() -> None:
    parser = argparse.ArgumentParser()
    declare(parser)
    for line in re.findall(r"^\$ pointsman replay (.*)$", text_of(), re.MULTILINE):
        parser.parse_args(shlex.split(line))
    bench = argparse.ArgumentParser()
    declare_replay(bench)
    known = {option for each in (parser, bench) for action in each._actions for option in action.option_strings}
    assert set(re.findall(r"`(--[a-z-]+)", text_of())) <= known


def workflows() -> list[Any]:
    return [yaml.safe_load(block) for block in re.findall(r"^```yaml\n(.*?)^```$", text_of(), re.DOTALL | re.MULTILINE)]


def commands(workflow: dict[Any, Any]) -> list[str]:
    """Of GitHub's form or of GitLab's."""
    if "jobs" in workflow:
        [job] = workflow["jobs"].values()
        return [step["run"] for step in job["steps"] if "run" in step]
    [job] = workflow.values()
    return [str(line) for line in job["script"]]


@pytest.mark.parametrize("place", [0, 1])
def test_the_steps_of_each_workflow_pass_and_fail_as_they_should(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, place: int
) -> None:
    """A pull request that changes nothing passes; one that lets half of the requests go elsewhere fails in the last step."""
    monkeypatch.setattr(scored_log, "NOW", time.time() - 300)
    write(shell.folder / "log", policy(shell.folder, rules=RULES + SALARY), 60)
    steps = [step for step in commands(workflows()[place]) if not step.startswith("pip install ")]
    assert [step.split()[1] for step in steps] == ["check", "replay", "replay"]
    shell.write("pointsman.yaml", yaml.safe_dump(CONFIG, sort_keys=False))
    assert [run(shell, step) for step in steps] == [0, 0, 0]
    moved = {**CONFIG, "entries": {"auto": {}}, "fallback": {"target": "heavy"}}
    shell.write("pointsman.yaml", yaml.safe_dump(moved, sort_keys=False))
    assert [run(shell, step) for step in steps] == [0, 0, 1]


def run(shell: Shell, step: str) -> int:
    words = shlex.split(step.replace('"$POINTSMAN_DATA"', "log").split(">")[0])
    assert words[0] == "pointsman"
    return shell.run(*words[1:]).code
