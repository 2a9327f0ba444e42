"""A ground for each test, on each store that several processes can share."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from store.jobs.servers import Valkey, valkey

if sys.platform == "win32":
    collect_ignore_glob = ["test_*.py"]  # no SIGKILL, no SIGSTOP
else:
    from faults import mutants
    from faults.ground import Ground

    mutants.apply_wanted()
    _NUMBERS = itertools.count(1)

    @pytest.fixture(scope="session")
    def valkey_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Valkey]:
        """Shared, each test with a prefix of its own: leave it running."""
        with valkey(tmp_path_factory.mktemp("valkey")) as server:
            assert isinstance(server, Valkey)
            yield server

    @pytest.fixture(params=["sqlite", "redis"])
    def grounds(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], Ground]]:
        """Gives another one with each call."""
        made: list[Ground] = []

        def make() -> Ground:
            folder = tmp_path / str(len(made))
            if request.param == "sqlite":
                made.append(Ground(folder, str(folder / "jobs.sqlite")))
            else:
                server = request.getfixturevalue("valkey_server")
                made.append(Ground(folder, f"{server.url}/0?prefix=faults-{next(_NUMBERS)}"))
            return made[-1]

        yield make
        for ground in made:
            ground.end()

    @pytest.fixture
    def ground(grounds: Callable[[], Ground]) -> Ground:
        return grounds()
