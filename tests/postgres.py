"""A PostgreSQL cluster of a test's own, on a free port of loopback."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


def programs() -> Path | None:
    """Where initdb and pg_ctl are."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if found:
        return found[-1].parent
    where = shutil.which("initdb")
    return Path(where).resolve().parent if where else None


@contextlib.contextmanager
def cluster(password: str) -> Iterator[int]:
    """Its port; the superuser is `me`. Skips the test where PostgreSQL is not installed, and fails it in CI."""
    where = programs()
    if where is None:
        if os.environ.get("CI"):
            pytest.fail("PostgreSQL is not installed (Debian: apt-get install postgresql)")
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    folder = Path(tempfile.mkdtemp(prefix="pointsman-pg-"))
    as_user: dict[str, Any] = {}
    if os.geteuid() == 0:  # PostgreSQL refuses to run as root
        as_user = {"user": "postgres", "extra_groups": []}
        shutil.chown(folder, "postgres")
    secret = folder / "password"
    secret.write_text(password)
    secret.chmod(0o644)
    quiet: dict[str, Any] = {
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.STDOUT,
        "check": True,
        "cwd": "/",
        **as_user,
    }
    data = folder / "data"
    try:
        access = ["-U", "me", "-A", "scram-sha-256", "--pwfile", secret]
        make = [where / "initdb", "-D", data, *access, "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"]
        subprocess.run(make, **quiet)
        pg_ctl = [where / "pg_ctl", "-D", data, "-w"]
        for left in (2, 1, 0):  # somebody may take the port before it does
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                port = free.getsockname()[1]
            options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off"
            try:
                subprocess.run([*pg_ctl, "-l", data / "log", "-o", options, "start"], **quiet)
                break
            except subprocess.CalledProcessError:
                if not left:
                    raise
        try:
            yield port
        finally:
            subprocess.run([*pg_ctl, "-m", "immediate", "stop"], **quiet)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
