"""Two gateways with models of their own: beside each other where there is room for that, else one after the other."""

from __future__ import annotations

import sys
from typing import Any

import msgspec
import psutil
import pytest

from handover.conftest import Place
from handover.test_handover import ended
from handover.traffic import CHAT, body
from pointsman.app.handover.beside import no_room
from pointsman.config.schema import Config
from pointsman.domain.said import in_zh
from running import Process
from workers.lines import connected

GIB = 1 << 30


def replies(gateway: Process) -> bool:
    line = connected(gateway)
    line.request("POST", CHAT, body("Say yes."), {"content-type": "application/json"})
    return line.getresponse().status == 200


def config(**backend: Any) -> Config:
    given = {"engine": "embedded", "model": "m.gguf", **backend}
    return msgspec.convert({"models": {"light": {"backends": [given]}}}, Config)


@pytest.mark.parametrize(
    ("engines", "free", "gpu", "backend", "why"),
    [
        (0, 0, True, {"port": 8001}, None),  # it runs no model now
        (GIB, 2 * GIB, False, {}, None),
        (GIB, GIB, False, {}, "the models take 1024 MiB, and 1024 MiB are free"),
        (GIB, 9 * GIB, True, {}, "models on a GPU"),
        (GIB, 9 * GIB, False, {"port": 8001}, "port 8001"),
        (GIB, 9 * GIB, False, {"engine": "openai", "command": "serve --port {port}"}, "started by a command"),
    ],
)
def test_why_two_cannot_run(engines: int, free: int, gpu: bool, backend: dict[str, Any], why: str | None) -> None:
    found = no_room(config(**backend), engines, free, gpu)
    if why is None:
        assert found is None
    else:
        assert found is not None and why in found
        assert in_zh(found) != found


@pytest.mark.skipif(sys.platform != "linux", reason="sockets are handed over on Linux")
@pytest.mark.parametrize("how", ["beside", "after"])
def test_a_model_of_its_own_is_there_once_in_the_end_and_no_request_fails(place: Place, how: str) -> None:
    (place.folder / "pointsman.yaml").write_text("rules: {packs: []}\n")  # the built-in model
    old = place.start()
    [engine] = psutil.Process(old.pid).children()
    assert replies(old)
    new = place.start("--replace", how)
    assert replies(new)
    assert ended(old) == 0
    assert not engine.is_running()
    assert len(psutil.Process(new.pid).children()) == 1
