"""Bytes → text: which encoding it is, Chinese ones above all."""

from __future__ import annotations

import codecs
import re

from charset_normalizer import from_bytes

_SAMPLE = 64 << 10  # bytes that are looked at
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAID = re.compile(
    rb"""(?:<meta[^>]{0,200}charset\s*=\s*["']?|<\?xml[^>]{0,100}encoding\s*=\s*["'])([\w-]{2,30})""", re.I
)
# the characters that are most of any Chinese text, simplified and traditional, and those of Japanese and Korean
_COMMON = frozenset(
    "的一是号不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运"
    "這個們來為國時說會過對發後裡經動進還開從實無與長機關點業將兩間問應戰頭體見產話內給門東聲員論處義幾認條氣題爾變總電數報結務場計資領統區隊決達強難權萬據邊張該規類覺術確傳師觀讓識帶導爭運單費請購號碼備註"
    "，。、；：？！（）《》“”"
)
_KANA = re.compile("[぀-ヿ]")
_HANGUL = frozenset("이다는을의가에하고지기도로한사서어자리나를은니들그있었습게보해수아만일정인면시라대과여")
_FIRST = {"gb18030": (0xA1, 0xD7), "big5hkscs": (0xA1, 0xC6)}
"""First bytes of punctuation and of those characters that each standard puts first for being common."""


def decoded(content: bytes, said: str | None = None) -> str:
    """`said` is what something beside the bytes says of them; it is believed where it fits. What cannot be read becomes
    U+FFFD."""
    for bom, name in _BOMS:
        if content.startswith(bom):
            return content.decode(name, "replace")
    sample = content[:_SAMPLE]
    if b"\x00" in sample and (wide := wide_without_mark(sample)):
        return content.decode(wide, "replace")
    if _fits(sample, "utf-8"):
        return content.decode("utf-8", "replace")
    for told in (said, _declared(sample)):
        if told is not None and _known(told) and _fits(sample, told):
            return content.decode(told, "replace")
    return content.decode(_guessed(sample), "replace")


def _declared(sample: bytes) -> str | None:
    found = _SAID.search(sample[:4096])
    if found is None:
        return None
    name = found[1].decode("ascii", "ignore").lower()
    return "gb18030" if name in ("gb2312", "gbk", "gb_2312-80", "x-gbk") else name


def _known(name: str) -> bool:
    try:
        return bool(codecs.lookup(name)._is_text_encoding)
    except (LookupError, ValueError):
        return False


def wide_without_mark(sample: bytes) -> str | None:
    """UTF-16 without a mark at its beginning: in which order of bytes it is ordinary text, if in any."""
    even = sample[: len(sample) // 2 * 2]
    for name in ("utf-16-le", "utf-16-be"):
        try:
            text = even.decode(name)
        except UnicodeDecodeError:
            continue
        if len(text) > 1 and sum(_is_ordinary(character) for character in text) > 0.7 * len(text):
            return name
    return None


def _is_ordinary(character: str) -> bool:
    return (" " <= character < "\x7f") or character in "\t\r\n" or character in _COMMON


def _fits(sample: bytes, name: str) -> bool:
    """Whether it decodes, but for a character that the sample's end cuts."""
    try:
        codecs.getincrementaldecoder(name)().decode(sample, len(sample) < _SAMPLE)
    except (UnicodeError, LookupError):
        return False
    return True


def _guessed(sample: bytes) -> str:
    """The East Asian encoding in which it is ordinary text, or else what charset-normalizer finds."""
    best, most = None, 0.6
    for name in ("gb18030", "big5hkscs", "shift_jis", "euc_kr"):
        if _fits(sample, name):
            likely = _likeness(codecs.getincrementaldecoder(name)().decode(sample), name)
            if likely > most:
                best, most = name, likely
    if best is not None:
        return best
    found = from_bytes(sample[: 16 << 10]).best()
    return found.encoding if found is not None else "latin-1"


def _likeness(text: str, name: str) -> float:
    """How common its characters that are not ASCII are in the language of that encoding."""
    foreign = [character for character in text if ord(character) > 127]
    if not foreign:
        return 0.0
    if name == "shift_jis":
        return 2 * len(_KANA.findall(text)) / len(foreign)
    if name == "euc_kr":
        return 2 * sum(character in _HANGUL for character in foreign) / len(foreign)
    first = _FIRST[name]
    usual = sum(first[0] <= _lead(character, name) <= first[1] for character in foreign)
    return (usual + sum(character in _COMMON for character in foreign)) / len(foreign)


def _lead(character: str, name: str) -> int:
    code = character.encode(name)
    return code[0] if len(code) == 2 else 0
