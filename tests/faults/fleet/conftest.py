"""Machines, and a store that gateways share, for each test."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

if sys.platform != "linux":
    collect_ignore_glob = ["test_*.py"]  # no network namespaces
else:
    from faults.fleet.hosts import Host, hosts, possible
    from store.jobs.servers import Valkey, valkey

    @pytest.fixture(scope="session")
    def network() -> None:
        """Skips where a test may not make machines: not root, or not allowed."""
        why = possible()
        if why:
            pytest.skip(f"no network namespaces here: {why}")

    @pytest.fixture
    def three(network: None, tmp_path: Path) -> Iterator[list[Host]]:
        with hosts(3, tmp_path) as made:
            yield made

    @pytest.fixture
    def store(tmp_path: Path) -> Iterator[Valkey]:
        with valkey(tmp_path / "valkey") as server:
            assert isinstance(server, Valkey)
            yield server
