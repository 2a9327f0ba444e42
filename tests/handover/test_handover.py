"""A gateway takes the place of another: nobody notices, whatever is under way, and where it fails the old one serves on."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from http.client import HTTPResponse

import psutil
import pytest

from handover.conftest import Place
from handover.traffic import CHAT, Traffic, body, slow_engine
from pointsman.app.handover.messages import Busy, Gone, Leaving, MakeRoom, Offer, Up
from pointsman.app.handover.wire import Lost, Wire, reachable
from running import Process
from workers.held_engine import held_engine
from workers.lines import Line, close_all, connected, until
from workers.test_workers_share import REPORTS

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sockets are handed over on Linux")


def ended(gateway: Process) -> int:
    """How it ended by itself, once no client keeps a connection to it."""
    close_all()
    until(lambda: psutil.Process(gateway.pid).status() == psutil.STATUS_ZOMBIE)
    return gateway.stop()


def streaming(gateway: Process) -> HTTPResponse:
    connection = connected(gateway)
    connection.request("POST", CHAT, body("tell me", stream=True), {"content-type": "application/json"})
    return connection.getresponse()


def works(gateway: Process) -> bool:
    line = connected(gateway)
    line.request("POST", CHAT, body("hello"), {"content-type": "application/json"})
    return line.getresponse().read().find(b'"one"') > 0


@pytest.mark.parametrize(
    "workers",
    [("1", "1"), ("2", "2"), pytest.param(("1", "2", "1", "1"), marks=pytest.mark.slow)],
    ids=lambda counts: "-".join(counts),
)
def test_no_request_fails_and_no_connection_is_refused_under_load(place: Place, workers: tuple[str, ...]) -> None:
    with slow_engine() as models:
        place.configure(models=models)
        gateway = place.start("--workers", workers[0])
        with Traffic(gateway.base) as traffic:
            until(lambda: traffic.done["stream"] >= 3)
            for count in workers[1:]:
                served = traffic.done.copy()
                new = place.start("--workers", count, "--replace")
                assert ended(gateway) == 0
                gateway = new
                until(lambda before=served: all(traffic.done[kind] > before[kind] + 2 for kind in before))  # type: ignore[misc]
        assert traffic.failed == []
        assert not any("Traceback" in line or "ERROR" in line for line in gateway.lines)


def test_a_stream_goes_on_at_the_old_one_while_the_new_one_serves(place: Place) -> None:
    with held_engine() as engine:
        place.configure(models=engine.models)
        old = place.start()
        response = streaming(old)
        assert engine.begun.wait(60)
        new = place.start("--replace")
        old.wait_for("has taken this one's place")
        assert new.base == old.base and works(new)
        assert psutil.pid_exists(old.pid)
        engine.go_on.set()
        read = response.read()
        assert b"second" in read and read.endswith(b"data: [DONE]\n\n")
        assert ended(old) == 0
        new.wait_for(r"the gateway before this one \(pid \d+\) has ended")


@pytest.mark.parametrize("workers", ["1", "2"])
def test_an_old_one_that_is_told_to_stop_waits_no_longer_than_it_usually_would(place: Place, workers: str) -> None:
    with held_engine() as engine:
        place.configure(models=engine.models, server={"grace": "0s"})
        old = place.start("--workers", workers)
        response = streaming(old)
        assert engine.begun.wait(60)
        new = place.start("--replace")
        old.wait_for("has taken this one's place")
        old.signal(signal.SIGTERM)
        assert b"gateway_stopped" in response.read()
        assert ended(old) == 0
        assert works(new)


def test_a_job_that_is_under_way_is_finished_by_the_old_one_and_others_by_the_new_one(place: Place) -> None:
    with held_engine() as engine:
        place.configure(models=engine.models, jobs={"poll": 0.05})
        old = place.start()

        def submit(gateway: Process) -> str:
            sent = {"model": "light", "messages": [{"role": "user", "content": "tell me"}]}
            reply = Line.__new__(Line)
            reply.http = connected(gateway)
            return reply.post(CHAT, sent, {"prefer": "respond-async"}).json["id"]

        def job(gateway: Process, name: str) -> dict[str, object]:
            connection = connected(gateway)
            connection.request("GET", f"/v1/jobs/{name}")
            found: dict[str, object] = json.loads(connection.getresponse().read())
            return found

        first = submit(old)
        assert engine.begun.wait(60)
        new = place.start("--replace")
        old.wait_for("has taken this one's place")
        second = submit(new)
        until(lambda: engine.asked == 2)
        engine.go_on.set()
        assert ended(old) == 0
        for name in (first, second):
            until(lambda name=name: job(new, name)["state"] == "completed")  # type: ignore[misc]
        assert engine.asked == 2, "neither was begun again"


def test_a_question_of_the_old_one_is_answered_at_the_new_one(place: Place) -> None:
    place.configure(**REPORTS)
    old = place.start()

    def say(gateway: Process, text: str) -> str:
        connection = connected(gateway)
        headers = {"content-type": "application/json", "x-pointsman-session": "s"}
        connection.request("POST", CHAT, body(text), headers)
        return json.loads(connection.getresponse().read())["choices"][0]["message"]["content"]

    assert "1. 华东" in say(old, "导出华西区销售汇总")
    two = place.start("--replace", "--workers", "2")
    assert ended(old) == 0
    assert "3. 上月" in say(two, "华东")
    one = place.start("--replace")
    assert ended(two) == 0
    assert "/files/" in say(one, "上月")


def test_it_starts_the_new_one_itself(place: Place) -> None:
    place.configure()
    old = place.start()
    old.signal(signal.SIGUSR2)
    pid = int(old.wait_for(r"process (\d+) has taken this one's place").group(1))
    try:
        until(lambda: psutil.Process(old.pid).status() == psutil.STATUS_ZOMBIE)
        assert works(old)
        assert "--replace" in psutil.Process(pid).cmdline()
    finally:
        os.kill(pid, signal.SIGTERM)
        until(lambda: not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)


def test_where_the_one_that_it_started_fails_the_log_says_so(place: Place) -> None:
    place.configure()
    old = place.start()
    (place.folder / "pointsman.yaml").write_text("models: nonsense\n")
    old.signal(signal.SIGUSR2)
    old.wait_for(
        r"process \d+, which was started to take this one's place, ended with exit status 1; this one serves on"
    )
    assert works(old)


def test_without_a_gateway_before_it_starts_as_ever(place: Place) -> None:
    place.configure()
    assert works(place.start("--replace"))


def test_after_one_that_was_killed_it_starts_as_ever(place: Place) -> None:
    place.configure()
    old = place.start()
    old.signal(signal.SIGKILL)
    ended(old)
    assert (place.data / "handover.sock").exists()
    assert works(place.start("--replace"))


@pytest.mark.parametrize("workers", ["1", "2"])
def test_one_that_is_not_ready_leaves_the_old_one_alone(place: Place, workers: str) -> None:
    with held_engine() as engine:
        place.configure(models=engine.models, server={"watch": False})
        old = place.start()
        place.configure(
            models={"light": {"backends": [{"engine": "openai", "model": "m", "base_url": "http://127.0.0.1:9/v1"}]}}
        )
        new = place.start("--replace", "--workers", workers, wait=False)
        new.wait_for("--replace: it did not become ready, and the gateway that serves .* goes on: .*connection refused")
        assert ended(new) == 1
        old.wait_for("did not come up; this one serves on")
        assert works(old)


def test_where_the_address_is_another_one_the_new_one_listens_there(place: Place) -> None:
    place.configure()
    old = place.start()
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    new = place.start("--replace", "--port", str(port))
    assert new.base.endswith(f":{port}") and works(new)
    new.wait_for("the gateway before listened on .*; that address is given up")
    assert ended(old) == 0


@pytest.mark.parametrize("workers", ["1", "2"])
def test_one_that_has_no_room_beside_waits_for_the_old_one_and_clients_wait_with_it(place: Place, workers: str) -> None:
    with slow_engine() as models:
        place.configure(models=models)
        old = place.start("--workers", workers)
        with Traffic(old.base) as traffic:
            until(lambda: traffic.done["stream"] >= 3)
            before = traffic.done.copy()
            new = place.start("--replace", "after", "--workers", workers)
            new.wait_for("leaves first, and clients wait until this one is up: as --replace after says")
            assert ended(old) == 0
            until(lambda: all(traffic.done[kind] > before[kind] + 2 for kind in before))
        assert traffic.failed == []


# What another process may do at the socket


class Caller:
    """Speaks with a gateway as one that wants its place."""

    def __init__(self, place: Place) -> None:
        self._loop = asyncio.new_event_loop()
        end = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        with reachable(place.data) as path:
            end.connect(path)

        async def made() -> Wire:
            return Wire(end)

        self._wire = self._loop.run_until_complete(made())

    def receive(self) -> object:
        message, handles = self._loop.run_until_complete(self._wire.receive())
        for handle in handles:
            os.close(handle)
        return message

    def send(self, message: Up | MakeRoom) -> None:
        self._loop.run_until_complete(self._wire.send(message))

    def close(self) -> None:
        self._wire.close()
        self._loop.close()


def test_a_caller_that_goes_away_changes_nothing(place: Place) -> None:
    place.configure()
    old = place.start()
    for _ in range(2):
        caller = Caller(place)
        offer = caller.receive()
        assert isinstance(offer, Offer) and offer.pid == old.pid and offer.engines == 0
        caller.close()
        until(lambda: any("did not come up; this one serves on" in line for line in old.lines))
        assert works(old)


def test_two_do_not_come_at_a_time(place: Place) -> None:
    place.configure()
    place.start()
    caller = Caller(place)
    caller.receive()
    other = Caller(place)
    assert other.receive() == Busy(os.getpid())
    with pytest.raises(Lost):
        other.receive()
    other.close()
    late = place.start("--replace", wait=False)
    late.wait_for(rf"--replace: process {os.getpid()} is taking the place")
    assert ended(late) == 1
    caller.close()


@pytest.mark.parametrize("workers", ["1", "2"])
def test_one_that_made_room_serves_again_where_the_other_does_not_come_up(place: Place, workers: str) -> None:
    place.configure()
    old = place.start("--workers", workers)
    caller = Caller(place)
    caller.receive()
    caller.send(MakeRoom())
    assert isinstance(caller.receive(), Gone)
    waiting = connected(old)
    waiting.request("GET", "/health")
    caller.close()
    assert waiting.getresponse().read() == b'{"status":"ok"}'
    old.wait_for("did not come up; this one serves again")
    assert works(old)
    until(lambda: (place.data / "handover.sock").exists())
    again = Caller(place)
    again.receive()
    again.send(Up())
    assert isinstance(again.receive(), Leaving)
    again.close()
    assert ended(old) == 0


def test_one_that_made_room_can_be_stopped_meanwhile(place: Place) -> None:
    place.configure()
    old = place.start()
    caller = Caller(place)
    caller.receive()
    caller.send(MakeRoom())
    assert isinstance(caller.receive(), Gone)
    old.signal(signal.SIGTERM)
    assert ended(old) == 0
    caller.close()


def test_nonsense_is_passed_over(place: Place) -> None:
    place.configure()
    old = place.start()
    for nonsense in (b"\xff\xff\xff\xff", b"\x00\x00\x00\x03abc", b"GET / HTTP/1.1\r\n\r\n"):
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as end:
            end.connect(str(place.data / "handover.sock"))
            end.sendall(nonsense)
    until(lambda: sum("did not come up" in line for line in old.lines) == 3)
    assert works(old) and not any("Traceback" in line for line in old.lines)


def test_the_socket_is_its_owner_s_alone_and_goes_with_it(place: Place) -> None:
    place.configure()
    old = place.start()
    path = place.data / "handover.sock"
    assert path.stat().st_mode & 0o777 == 0o600
    assert old.stop() == 0
    assert not path.exists()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can be another user")
def test_another_user_gets_nothing(place: Place) -> None:
    place.configure()
    old = place.start()
    path = place.data / "handover.sock"
    path.chmod(0o666)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as end:
        program = (
            "import os, socket, sys; end = socket.socket(fileno=0); os.setuid(65534); "
            "end.connect(sys.argv[1]); print(end.recv(1))"
        )
        done = subprocess.run([sys.executable, "-c", program, str(path)], stdin=end, capture_output=True, text=True)
    refused = "Permission" in done.stderr  # the folder is not open to it at all
    assert refused or done.stdout == "b''\n"
    if not refused:
        old.wait_for("of user 65534 asked for the listening socket, and was refused")
    assert works(old)


def test_a_long_path_of_the_data_folder_is_no_obstacle(place: Place) -> None:
    place.data = place.folder / ("a" * 100) / ("b" * 100)
    place.data.mkdir(parents=True)
    place.configure()
    old = place.start()
    new = place.start("--replace")
    assert ended(old) == 0 and works(new)


def test_a_refusal_is_an_answer_too(place: Place) -> None:
    """A port that is taken by somebody else is still named."""
    place.configure()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        new = place.start("--replace", "--port", str(taken.getsockname()[1]), wait=False)
        new.wait_for("server.port: .*choose another with --port")
        assert ended(new) == 1
