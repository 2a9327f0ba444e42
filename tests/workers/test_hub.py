"""The hub with workers that do what a test makes them do: a reload that one of them does not follow."""

from __future__ import annotations

import asyncio
import logging
import socket
import sys
import textwrap
from pathlib import Path

import pytest

from pointsman.app.build import build
from pointsman.app.reading import Origin
from pointsman.app.workers import hub as hub_module
from pointsman.app.workers.hub import Hub
from workers.conftest import RULES, write

WORKER = """
    import asyncio, os, socket, sys, uvloop
    from pathlib import Path
    from pointsman.app.workers.channel import Channel
    from pointsman.app.workers.messages import Begin, Done, Follow, Listening, Stop
    from pointsman.app.packing import unpacked

    folder, number = Path(sys.argv[1]), sys.argv[2]

    def answer(message):
        match message:
            case Begin():
                began = unpacked(message.setup).policy.hash
                with (folder / f"began-{number}").open("a") as file:
                    print(began, file=file)
                return Listening()
            case Follow():
                return follow()
            case Stop():
                asyncio.get_running_loop().call_later(0.1, os._exit, 0)
                return Done()

    async def follow():
        if number == "2":
            FOLLOW
        return Done()

    async def main():
        channel = Channel(lambda message: None, answer, lambda: os._exit(1))
        await channel.connect(socket.socket(fileno=int(sys.argv[-1])))
        await asyncio.sleep(600)

    uvloop.run(main())
"""


@pytest.mark.parametrize("follow", ["raise ValueError('no')", "await asyncio.sleep(600)", "os._exit(3)"])
async def test_a_worker_that_does_not_follow_is_started_again_with_the_new_config(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, follow: str, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(hub_module, "FOLLOWING", 1.0)
    caplog.set_level(logging.INFO)
    write(tmp_path, RULES, server={"workers": 2, "data_dir": str(tmp_path / "data")})
    (tmp_path / "worker.py").write_text(textwrap.dedent(WORKER).replace("FOLLOW", follow, 1).replace("FOLLOW", follow))

    origin = Origin(str(tmp_path / "pointsman.yaml"))

    def began(number: int) -> list[str]:
        path = tmp_path / f"began-{number}"
        return path.read_text().split() if path.exists() else []

    with socket.create_server(("127.0.0.1", 0)) as listener:
        command = [sys.executable, str(tmp_path / "worker.py"), str(tmp_path)]
        hub = Hub(await asyncio.to_thread(lambda: build(origin.load())), origin, command, listener)
        await hub.start()
        try:
            old = hub.setup.policy.hash
            write(tmp_path, RULES.replace("one", "two"), server={"workers": 3, "data_dir": str(tmp_path / "data")})
            done = await hub.reload()
            assert done["before"] == old != done["policy"]
            assert "server.workers has changed; it counts from the next start on" in done["notes"]
            async with asyncio.timeout(30):
                while len(began(2)) < 2:
                    await asyncio.sleep(0.01)
            assert began(1) == [old] and began(2) == [old, done["policy"]] and began(3) == []
        finally:
            await hub.stop(1.0)
    assert "is started again" in caplog.text
