"""What is made of real files, by what ffprobe says of it and by looking at the pixels."""

from __future__ import annotations

import subprocess
import wave
import zlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from actions.media.films import (
    CHINESE,
    FFMPEG,
    OCCASION,
    desk,
    film,
    looked_at,
    made_file,
    make,
    needs_ffmpeg,
    sound,
    with_file,
)
from pointsman.ports.action import Action, Effect, Occasion

pytestmark = needs_ffmpeg


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return film(tmp_path_factory.mktemp("films") / "talk.mp4")


@pytest.fixture
async def actions(tmp_path: Path) -> AsyncIterator[dict[str, Action]]:
    async with desk(tmp_path) as made:
        yield made


@pytest.fixture
def out(tmp_path: Path) -> Path:
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


async def done(
    action: Action, file: Path, *, name: str | None = None, occasion: Occasion = OCCASION, **given: Any
) -> Effect:
    return await action.run({"file": "it", **given}, with_file(file, name, occasion))


async def test_another_container_takes_the_streams_as_they_are(
    actions: Any, talk: Path, tmp_path: Path, out: Path
) -> None:
    effect = await done(actions["convert"], talk, format="mkv")
    found = looked_at(made_file(effect, tmp_path, out))
    assert (found["format"], found["video"], found["audio"]) == ("matroska,webm", ["h264"], ["aac"])
    assert effect.values["copied"] and "nothing encoded anew" in effect.text
    assert effect.files[0].name == "talk.mkv" and effect.files[0].media_type == "video/x-matroska"


async def test_webm_needs_other_codecs(actions: Any, talk: Path, tmp_path: Path, out: Path) -> None:
    effect = await done(actions["convert"], talk, format="webm", quality="small", width=160)
    found = looked_at(made_file(effect, tmp_path, out))
    assert found["video"] in (["vp9"], ["vp8"]) and found["audio"] in (["opus"], ["vorbis"])
    assert found["size"] == (160, 120) and abs(found["seconds"] - 4) < 0.2
    assert not effect.values["copied"]


async def test_a_narrower_film_keeps_its_shape_and_never_grows(actions: Any, tmp_path: Path, out: Path) -> None:
    odd = film(tmp_path / "odd.mkv", 1, "322x181", "-c:v", "mpeg4", "-c:a", "flac")
    effect = await done(actions["convert"], odd, format="mp4", width=101)
    assert looked_at(made_file(effect, tmp_path, out))["size"] == (100, 56)
    effect = await done(actions["convert"], odd, format="mp4", width=4000, quality="high")
    assert looked_at(made_file(effect, tmp_path, out))["size"] == (322, 180)


async def test_words_of_the_request_say_the_format(actions: Any, talk: Path, tmp_path: Path, out: Path) -> None:
    effect = await done(actions["convert"], talk, question="把这个视频转成 mp3", occasion=CHINESE)
    found = looked_at(made_file(effect, tmp_path, out))
    assert (found["video"], found["audio"]) == ([], ["mp3"])
    first, second, third = effect.text.splitlines()
    assert first.startswith("“talk.mp4”：视频 h264 320 × 240，10 帧/秒；音频 aac，单声道；时长 0:04；")
    assert second.startswith("已生成 MP3：音频 mp3，单声道；时长 0:04；") and third.startswith(
        "下载（1 小时内有效）：http://"
    )


async def test_the_name_says_nothing(actions: Any, tmp_path: Path, out: Path) -> None:
    """A WAV that is called .mp4, an MP4 that is called -i; what is told and made follows the content."""
    tone = sound(tmp_path / "tone.wav", 1)
    effect = await done(actions["convert"], tone, name="film.mp4")
    assert looked_at(made_file(effect, tmp_path, out))["audio"] == ["mp3"]
    assert effect.values["file"]["container"] == "wav" and effect.files[0].name == "film.mp3"
    for name in (
        "-i",
        "-f lavfi.wav",
        "concat:a|b",
        "../../etc/passwd",
        "a\nb\x00.wav",
        "%d.wav",
        "",
        ".",
        "“x”](http://e)",
    ):
        effect = await done(actions["audio"], tone, name=name)
        [file] = effect.files
        assert effect.outcome == "ok" and file.name.endswith(".mp3"), effect.text
        assert not set(file.name) & set("/\\\n\x00[]()|:"), file.name
        assert "](http://e" not in effect.text


async def test_a_piece_is_cut_to_the_frame(actions: Any, talk: Path, tmp_path: Path, out: Path) -> None:
    effect = await done(actions["trim"], talk, start="0:01", end=3.0)
    path = made_file(effect, tmp_path, out)
    assert path.name == "talk-cut.mp4" and abs(looked_at(path)["seconds"] - 2) < 0.1
    # its first frame is the film's at one second
    assert frame(path, 0) == pytest.approx(frame(talk, 1), abs=6)
    assert frame(path, 0) != pytest.approx(frame(talk, 0), abs=6)


@pytest.mark.parametrize(
    ("given", "seconds"),
    [
        ({"duration": "2秒"}, 2),
        ({"start": "3"}, 1),
        ({"question": "keep the last 1.5 seconds"}, 1.5),
        ({"question": "剪掉前3秒"}, 1),
        ({"question": "去掉最后1秒"}, 3),
        ({"start": 1, "duration": 1}, 1),
    ],
)
async def test_pieces(given: dict[str, Any], seconds: float, actions: Any, tmp_path: Path, out: Path) -> None:
    tone = sound(tmp_path / "tone.wav")
    effect = await done(actions["trim"], tone, **given)
    path = made_file(effect, tmp_path, out)
    assert path.suffix == ".wav" and effect.values["copied"]
    with wave.open(str(path)) as read:
        assert read.getnframes() / read.getframerate() == pytest.approx(seconds, abs=0.05)


async def test_a_fast_cut_encodes_nothing(actions: Any, talk: Path, tmp_path: Path, out: Path) -> None:
    effect = await done(actions["trim"], talk, start=2, fast=True)
    assert effect.values["copied"] and looked_at(made_file(effect, tmp_path, out))["video"] == ["h264"]


async def test_more_than_there_is(actions: Any, talk: Path) -> None:
    effect = await done(actions["trim"], talk, start=3, end=30)
    assert effect.outcome == "ok" and "goes to the end" in effect.text
    effect = await done(actions["trim"], talk, start=9, occasion=CHINESE)
    assert (effect.outcome, effect.error) == ("refused", "bad_time")
    assert effect.text == "0:09 超出了末尾：文件长 0:04。"
    for wrong in ({"start": 3, "end": 2}, {"end": 0}, {"start": "soon"}, {"question": "删掉1秒到2秒"}, {}):
        effect = await done(actions["trim"], talk, **wrong)
        assert effect.outcome == "refused" and not effect.files, wrong


@pytest.mark.parametrize(
    ("format", "codec"), [("mp3", "mp3"), ("m4a", "aac"), ("ogg", "vorbis"), ("wav", "pcm_s16le"), ("flac", "flac")]
)
async def test_sound_of_a_film(format: str, codec: str, actions: Any, talk: Path, tmp_path: Path, out: Path) -> None:
    effect = await done(actions["audio"], talk, format=format)
    found = looked_at(made_file(effect, tmp_path, out))
    assert (found["video"], found["audio"]) == ([], [codec]) and abs(found["seconds"] - 4) < 0.1
    assert effect.values["copied"] == (format == "m4a")


async def test_bit_rates_and_qualities(actions: Any, tmp_path: Path, out: Path) -> None:
    noise = make(tmp_path / "noise.wav", "-f", "lavfi", "-i", "anoisesrc=d=4:r=44100")
    small = (await done(actions["audio"], noise, quality="small")).files[0].size
    large = (await done(actions["audio"], noise, bitrate=320)).files[0].size
    assert 40_000 < small < 60_000 and 150_000 < large < 180_000
    effect = await done(actions["audio"], noise, format="flac", bitrate=128)
    assert (effect.outcome, effect.error) == ("refused", "bad_format")
    narrow = make(tmp_path / "narrow.wav", "-f", "lavfi", "-i", "sine=d=1:r=8000")
    for format in ("ogg", "m4a", "mp3"):
        effect = await done(actions["audio"], narrow, format=format, quality="high")
        assert effect.outcome == "ok", effect.text
    effect = await done(actions["audio"], narrow, format="ogg", bitrate=512)
    assert (effect.outcome, effect.error) == ("refused", "bad_format")


async def test_a_moment_as_a_picture(actions: Any, talk: Path, tmp_path: Path, out: Path) -> None:
    effect = await done(actions["thumbnail"], talk, at="0:02")
    path = made_file(effect, tmp_path, out)
    assert path.name == "talk.png" and looked_at(path)["size"] == (320, 240)
    assert pixels(path) == pytest.approx(frame(talk, 2), abs=6)
    [line] = [line for line in effect.text.splitlines() if line.startswith("![talk.png](http://gateway/files/")]
    assert line.endswith(")")
    effect = await done(actions["thumbnail"], talk, question="截取第3秒的画面，jpg", width=100)
    path = made_file(effect, tmp_path, out)
    assert path.suffix == ".jpg" and looked_at(path)["size"] == (100, 76)
    # behind the last frame, and before the end
    effect = await done(actions["thumbnail"], talk, at=3.999)
    assert effect.outcome == "ok"


async def test_the_cover_of_a_song_is_its_picture(actions: Any, talk: Path, tmp_path: Path, out: Path) -> None:
    cover = make(tmp_path / "c.png", "-i", str(talk), "-frames:v", "1")
    song = make(
        tmp_path / "song.mp3",
        *(
            "-f",
            "lavfi",
            "-i",
            "sine=d=2",
            "-i",
            str(cover),
            "-map",
            "0:a",
            "-map",
            "1:v",
            "-disposition:v",
            "attached_pic",
        ),
    )
    effect = await done(actions["thumbnail"], song)
    assert looked_at(made_file(effect, tmp_path, out))["size"] == (320, 240)
    assert "cover" in effect.text
    effect = await done(actions["convert"], song, format="wav")
    assert looked_at(made_file(effect, tmp_path, out))["audio"] == ["pcm_s16le"]
    effect = await done(actions["thumbnail"], sound(tmp_path / "tone.wav", 1))
    assert (effect.outcome, effect.error) == ("refused", "no_video")


async def test_what_does_not_fit_together(actions: Any, talk: Path, tmp_path: Path) -> None:
    silent = make(tmp_path / "silent.mp4", "-f", "lavfi", "-i", "testsrc=d=1:s=64x64:r=5", "-pix_fmt", "yuv420p")
    picture = make(tmp_path / "p.png", "-i", str(silent), "-frames:v", "1")
    assert (await done(actions["audio"], silent)).error == "no_sound"
    assert (await done(actions["convert"], picture, format="mp4")).error == "still"
    assert (await done(actions["convert"], sound(tmp_path / "t.wav", 1), format="gif")).error == "no_video"
    effect = await done(actions["convert"], talk, format="exe")
    assert effect.error == "bad_parameters" and "mp4" in effect.text
    effect = await done(actions["convert"], picture, format="webp", width=32)
    assert effect.outcome == "ok" and effect.files[0].media_type == "image/webp"


@pytest.mark.parametrize("format", ["webm", "mkv", "mp3", "m4a", "ogg", "wav", "flac"])
async def test_six_channels_whatever_their_layout(format: str, actions: Any, tmp_path: Path, out: Path) -> None:
    wide = make(
        tmp_path / "wide.mkv",
        *("-f", "lavfi", "-i", "testsrc=d=1:s=64x64:r=5", "-f", "lavfi", "-i", "anullsrc=cl=5.1(side):r=48000:d=1"),
        *("-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "flac"),
    )
    effect = await done(actions["convert"], wide, format=format, quality="small")
    assert len(looked_at(made_file(effect, tmp_path, out))["audio"]) == 1


async def test_a_length_that_is_a_guess_refuses_nothing(actions: Any, tmp_path: Path, out: Path) -> None:
    """Raw AAC does not say how long it is: noise at its start makes it look much shorter than it is."""
    first = make(tmp_path / "a.aac", "-f", "lavfi", "-i", "anoisesrc=d=2:r=44100", "-b:a", "320k").read_bytes()
    rest = make(tmp_path / "b.aac", "-f", "lavfi", "-i", "anullsrc=d=30:r=44100").read_bytes()
    (tmp_path / "both.aac").write_bytes(first + rest)
    effect = await done(actions["trim"], tmp_path / "both.aac", start=25, duration=2, format="wav")
    assert abs(looked_at(made_file(effect, tmp_path, out))["seconds"] - 2) < 0.2
    effect = await done(actions["convert"], tmp_path / "both.aac", format="mp3")
    assert effect.values["complete"] and abs(effect.values["made"]["seconds"] - 32) < 1


async def test_gif(actions: Any, talk: Path, tmp_path: Path, out: Path) -> None:
    effect = await done(actions["convert"], talk, format="gif", start=1, duration=1, width=80)
    found = looked_at(made_file(effect, tmp_path, out))
    assert found["video"] == ["gif"] and found["size"] == (80, 60) and abs(found["seconds"] - 1) < 0.2
    long = make(tmp_path / "long.mp4", "-f", "lavfi", "-i", "color=s=16x16:r=1:d=61", "-pix_fmt", "yuv420p")
    assert (await done(actions["convert"], long, format="gif")).error == "too_large"
    back = await done(actions["convert"], made_file(effect, tmp_path, out), format="mp4")
    assert looked_at(made_file(back, tmp_path, out))["video"] == ["h264"]


async def test_an_hour_of_silence_with_its_progress(actions: Any, tmp_path: Path, out: Path) -> None:
    silence = make(tmp_path / "hour.flac", "-f", "lavfi", "-i", "anullsrc=r=8000:cl=mono:d=3600")
    told: list[tuple[int, int]] = []

    async def tell(done: int, of: int) -> None:
        told.append((done, of))

    occasion = msgspec.structs.replace(OCCASION, tell=tell)
    effect = await done(actions["convert"], silence, format="mp3", quality="small", occasion=occasion)
    assert abs(looked_at(made_file(effect, tmp_path, out))["seconds"] - 3600) < 1 and "1:00:00" in effect.text
    assert told and told == sorted(told) and {of for _, of in told} == {36_000} and told[-1][0] >= 35_900


def frame(path: Path, at: float) -> list[int]:
    """The picture at a moment, as 8 × 6 grey pixels."""
    assert FFMPEG
    command = [
        FFMPEG,
        "-v",
        "error",
        "-ss",
        str(at),
        "-i",
        str(path),
        "-frames:v",
        "1",
        "-vf",
        "scale=8:6",
        "-pix_fmt",
        "gray",
    ]
    return list(subprocess.run([*command, "-f", "rawvideo", "-"], capture_output=True, check=True).stdout)


def pixels(path: Path) -> list[int]:
    return frame(path, 0)


def png(width: int, height: int) -> bytes:
    """One that claims so many pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    head = width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes([8, 2, 0, 0, 0])
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(100))) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body
