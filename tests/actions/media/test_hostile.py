"""Files that are made to do harm, and what is left of runs that are cut off."""

from __future__ import annotations

import asyncio
import logging
import socket
import struct
import zlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from random import Random
from typing import Any

import psutil
import pytest

from actions.left import held, running_in
from actions.media.films import CHINESE, desk, film, looked_at, made_file, make, needs_ffmpeg, sound, with_file
from actions.workshop import config_of
from pointsman.actions.media import ffmpeg
from pointsman.app.actions import action_specs
from pointsman.ports.action import Action, Effect
from thorough import tries

pytestmark = needs_ffmpeg


@pytest.fixture
async def actions(tmp_path: Path) -> AsyncIterator[dict[str, Action]]:
    """Nothing is left running, open or lying about after any of these."""
    before = held()
    async with desk(tmp_path) as made:
        yield made
    assert held() == before
    assert list((tmp_path / "work").glob("*")) == []


@pytest.fixture
def somebody() -> Iterator[socket.socket]:
    """A listening socket that nobody calls."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server
        with pytest.raises(BlockingIOError):
            server.accept()


async def tried(action: Action, content: bytes, tmp_path: Path, name: str = "film.mp4", **given: Any) -> Effect:
    path = tmp_path / "given"
    path.write_bytes(content)
    return await action.run({"file": "it", **given}, with_file(path, name))


async def test_a_playlist_under_the_name_of_a_film(
    actions: Any, tmp_path: Path, somebody: socket.socket, caplog: pytest.LogCaptureFixture
) -> None:
    """Refused, explained in both languages, logged; nothing is read and nobody is called."""
    here = f"http://127.0.0.1:{somebody.getsockname()[1]}/x.ts"
    for target in ("file:///etc/passwd", "/etc/passwd", here, f"concat:{here}|/etc/passwd", "data:,x"):
        playlist = f"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n{target}\n#EXT-X-ENDLIST\n".encode()
        for action in actions.values():
            caplog.clear()
            with caplog.at_level(logging.WARNING):
                effect = await tried(action, playlist, tmp_path)
            assert (effect.outcome, effect.error, effect.files) == ("refused", "bad_file", ())
            assert '"film.mp4" is not taken: it is a playlist' in effect.text and "passwd" not in effect.text
            assert "playlist" in caplog.text and "passwd" not in caplog.text
    path = tmp_path / "given"
    effect = await actions["convert"].run({"file": "it"}, with_file(path, "film.mp4", CHINESE))
    assert effect.text.startswith("文件“film.mp4”未被接受：它是一个播放列表")


@pytest.mark.parametrize(
    "disguise",
    [
        b"GIF89a",
        b"\x1aE\xdf\xa3",
        b"ID3\x04\x00\x00\x00\x00\x00\x00",
        b"\x00\x00\x00\x20ftypisom",
        b"RIFF\x20\x00\x00\x00AVI ",
    ],
)
async def test_a_playlist_behind_the_first_bytes_of_something_else(
    disguise: bytes, actions: Any, tmp_path: Path, somebody: socket.socket
) -> None:
    here = f"http://127.0.0.1:{somebody.getsockname()[1]}/x.ts"
    effect = await tried(
        actions["convert"], disguise + f"\n#EXTM3U\n#EXTINF:1,\n{here}\n/etc/passwd\n".encode(), tmp_path
    )
    assert effect.outcome == "refused" and not effect.files


@pytest.mark.parametrize(
    "script",
    [
        b"ffconcat version 1.0\nfile '/etc/passwd'\n",
        b"<svg xmlns='http://www.w3.org/2000/svg'><image href='file:///etc/passwd'/></svg>",
        b"<?xml version='1.0'?><MPD><Period><BaseURL>file:///etc/</BaseURL></Period></MPD>",
        b"[Script Info]\nTitle: x\n[Fonts]\nfontname: ../../etc/passwd\n",
        b"v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\nm=audio 5004 RTP/AVP 96\r\n",
        b"{1}{1}25\n{0}{100}/etc/passwd",
    ],
)
async def test_scripts_of_other_kinds(script: bytes, actions: Any, tmp_path: Path) -> None:
    effect = await tried(actions["convert"], script, tmp_path)
    assert (effect.outcome, effect.error) == ("refused", "bad_file")


async def test_subtitles_inside_a_film_are_not_even_opened(actions: Any, tmp_path: Path) -> None:
    (tmp_path / "s.ass").write_text(
        "[Script Info]\n[Events]\nFormat: Start, End, Text\nDialogue: 0:00:00.00,0:00:01.00,hi\n"
    )
    plain = film(tmp_path / "plain.mkv", 1)
    both = make(tmp_path / "both.mkv", "-i", str(plain), "-i", str(tmp_path / "s.ass"), "-c", "copy")
    effect = await actions["convert"].run({"file": "it", "format": "mp4"}, with_file(both))
    assert "1 other streams" in effect.text
    found = looked_at(made_file(effect, tmp_path, tmp_path))
    assert (found["video"], found["audio"]) == (["h264"], ["aac"])


def png(width: int, height: int) -> bytes:
    """One that claims so many pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    head = struct.pack(">II", width, height) + bytes([8, 2, 0, 0, 0])
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(100))) + chunk(b"IEND", b"")


async def test_claims_of_size(actions: Any, tmp_path: Path) -> None:
    for content in (png(100_000, 100_000), png(20_000, 20_000), b"GIF89a\xff\xff\xff\xff" + bytes(500)):
        for do in ("convert", "thumbnail"):
            effect = await tried(actions[do], content, tmp_path, "picture.png")
            assert (effect.outcome, effect.error) == ("refused", "too_large"), effect.text
            assert "pixels" in effect.text


async def test_broken_files(actions: Any, tmp_path: Path) -> None:
    whole = film(tmp_path / "whole.mp4", 4)
    fast = make(tmp_path / "fast.mp4", "-i", str(whole), "-c", "copy", "-movflags", "+faststart").read_bytes()
    for content in (
        b"",
        whole.read_bytes()[: whole.stat().st_size // 2],
        b"\x00\x00\x00\x20ftypisom" + bytes(500),
        b"\x1aE\xdf\xa3" + b"\xff" * 500,
        b"OggS" + bytes(500),
        b"fLaC" + bytes(500),
        b"\xff\xfb\x90\x00" + bytes(10_000),
        b"\xff\xd8\xff\xe0" + bytes(500),
        b"RIFF\xff\xff\xff\xffWAVEfmt \xff\xff\xff\xff",
    ):
        effect = await tried(actions["convert"], content, tmp_path)
        assert (effect.outcome, effect.error) == ("refused", "bad_file"), effect.text
    effect = await tried(actions["convert"], fast[: len(fast) // 2], tmp_path)
    assert effect.outcome == "ok" and not effect.values["complete"] and "breaks off early" in effect.text


async def test_files_with_bytes_changed(actions: Any, tmp_path: Path) -> None:
    """Done or refused, and never anything that nobody expected."""
    random = Random(7)
    originals = [
        film(tmp_path / "a.mp4", 1, "64x48"),
        film(tmp_path / "b.webm", 1, "64x48", "-c:v", "libvpx", "-c:a", "libvorbis"),
        film(tmp_path / "c.wmv", 1, "64x48"),
        sound(tmp_path / "d.mp3", 1),
        sound(tmp_path / "e.flac", 1),
        make(tmp_path / "f.gif", "-f", "lavfi", "-i", "testsrc=d=1:s=32x32:r=5"),
    ]
    for number in range(tries(18, 60)):
        data = bytearray(originals[number % len(originals)].read_bytes())
        for _ in range(random.randint(1, 12)):
            at = random.randrange(random.choice([64, 400, len(data)]))
            match random.randrange(3):
                case 0:
                    data[at : at + 4] = random.choice([b"\xff\xff\xff\xff", bytes(4), b"\x7f\xff\xff\xff"])
                case 1:
                    del data[at : at + random.randint(1, 100)]
                case _:
                    data[at:at] = data[random.randrange(len(data)) :][: random.randint(1, 200)]
        effect = await tried(actions[("convert", "audio", "thumbnail")[number % 3]], bytes(data), tmp_path)
        assert effect.outcome in ("ok", "refused"), (number, effect.error, effect.text)


async def test_too_much_of_anything(tmp_path: Path) -> None:
    tone = sound(tmp_path / "tone.wav", 30)
    many = make(tmp_path / "many.mkv", "-f", "lavfi", "-i", "sine=d=1", *(["-map", "0:a"] * 9), "-c:a", "aac")
    wide = film(tmp_path / "wide.mp4", 1, "640x360")
    base = {"do": "convert"}
    limits = {
        "file": base | {"max_file": "1MB"},
        "long": base | {"max_duration": "20s"},
        "streams": base | {"max_streams": 8},
        "pixels": base | {"max_pixels": 640 * 359},
        "output": base | {"max_output": "100KB"},
    }
    config = {name: {"media": media} for name, media in limits.items()}
    config["slow"] = {"media": base, "timeout": "1s"}
    config["lean"] = {"media": base, "memory": "100MB"}
    given = {"file": tone, "long": tone, "streams": many, "pixels": wide, "output": tone}
    async with desk(tmp_path, **config) as actions:
        for name, path in given.items():
            effect = await actions[name].run(
                {"file": "it", "format": "flac" if path is tone else "mkv"}, with_file(path)
            )
            assert (effect.outcome, effect.error) == ("refused", "too_large"), (name, effect.text)
        heavy = film(tmp_path / "heavy.mp4", 60, "640x360")
        effect = await actions["slow"].run({"file": "it", "format": "webm", "quality": "high"}, with_file(heavy))
        assert (effect.outcome, effect.error) == ("failed", "timeout") and "within 1 s" in effect.text
        effect = await actions["lean"].run({"file": "it"}, with_file(wide))
        assert (effect.outcome, effect.error) == ("failed", "memory")
    assert running_in(tmp_path) == []


async def test_without_ffmpeg(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    media = {"do": "audio", "programs": str(tmp_path / "empty")}
    [note] = action_specs(config_of({"audio": {"media": media}}), tmp_path, {}).notes
    assert "actions.audio: there is no ffmpeg and ffprobe" in note and "没有找到" in note.zh
    async with desk(tmp_path, audio={"media": media}) as actions:
        effect = await actions["audio"].run({"file": "it"}, with_file(sound(tmp_path / "t.wav", 1)))
    assert (effect.outcome, effect.error) == ("failed", "setup") and "apt-get install ffmpeg" in effect.text


async def test_many_that_are_cancelled_leave_no_process_and_no_descriptor(
    actions: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The leak of the field: a transcoder that nobody waits for. Cancelled while the file is written, probed, converted."""
    talk = film(tmp_path / "talk.mp4", 20, "640x360")
    occasion = with_file(talk)
    given = {"file": "it", "format": "webm"}
    assert (await actions["trim"].run({"file": "it", "end": 1}, occasion)).outcome == "ok"
    begun: asyncio.Event = asyncio.Event()
    run = ffmpeg.Ffmpeg.make

    async def noticed(self: ffmpeg.Ffmpeg, *arguments: Any) -> Any:
        begun.set()
        return await run(self, *arguments)

    monkeypatch.setattr(ffmpeg.Ffmpeg, "make", noticed)
    before = held()
    for number in range(tries(40, 200)):
        begun.clear()
        task = asyncio.create_task(actions["convert"].run(given, occasion))
        if number % 5 == 0:  # while ffmpeg converts
            await begun.wait()
            while not any("ffmpeg" in child.name() for child in psutil.Process().children(recursive=True)):
                await asyncio.sleep(0.005)
        else:
            await asyncio.sleep(number % 20 * 0.01)
        task.cancel()
        assert isinstance((await asyncio.gather(task, return_exceptions=True))[0], asyncio.CancelledError)
    assert held() == before
    assert [child for child in psutil.Process().children() if child.status() == psutil.STATUS_ZOMBIE] == []
    assert running_in(tmp_path) == []
