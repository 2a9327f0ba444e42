"""One spelling for matching: half width, lower case, simplified, every character in its place."""

from __future__ import annotations

_SIMPLE = dict(
    zip(
        "個禮週號這後還內間歲從來當並進開導報產銷華東區門總彙匯資數據業績單檔給請幫節慶農曆歷陰陽勞動聖誕婦兒臘雙兩幾財過閏驚蟄穀種處滿長補會現員應該夠國萬裡裏時點為與讓說麼",
        "个礼周号这后还内间岁从来当并进开导报产销华东区门总汇汇资数据业绩单档给请帮节庆农历历阴阳劳动圣诞妇儿腊双两几财过闰惊蛰谷种处满长补会现员应该够国万里里时点为与让说么",
        strict=True,
    )
)
_WIDE = {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)} | {"　": " ", "’": "'", "‘": "'"}
_TABLE = str.maketrans(_SIMPLE | {wide: narrow.lower() for wide, narrow in _WIDE.items()})


def fold(text: str) -> str:
    """Same length as `text`, so that offsets stay the original's."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    return lower.translate(_TABLE)
