"""The URLs that name a store of jobs: what is none is told before anything starts, in both languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from pointsman.app.job_store import wrong_jobs
from pointsman.config.load import load
from pointsman.domain.said import Said
from pointsman.store.jobs.by_url import check_url, open_url


@pytest.mark.parametrize(
    "url",
    [
        "sqlite:///jobs.sqlite",
        "sqlite:///sub/my jobs..sqlite",
        "sqlite:////var/lib/../jobs.sqlite",
        "redis://h",
        "redis://me:pw@[::1]:7000/2?wait=1",
        "rediss://h:1/0",
        "unix:///run/valkey.sock?db=1",
        "redis+cluster://a:7000,b:7001",
        "rediss+cluster://a",
    ],
)
def test_what_names_one(url: str) -> None:
    check_url(url)


@pytest.mark.parametrize(
    ("url", "part"),
    [
        ("", "the store's URL is empty (valid: sqlite:///file.sqlite, redis://"),
        ("mysql://h", "no store of jobs is called 'mysql' (valid: sqlite:///file.sqlite, redis://"),
        ("SQLITE:///x", "no store of jobs is called 'SQLITE'"),
        ("sqlite:my.db", "three slashes"),
        ("sqlite://", "three slashes"),
        ("sqlite://host/x", "three slashes"),
        ("sqlite:/x", "three slashes"),
        ("sqlite:///", "three slashes"),
        ("sqlite:////", "three slashes"),
        ("sqlite:///x/", "three slashes"),
        ("sqlite:///.", "three slashes"),
        ("sqlite:///../up.sqlite", "no .."),
        ("sqlite:///a/../../up.sqlite", "no .."),
        ("sqlite:///x?y=1", "without options"),
        ("sqlite:///x#y", "without options"),
        ("sqlite:///x\0y", "without options"),
        ("redis://h/x", "db 'x' is none"),
        ("redis://h:port/0", "a port that is none"),
        ("redis://me:s3cret@h?wait=x", "wait 'x' is none"),
        ("redis+cluster://a/1", "no database but 0"),
        ("unix://", "path of a socket"),
    ],
)
def test_what_names_none(url: str, part: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError) as wrong:
        check_url(url)
    text = wrong.value.args[0]
    assert isinstance(text, Said) and part in text and part not in text.zh and "s3cret" not in text + text.zh
    assert ("sqlite:////path/file.sqlite" if url.startswith("sqlite") else "redis://host:6379/0") in text
    assert ("sqlite:////path/file.sqlite" if url.startswith("sqlite") else "redis://host:6379/0") in text.zh
    with pytest.raises(ValueError):
        open_url(url, tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("url", ["sqlite:///../up.sqlite", "redis://h:port/0", "redis://h/x"])
def test_a_config_with_it_is_wrong(url: str) -> None:
    [problem] = [problem for problem in wrong_jobs(load(None, {"store": url}, {}).config) if problem.path == "store"]
    assert str(problem).startswith("store: ")
