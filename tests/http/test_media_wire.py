"""Sound and film over the wire: beside a message by a rule, uploaded for a job; and a gateway that is killed."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
import yaml

from actions.left import running_in
from actions.media.films import film, looked_at, needs_ffmpeg
from execution.engine import Engine, config
from running import Process, Running, running

pytestmark = needs_ffmpeg
LINK = re.compile(r"http://\S+?/files/[\w-]+")
RULES = """
rules:
  - id: to_another_format
    when: {any: [转成, 转换成, convert it to, convert this to]}
    action: convert
    examples: [把这个文件转成 mp3, convert this to mp3]
    counter_examples: [翻译成英文]
    boundary: [{text: 转一下, takes: false}]
  - id: a_piece
    when: {any: [截取, cut out]}
    action: trim
    examples: ["截取0:01到0:02", "cut out 0:01 to 0:02"]
    counter_examples: [cut it]
    boundary: [{text: 截图, takes: false}]
  - id: a_moment
    when: {any: [截图, a thumbnail]}
    action: thumbnail
    examples: [第2秒截图, a thumbnail at 0:02]
    counter_examples: [draw a nail]
    boundary: [{text: 截取, takes: false}]
"""
ACTIONS: dict[str, Any] = {
    "convert": {"media": {"do": "convert"}},
    "trim": {"media": {"do": "trim"}},
    "thumbnail": {"media": {"do": "thumbnail"}},
    "voice": {"media": {"do": "audio"}},
}


@contextlib.asynccontextmanager
async def gateway(folder: Path) -> AsyncIterator[tuple[Running, httpx.AsyncClient]]:
    (folder / "rules.yaml").write_text(RULES, encoding="utf-8")
    async with Engine() as engine:
        sections = config(engine, actions=ACTIONS, rules={"packs": [], "files": ["rules.yaml"]})
        async with running(sections, folder) as served, httpx.AsyncClient(base_url=served.base, timeout=60) as client:
            yield served, client
        assert engine.asked == []


async def asked(
    client: httpx.AsyncClient, text: str, path: Path, name: str | None = None, **more: Any
) -> httpx.Response:
    data = base64.b64encode(path.read_bytes()).decode()
    file = {"filename": name or path.name, "file_data": f"data:application/octet-stream;base64,{data}"}
    parts = [{"type": "text", "text": text}, {"type": "file", "file": file}]
    body = {"model": "auto", "messages": [{"role": "user", "content": parts}], **more}
    reply = await client.post("/v1/chat/completions", json=body)
    assert reply.status_code == 200 and reply.headers["x-pointsman-stage"] == "l0", reply.text
    return reply


def told(reply: httpx.Response) -> str:
    return str(reply.json()["choices"][0]["message"]["content"])


async def fetched(client: httpx.AsyncClient, text: str, to: Path) -> httpx.Response:
    found = LINK.search(text)
    assert found, text
    reply = await client.get(found[0])
    assert reply.status_code == 200
    to.write_bytes(reply.content)
    return reply


async def test_in_chat(tmp_path: Path) -> None:
    talk = film(tmp_path / "talk.mp4", 3)
    async with gateway(tmp_path) as (_, client):
        text = told(await asked(client, "把这个文件转成 mp3", talk, "访谈.mp4"))
        assert "“访谈.mp4”：视频 h264 320 × 240" in text and "已生成 MP3" in text
        reply = await fetched(client, text, tmp_path / "a.mp3")
        assert reply.headers["content-type"] == "audio/mpeg"
        assert "%E8%AE%BF%E8%B0%88.mp3" in reply.headers["content-disposition"]
        assert looked_at(tmp_path / "a.mp3")["audio"] == ["mp3"]

        text = told(await asked(client, "please cut out 0:01 to 0:02", talk))
        assert "Made as MP4" in text and "Download" in text
        await fetched(client, text, tmp_path / "b.mp4")
        assert abs(looked_at(tmp_path / "b.mp4")["seconds"] - 1) < 0.15

        reply = await asked(client, "第2秒截图", talk, stream=True)
        assert reply.headers["content-type"].startswith("text/event-stream")
        await fetched(client, reply.text, tmp_path / "c.png")
        assert looked_at(tmp_path / "c.png")["size"] == (320, 240)


async def test_bad_input_in_chat(tmp_path: Path) -> None:
    """An MP4 that is a playlist which points to a local file; no file at all; something else."""
    playlist = tmp_path / "holiday.mp4"
    playlist.write_text("#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n")
    (tmp_path / "note.txt").write_text("hello")
    async with gateway(tmp_path) as (_, client):
        assert "它是一个播放列表" in told(await asked(client, "把这个文件转成 mp3", playlist))
        assert "it is a playlist" in told(await asked(client, "convert this to mp3", playlist))
        assert "is not taken" in told(await asked(client, "a thumbnail please", tmp_path / "note.txt"))
        body = {"model": "auto", "messages": [{"role": "user", "content": "把它转成 mp3"}]}
        text = told(await client.post("/v1/chat/completions", json=body))
        assert "音视频文件（随消息附上）" in text
        assert running_in(tmp_path / "data") == []


async def test_as_a_job(tmp_path: Path) -> None:
    talk = film(tmp_path / "talk.mkv", 2)
    async with gateway(tmp_path) as (_, client):
        sent = await client.post(
            "/v1/files", files={"file": ("talk.mkv", talk.read_bytes())}, data={"purpose": "user_data"}
        )
        wrong = {"action": "voice", "parameters": {"file": sent.json()["id"], "format": "mp4"}}
        assert (await client.post("/v1/jobs", json=wrong)).status_code == 400
        body = {"action": "voice", "parameters": {"file": sent.json()["id"], "format": "ogg", "start": "0:01"}}
        job = (await client.post("/v1/jobs", json=body)).json()
        while job["state"] != "completed":
            job = (await client.get(f"/v1/jobs/{job['id']}")).json()
        values = job["result"]["body"]["values"]
        assert values["file"]["container"] == "matroska" and values["made"]["format"] == "ogg", job
        assert abs(values["made"]["seconds"] - 1) < 0.1
        await fetched(client, values["url"], tmp_path / "v.ogg")
        assert looked_at(tmp_path / "v.ogg")["audio"] == ["vorbis"]


async def test_a_client_that_hangs_up_leaves_no_ffmpeg(tmp_path: Path) -> None:
    long = film(tmp_path / "long.mp4", 60, "640x360")
    async with gateway(tmp_path) as (_, client):
        asking = asyncio.create_task(asked(client, "convert this to webm", long))
        async with asyncio.timeout(60):
            while not running_in(tmp_path / "data"):
                await asyncio.sleep(0.02)
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        async with asyncio.timeout(60):
            while running_in(tmp_path / "data"):
                await asyncio.sleep(0.02)


@pytest.mark.skipif(sys.platform != "linux", reason="processes die with their parent on Linux")
def test_a_gateway_that_is_killed_takes_its_ffmpeg_with_it(tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text(RULES, encoding="utf-8")
    long = film(tmp_path / "long.mp4", 60, "640x360")
    sections = {
        "server": {"port": 0, "data_dir": str(tmp_path / "data"), "watch": False},
        "rules": {"packs": [], "files": ["rules.yaml"]},
        "actions": ACTIONS,
    }
    (tmp_path / "pointsman.yaml").write_text(yaml.safe_dump(sections), encoding="utf-8")
    started = Process(["-c", str(tmp_path / "pointsman.yaml")])
    try:
        base = started.wait_for(r"Pointsman \S+ (?:is ready|listens) on (http://\S+):").group(1)
        data = base64.b64encode(long.read_bytes()).decode()
        parts = [{"type": "text", "text": "convert this to webm"}, {"type": "file", "file": {"file_data": data}}]
        body = {"model": "auto", "messages": [{"role": "user", "content": parts}]}
        ask = "import sys, httpx; httpx.post(sys.argv[1], content=sys.stdin.buffer.read(), timeout=60)"
        client = subprocess.Popen(
            [sys.executable, "-c", ask, f"{base}/v1/chat/completions"], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert client.stdin
        client.stdin.write(httpx.Request("POST", base, json=body).content)
        client.stdin.close()
        found = waited(
            lambda: [line for line in running_in(tmp_path / "data") if "-progress" in line and "launch.py" not in line]
        )
        assert found
        started.signal(signal.SIGKILL)
        waited(lambda: not running_in(tmp_path / "data"))
        client.wait(60)
    finally:
        started.stop()
    assert not [p for p in psutil.Process(os.getpid()).children() if p.status() == psutil.STATUS_ZOMBIE]


def waited(holds: Any, seconds: float = 60) -> Any:
    end = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < end
        time.sleep(0.02)
    return found
