"""Beginning a log: an older version's is moved aside, and several gateways may begin and write at once."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
import time
from pathlib import Path

import apsw
import msgspec
import pytest

from pipeline.policies import CONFIG, FILES, ask, fleet, policy_of
from pointsman.cli.spoken_log import SpokenLog
from pointsman.domain.record import Record
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy
from pointsman.store.log_file import alone_in, open_log
from pointsman.store.log_reader import LogReader
from pointsman.store.log_schema import NAME, VERSION
from pointsman.store.log_writer import LogWriter

FLEET = fleet(small=2048)


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    return policy_of(tmp_path_factory.mktemp("policy"), CONFIG, FILES)


def write(folder: Path, policy: Policy, name: str) -> None:
    writer = LogWriter(folder, "sealed", 1e12, linger=0.0)
    request = msgspec.structs.replace(ask("vpn broken"), id=name)
    writer.put(Record(request, time.time(), "ok", decide(request, policy, FLEET)), policy.document, FLEET)
    writer.close()
    assert writer.written == 1


def ids(folder: Path) -> set[str]:
    reader = LogReader(folder)
    try:
        return {row["id"] for row in reader.rows({}, None, 1_000_000)}
    finally:
        reader.close()


def first_version(folder: Path) -> apsw.Connection:
    """A log as the first version left it, its last words still in the write-ahead log."""
    connection = apsw.Connection(str(folder / NAME))
    connection.execute("pragma journal_mode=wal").fetchall()
    connection.execute("pragma wal_autocheckpoint=0").fetchall()
    connection.execute("create table requests (id text primary key, received real not null)")
    connection.execute("insert into requests values ('old', 1e9)")
    connection.execute("pragma user_version=1")
    return connection


class TestOlder:
    def test_it_is_moved_aside_whole(self, tmp_path: Path, policy: Policy, caplog: pytest.LogCaptureFixture) -> None:
        script = f"""
import os, sys
sys.path[:0] = {sys.path!r}
from pathlib import Path
from store.test_log_file import first_version
kept = first_version(Path({str(tmp_path)!r}))
os._exit(9)
"""
        assert subprocess.run([sys.executable, "-c", script]).returncode == 9
        assert (tmp_path / f"{NAME}-wal").stat().st_size > 0
        write(tmp_path, policy, "new")
        assert ids(tmp_path) == {"new"}
        [warning] = caplog.records
        assert warning.levelno == logging.WARNING
        assert str(tmp_path / "log-1.sqlite") in SpokenLog("en").format(warning)
        assert f"旧版本的请求日志已移到 {tmp_path / 'log-1.sqlite'}" in SpokenLog("zh").format(warning)
        old = apsw.Connection(str(tmp_path / "log-1.sqlite"))
        assert old.execute("select id from requests").fetchall() == [("old",)]
        old.close()
        assert not (tmp_path / "log-1.sqlite-wal").exists()

    def test_none_is_overwritten(self, tmp_path: Path, policy: Policy) -> None:
        for number in range(3):
            (tmp_path / NAME).unlink(missing_ok=True)
            first_version(tmp_path).close()
            write(tmp_path, policy, f"r{number}")
        assert {path.name for path in tmp_path.glob("*.sqlite")} == {
            NAME,
            "log-1.sqlite",
            "log-1.2.sqlite",
            "log-1.3.sqlite",
        }

    def test_one_that_is_in_use_stays(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("pointsman.store.log_file._WAIT", 10)
        old = first_version(tmp_path)
        with pytest.raises(apsw.BusyError, match=NAME) as caught:
            LogWriter(tmp_path, "off", 1e12)
        assert "另一个进程正占用数据库" in caught.value.args[0].zh
        assert old.execute("select id from requests").fetchall() == [("old",)]
        old.close()
        LogWriter(tmp_path, "off", 1e12).close()

    def test_a_reader_says_so(self, tmp_path: Path) -> None:
        first_version(tmp_path).close()
        with pytest.raises(apsw.SQLError, match="an older version wrote it") as caught:
            LogReader(tmp_path)
        assert "旧版本" in caught.value.args[0].zh

    def test_a_log_of_this_version_stays(self, tmp_path: Path, policy: Policy) -> None:
        for name in ("r1", "r2"):
            write(tmp_path, policy, name)
        assert ids(tmp_path) == {"r1", "r2"}
        assert [path.name for path in tmp_path.glob("*.sqlite")] == [NAME]


WRITER = """
import sys, time
sys.path[:0] = {path!r}
from pathlib import Path
import msgspec
from pipeline.policies import CONFIG, FILES, ask, fleet, policy_of
from pointsman.domain.record import Record
from pointsman.pipeline.decide import decide
from pointsman.store.log_writer import LogWriter
folder, scratch, name, count, linger = Path({folder!r}), Path({scratch!r}), {name!r}, {count}, {linger}
policy = policy_of(scratch / name, CONFIG, FILES)
fleet = fleet(small=2048)
request = ask("vpn broken")
decision = decide(request, policy, fleet)
print("ready", flush=True)
sys.stdin.readline()
writer = LogWriter(folder, "sealed", 1e12, linger=linger)
for number in range(count):
    one = msgspec.structs.replace(request, id=f"{{name}}-{{number:05}}")
    writer.put(Record(one, time.time(), "ok", decision), policy.document, fleet)
    if number % 50 == 0:
        time.sleep(0.002)
writer.close()
print(writer.written, writer.dropped, writer.problem, flush=True)
"""


class TestSeveralProcesses:
    def run(self, folder: Path, scratch: Path, count: int, processes: int, linger: float) -> str:
        """What they said on standard error."""
        started = []
        for number in range(processes):
            (scratch / f"p{number}").mkdir()
            fields = {"folder": str(folder), "scratch": str(scratch), "name": f"p{number}"}
            script = WRITER.format(path=sys.path, count=count, linger=linger, **fields)
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
            started.append(subprocess.Popen([sys.executable, "-c", script], text=True, **pipes))
        for process in started:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in started:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        said = ""
        for process in started:
            out, err = process.communicate(timeout=60)
            assert out == f"{count} 0 None\n"
            said += err
        return said

    def test_they_write_into_one_log(self, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
        assert self.run(tmp_path, tmp_path_factory.mktemp("scratch"), 3000, 2, 0.001) == ""
        expected = {f"p{process}-{number:05}" for process in range(2) for number in range(3000)}
        assert ids(tmp_path) == expected
        reader = LogReader(tmp_path)
        for name in sorted(expected)[::97]:
            evidence = reader.evidence(name)
            assert evidence is not None
            assert evidence.request.id == name
        reader.close()

    def test_they_begin_one_log_and_one_key(self, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
        """An older version's log is there, too: it is moved once, and nobody moves the new one."""
        first_version(tmp_path).close()
        said = self.run(tmp_path, tmp_path_factory.mktemp("scratch"), 20, 4, 0.0)
        assert said.count("\n") == said.count("log-1.sqlite, and a new one begins") == 1
        names = [f"p{process}-{number:05}" for process in range(4) for number in range(20)]
        assert ids(tmp_path) == set(names)
        reader = LogReader(tmp_path)
        assert all(reader.content(name) is not None for name in names)
        reader.close()
        assert {path.name for path in tmp_path.glob("*.sqlite")} == {NAME, "log-1.sqlite"}

    def test_one_waits_while_another_begins(self, tmp_path: Path) -> None:
        opened = threading.Event()

        def begin() -> None:
            with alone_in(tmp_path):
                opened.set()

        with alone_in(tmp_path):
            thread = threading.Thread(target=begin)
            thread.start()
            assert not opened.wait(0.1)
        assert opened.wait(10)
        thread.join()


def test_a_file_that_was_only_made_is_filled(tmp_path: Path) -> None:
    """As a crash between making the file and its tables leaves it."""
    (tmp_path / NAME).touch()
    connection = open_log(tmp_path / NAME)
    assert connection.execute("pragma user_version").fetchall() == [(VERSION,)]
    assert connection.execute("select count(*) from batches").fetchall() == [(0,)]
    connection.close()
