"""A store of each kind, for the one contract that all of them keep."""

from __future__ import annotations

from pathlib import Path

import pytest

from pointsman.ports.file_store import FileStore
from pointsman.store.files.local import LocalFiles


@pytest.fixture(params=["local"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def files_made(kind: str, tmp_path: Path) -> str:
    """Python that makes the same store, under the name `files`, in another process."""
    return f"from pointsman.store.files.local import LocalFiles\nfiles = LocalFiles(Path({str(tmp_path / 'files')!r}))"


@pytest.fixture
def files_source(kind: str) -> str:
    """How the name of the module ends that does the work."""
    return f"store/files/{kind}.py"


@pytest.fixture
def files(kind: str, tmp_path: Path) -> FileStore:
    return LocalFiles(tmp_path / "files")
