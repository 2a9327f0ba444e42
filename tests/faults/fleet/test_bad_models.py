"""A folder, a picture named .gguf, a file that is cut off and a command that exits with 0, beside a model that is sound:
each has a clear state and says what it is, and the sound one serves."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from faults.fleet.gateways import CHAT, Gateway, gateways, until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
_PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(200)
_WORDS = {
    "folder": "is a folder (valid: a .gguf file)",
    "picture": "it is no GGUF file but a PNG picture",
    "cut": "the file ends inside the number of pairs at 18 bytes",
    "ends": "ended with exit status 0 before it served: does it go to the background",
}


def _config(folder: Path, when: str) -> dict[str, Any]:
    files = {name: folder / f"{name}.gguf" for name in ("folder", "picture", "cut")}
    files["folder"].mkdir()
    files["picture"].write_bytes(_PNG)
    files["cut"].write_bytes(b"GGUF\x03\x00\x00\x00" + b"\x01" * 10)
    fit = {"context": 1024, "slots": 1}
    command = [sys.executable, "-I", "-S", "-c", "print('all done')", "{port}"]
    bad = [{"engine": "embedded", "model": str(file), "name": name} for name, file in files.items()]
    bad.append({"engine": "openai", "model": "m", "name": "ends", "command": command})
    sound = {"engine": "embedded", "model": "builtin:smollm2-135m", "name": "sound"} | fit
    return {
        "models": {
            "light": {"backends": [sound]},
            "medium": {"backends": [backend | fit | {"load": {"when": when}} for backend in bad]},
        },
        "rules": {"packs": []},
    }


async def _targets(gateway: Gateway) -> dict[str, dict[str, Any]]:
    return {target["target"].rpartition("@")[2]: target for target in (await gateway.ready())["targets"]}


async def _sound(gateway: Gateway) -> bool:
    return (await _targets(gateway))["sound"]["health"] == "up"


async def _all_failed(gateway: Gateway) -> bool:
    targets = await _targets(gateway)
    return all(targets[name]["residence"]["stage"] == "failed" for name in _WORDS)


async def _chat(gateway: Gateway, model: str) -> httpx.Response:
    fields = {"model": model, "messages": [{"role": "user", "content": "name a sea"}], "max_tokens": 4}
    return await gateway.http.post(CHAT, json=fields)


@pytest.mark.parametrize("when", ["start", "demand"])
async def test_beside_a_sound_one(tmp_path: Path, when: str) -> None:
    pytest.importorskip("xllamacpp")
    async with gateways(1, tmp_path / "gateway", _config(tmp_path, when)) as (gateway,):
        await until(lambda: _sound(gateway))
        if when == "demand":
            assert {(await _targets(gateway))[name]["residence"]["stage"] for name in _WORDS} == {"absent"}
            for name, target in (await _targets(gateway)).items():
                if name in _WORDS:
                    reply = await gateway.http.post(f"/admin/models/{target['target']}/load")
                    assert reply.status_code == 409 and _WORDS[name] in reply.json()["error"]["message"], reply.text
        await until(lambda: _all_failed(gateway))
        replies = await asyncio.gather(*(_chat(gateway, model) for model in ("light", "medium") * 4))
        for number, reply in enumerate(replies):
            if number % 2 == 0:
                assert reply.status_code == 200 and reply.headers["x-pointsman-target"].endswith("@sound")
            else:
                assert reply.status_code == 503, reply.text
                assert any(words in reply.json()["error"]["message"] for words in _WORDS.values())
        targets = await _targets(gateway)
        for name, words in _WORDS.items():
            assert targets[name]["health"] == "down" and words in targets[name]["problem"]
        assert targets["sound"]["health"] == "up" and targets["sound"]["problem"] is None
        assert (await gateway.ready())["ready"]
