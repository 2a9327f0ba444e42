"""Whether bytes are a picture, by their own structure: PNG, JPEG, WebP. Nothing is decoded but what says so."""

from __future__ import annotations

import zlib

import msgspec

LARGEST_SIDE = 8192
_MOST_PIXELS = 1 << 24
_PNG = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {0: 1, 2: 3, 4: 2, 6: 4}  # grey, colours, and both with transparency
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_ENDINGS = {"image/png": "png", "image/jpeg": "jpg", "image/webp": "webp"}


class Picture(msgspec.Struct, frozen=True):
    """`blank`: every pixel is black, as filters of servers leave them."""

    media_type: str
    width: int
    height: int
    blank: bool = False

    @property
    def ending(self) -> str:
        return _ENDINGS[self.media_type]


def picture_of(data: bytes) -> Picture:
    """Raises ValueError with what is wrong."""
    if data.startswith(_PNG):
        picture = _png(data)
    elif data.startswith(b"\xff\xd8\xff"):
        picture = _jpeg(data)
    elif data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        picture = _webp(data)
    else:
        raise ValueError(f"no PNG, JPEG or WebP: begins with {data[:12]!r}")
    if not (0 < picture.width <= LARGEST_SIDE and 0 < picture.height <= LARGEST_SIDE):
        raise ValueError(f"{picture.width}x{picture.height} pixels")
    return picture


def _png(data: bytes) -> Picture:
    """All chunks with sound checksums, from IHDR to IEND."""
    at, head, body = len(_PNG), b"", []
    while True:
        length = int.from_bytes(data[at : at + 4], "big")
        kind, chunk = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        check = data[at + 8 + length : at + 12 + length]
        if len(check) != 4 or zlib.crc32(kind + chunk).to_bytes(4, "big") != check:
            raise ValueError("PNG breaks off or is damaged")
        if not head and (kind != b"IHDR" or length != 13):
            raise ValueError("PNG without a head")
        at += 12 + length
        if kind == b"IHDR":
            head = chunk
        elif kind == b"IDAT":
            body.append(chunk)
        elif kind == b"IEND":
            break
    if not body:
        raise ValueError("PNG without a picture")
    width, height = int.from_bytes(head[:4], "big"), int.from_bytes(head[4:8], "big")
    return Picture("image/png", width, height, _black(head, width, height, b"".join(body)))


def _black(head: bytes, width: int, height: int, body: bytes) -> bool:
    """Whether a plain PNG is black all over: whatever filter its lines have, nothing but zeros stands in them. False where
    it is of another build. Raises ValueError where it holds less than it claims."""
    depth, colour, interlaced = head[8], head[9], head[12]
    if depth != 8 or colour not in _CHANNELS or interlaced or not 0 < width * height <= _MOST_PIXELS:
        return False
    line = width * _CHANNELS[colour] + 1
    try:
        raw = zlib.decompressobj().decompress(body, line * height)
    except zlib.error as error:
        raise ValueError(f"PNG: {error}") from None
    if len(raw) < line * height:
        raise ValueError("PNG holds less than it claims")
    lines = (raw[start + 1 : start + line] for start in range(0, line * height, line))
    return colour in (0, 2) and not any(any(found) for found in lines)


def _jpeg(data: bytes) -> Picture:
    """Its segments up to the frame's head, and an end."""
    at = 2
    while at + 9 < len(data) and data[at] == 0xFF:
        kind, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
        if kind == 0xFF:
            at += 1
            continue
        if kind in _FRAMES:
            if b"\xff\xd9" not in data[-64:]:
                raise ValueError("JPEG breaks off")
            height, width = (int.from_bytes(data[at + n : at + n + 2], "big") for n in (5, 7))
            return Picture("image/jpeg", width, height)
        if length < 2 or kind in (0xD9, 0xDA):
            break
        at += 2 + length
    raise ValueError("JPEG without a frame")


def _webp(data: bytes) -> Picture:
    """The first chunk says how large it is."""
    kind, head = data[12:16], data[20:30]
    if int.from_bytes(data[4:8], "little") + 8 > len(data) or len(head) < 10:
        raise ValueError("WebP breaks off")
    if kind == b"VP8X":
        width, height = (int.from_bytes(head[n : n + 3], "little") + 1 for n in (4, 7))
    elif kind == b"VP8L" and head[0] == 0x2F:
        bits = int.from_bytes(head[1:5], "little")
        width, height = (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    elif kind == b"VP8 " and head[3:6] == b"\x9d\x01\x2a":
        width, height = (int.from_bytes(head[n : n + 2], "little") & 0x3FFF for n in (6, 8))
    else:
        raise ValueError("WebP of an unknown build")
    return Picture("image/webp", width, height)
