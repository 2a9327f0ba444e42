from __future__ import annotations

import os
import socket

import psutil
import pytest

from pointsman.fleet import port_owner
from pointsman.fleet.port_owner import explain_port, next_free_port


@pytest.fixture
def taken():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def test_names_this_process(taken: int) -> None:
    sentence = explain_port("127.0.0.1", taken)
    assert sentence.startswith(f"port {taken} on 127.0.0.1 is in use by ")
    assert f"(pid {os.getpid()}): " in sentence
    assert "the next free port is " in sentence
    assert f"(pid {os.getpid()})" in explain_port("0.0.0.0", taken)
    assert f"(pid {os.getpid()})" in explain_port("localhost", taken)


def test_an_owner_that_is_hidden(taken: int, monkeypatch: pytest.MonkeyPatch) -> None:
    real = psutil.net_connections("tcp")
    monkeypatch.setattr(psutil, "net_connections", lambda kind: [found._replace(pid=None) for found in real])
    assert "in use by an unknown process; run with more rights" in explain_port("127.0.0.1", taken)

    def denied(kind: str) -> list[object]:
        raise psutil.AccessDenied

    monkeypatch.setattr(psutil, "net_connections", denied)
    assert "in use by an unknown process; run with more rights" in explain_port("127.0.0.1", taken)


def test_a_process_of_another_user(taken: int, monkeypatch: pytest.MonkeyPatch) -> None:
    class Hidden:
        def __init__(self, pid: int) -> None:
            raise psutil.AccessDenied(pid)

    monkeypatch.setattr(psutil, "Process", Hidden)
    assert f"in use by pid {os.getpid()}, a process of another user" in explain_port("127.0.0.1", taken)


def test_a_port_that_is_free() -> None:
    free = next_free_port("127.0.0.1", 20_000)
    assert free is not None
    assert explain_port("127.0.0.1", free) == f"port {free} on 127.0.0.1 is free now; it was in use a moment ago"
    assert explain_port("no such host", 65_535)


def test_the_next_free_port_skips_the_taken(taken: int) -> None:
    assert next_free_port("127.0.0.1", taken) != taken
    assert next_free_port("127.0.0.1", 65_536) is None


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["/venv/bin/python3", "/venv/bin/pointsman", "serve", "-c", "x.yaml"], "pointsman serve …"),
        (["python3", "-m", "http.server", "8900"], "python3 -m http.server 8900"),
        (["/usr/bin/redis-server", "127.0.0.1:6379"], "redis-server 127.0.0.1:6379"),
        (["mysqld", "--password=secret", "x"], "mysqld …"),
        (["app", "TOKEN=secret"], "app …"),
        ([], "its command line is hidden"),
    ],
)
def test_command_lines_are_shown_without_options(words: list[str], shown: str) -> None:
    assert port_owner._shown(words) == shown
