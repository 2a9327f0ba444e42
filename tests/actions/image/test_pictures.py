"""What passes for a picture."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actions.image.recorded import png
from actions.media.films import make, needs_ffmpeg
from pointsman.actions.image.pictures import Picture, picture_of
from thorough import tries


def test_png() -> None:
    assert picture_of(png(64, 48)) == Picture("image/png", 64, 48)
    assert picture_of(png(64, 48, (0, 0, 0))) == Picture("image/png", 64, 48, blank=True)


@needs_ffmpeg
@pytest.mark.parametrize(
    ("name", "arguments", "media_type"),
    [
        ("a.jpg", ("-pix_fmt", "yuvj420p"), "image/jpeg"),
        ("a.webp", (), "image/webp"),
        ("b.webp", ("-lossless", "1"), "image/webp"),
        ("c.webp", ("-vf", "format=yuva420p"), "image/webp"),
        ("rgba.png", ("-vf", "format=rgba"), "image/png"),
        ("grey.png", ("-vf", "format=gray"), "image/png"),
        ("deep.png", ("-vf", "format=rgb48be"), "image/png"),
    ],
)
def test_pictures_that_others_wrote(name: str, arguments: tuple[str, ...], media_type: str, tmp_path: Path) -> None:
    path = make(tmp_path / name, "-f", "lavfi", "-i", "testsrc=s=130x94", *arguments, "-frames:v", "1")
    assert picture_of(path.read_bytes()) == Picture(media_type, 130, 94)


@needs_ffmpeg
@pytest.mark.parametrize("form", ["rgb24", "gray"])
def test_black_whatever_its_filters(form: str, tmp_path: Path) -> None:
    for filters in ("none", "sub", "up", "avg", "paeth", "mixed"):
        black = (
            "-f",
            "lavfi",
            "-i",
            "color=black:s=33x17",
            "-vf",
            f"format={form}",
            "-pred",
            filters,
            "-frames:v",
            "1",
        )
        assert picture_of(make(tmp_path / "b.png", *black).read_bytes()).blank
        grey = (
            "-f",
            "lavfi",
            "-i",
            "color=0x010101:s=33x17",
            "-vf",
            f"format={form}",
            "-pred",
            filters,
            "-frames:v",
            "1",
        )
        assert not picture_of(make(tmp_path / "g.png", *grey).read_bytes()).blank


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<html>no</html>",
        b"GIF89a" + bytes(100),
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        png()[:-1],
        png()[:40],
        png().replace(b"IEND", b"IENX"),
        png()[:60] + b"\x00" + png()[61:],
        b"\xff\xd8\xff\xe0\x00\x10JFIF" + bytes(100),
        b"\xff\xd8\xff\xd9",
        b"RIFF\x00\x00\x00\x00WEBPVP8 " + bytes(20),
        b"RIFF\xff\xff\xff\xffWEBPVP8X" + bytes(20),
        png(9000, 1),
    ],
)
def test_what_is_no_picture(data: bytes) -> None:
    with pytest.raises(ValueError):
        picture_of(data)


def test_a_picture_that_claims_more_than_it_holds() -> None:
    """Nothing is unpacked beyond its own lines."""
    claim = png(1, 1).replace((1).to_bytes(4, "big") * 2, (4000).to_bytes(4, "big") * 2)
    with pytest.raises(ValueError, match="damaged"):
        picture_of(claim)


@settings(max_examples=tries(90, 300))
@given(
    st.sampled_from([b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"RIFF\x20\x00\x00\x00WEBP"]), st.binary(max_size=200)
)
def test_any_bytes_are_judged(head: bytes, rest: bytes) -> None:
    try:
        assert picture_of(head + rest).width > 0
    except ValueError as error:
        assert str(error)
