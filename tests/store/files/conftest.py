"""A store of each kind, for the one contract that all of them keep."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pointsman.ports.file_store import FileStore
from pointsman.store.files.local import LocalFiles
from store.files.s3_server import KEY, SECRET, S3Server


@pytest.fixture(params=["local", "s3"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="session")
def s3_server() -> Iterator[S3Server]:
    server = S3Server()
    yield server
    server.close()


@pytest.fixture
def s3(s3_server: S3Server) -> Iterator[S3Server]:
    s3_server.around = None
    s3_server.requests.clear()
    yield s3_server
    s3_server.around = None


@pytest.fixture
def files_made(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """Python that makes the store of the test, under the name `files`, in any process."""
    if kind == "local":
        place = str(tmp_path / "files")
        return f"from pointsman.store.files.local import LocalFiles\nfiles = LocalFiles(Path({place!r}))"
    server: S3Server = request.getfixturevalue("s3")
    return (
        "from pointsman.store.files.s3 import S3Files, S3Place\n"
        f"files = S3Files({server.place(server.bucket(), 'a/prefix')!r}, {KEY!r}, {SECRET!r})"
    )


@pytest.fixture
def files_source(kind: str) -> str:
    """What is in the names of the modules that do the work."""
    return f"store/files/{kind}"


@pytest.fixture
def files(files_made: str) -> FileStore:
    names: dict[str, object] = {"Path": Path}
    exec(files_made, names)
    files = names["files"]
    assert isinstance(files, LocalFiles) or type(files).__name__ == "S3Files"
    return files  # type: ignore[return-value]
