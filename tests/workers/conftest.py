"""A gateway of two processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import yaml

from ruling import cases
from running import Process, process
from workers.lines import close_all, until, workers

RULES = f"rules: [{{id: hello, when: {{any: [hello]}}, answer: one, {cases('hello')}}}]\n"


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Callable[..., Process]]:
    """Starts one with those sections in its config; `pointsman.yaml` and `rules.yaml` are in `tmp_path`."""
    with ExitStack() as stack:
        stack.callback(close_all)

        def start(*arguments: str, count: int = 2, **sections: Any) -> Process:
            write(tmp_path, RULES, **sections)
            config = ("-c", str(tmp_path / "pointsman.yaml"), "--port", "0", "--data-dir", str(tmp_path / "data"))
            gateway = stack.enter_context(process([*config, "--workers", str(count), *arguments]))
            until(lambda: len(workers(gateway)) == count)
            return gateway

        yield start


NOBODY = {"light": {"backends": [{"engine": "openai", "model": "m", "base_url": "http://127.0.0.1:9/v1"}]}}


def write(folder: Path, text: str, **sections: Any) -> None:
    (folder / "rules.yaml").write_text(text)
    config = {"models": NOBODY, "rules": {"packs": [], "files": ["rules.yaml"]}, **sections}
    (folder / "pointsman.yaml").write_text(yaml.safe_dump(config, allow_unicode=True), encoding="utf-8")
