"""One spelling for matching: half width, lower case, simplified, every character in its place."""

from __future__ import annotations

_SIMPLE = str.maketrans(
    "個禮週號這後還內間歲從來當並進當開導報產銷華東區門總彙匯資數據業績單檔給請幫",
    "个礼周号这后还内间岁从来当并进当开导报产销华东区门总汇汇资数据业绩单档给请帮",
)


def fold(text: str) -> str:
    """Same length as `text`, so that offsets stay the original's."""
    wide = "".join(chr(ord(c) - 0xFEE0) if "！" <= c <= "～" else " " if c == "　" else c for c in text)
    lower = "".join(c.lower() if len(c.lower()) == 1 else c for c in wide)
    return lower.translate(_SIMPLE)
