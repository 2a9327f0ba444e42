"""What every suite shares: a gateway as users start it, with the real built-in model behind it."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from hypothesis import settings

from running import Process, process
from thorough import tries

# How long an example takes says how busy the machine is.
settings.register_profile("unhurried", deadline=None, max_examples=tries(30, 100))
settings.load_profile("unhurried")

UNHURRIED = 60.0  # seconds for an answer, for tests that say nothing of it
for asks in (httpx.Client, httpx.AsyncClient):
    asks.__init__.__kwdefaults__["timeout"] = httpx.Timeout(UNHURRIED)  # type: ignore[index]
for asked in (httpx.request, httpx.get, httpx.post, httpx.put, httpx.patch, httpx.delete, httpx.head, httpx.options):
    asked.__kwdefaults__["timeout"] = httpx.Timeout(UNHURRIED)  # type: ignore[index]


@pytest.fixture(scope="session")
def real_gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """`pointsman serve` without any config: the built-in model in a child process, the demo packs. Shared: leave it
    running and as it was."""
    folder = tmp_path_factory.mktemp("gateway")
    with process(["--port", "0", "--data-dir", str(folder)], env={"XDG_DATA_HOME": str(folder)}) as started:
        yield started


def pytest_configure() -> None:
    """What a shell starts in the background ignores Ctrl-C, and so would the processes that tests interrupt."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests of the bare wheel need one; without it they are no part of the run."""
    if not config.getoption("--bare"):
        items[:] = [item for item in items if not item.get_closest_marker("bare")]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Files without that marker are not even imported: reading all of them takes longer than a few tests."""
    marker = config.getoption("--only")
    if marker and collection_path.suffix == ".py" and f"mark.{marker}" not in collection_path.read_text("utf-8"):
        return True
    return None


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--only", help="a marker; files in which no test has it are left out unread")
    parser.addoption("--bare", help="a virtual environment that holds the wheel without its extras")
