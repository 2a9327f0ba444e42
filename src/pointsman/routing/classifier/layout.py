"""How a text is built, as pieces: what is asked for and what was pasted, code, digits, questions, length."""

from __future__ import annotations

import re

LAYOUT = "@"
"""What all of these pieces begin with."""
_INSTRUCTION = 160
"""Characters within which the colon or line break stands that pasted text follows."""
_ENDS = re.compile(r":\s|:(?=[^\x00-\x7f])|\n")
_QUOTED = re.compile(
    r"“([^”]{12,})”|「([^」]{12,})」|\"([^\"]{12,})\"|'([^'\n]{25,})'|‘([^’]{15,})’|```(.*?)```", re.DOTALL
)
_CODE_WORDS = ("def ", "select ", "function", "return", "import", "#include")
_CODE = re.compile(
    r"[;{}]\s*$|\w\(.*\)|=>|==|\bdef \b|\bselect .*\bfrom\b|</?\w+>|\bfunction\b|\breturn\b|\bimport\b|#include|\$\w",
    re.M,
)
_CODE_WITHOUT_WORDS = re.compile(
    r";\s*$|{\s*$|}\s*$|\((?<=\w\()(?<!\$\w\().*\)|=>|==|</?\w+>|\$\w",
    re.M,
)
"""The same where no word is, from signs alone: `re` jumps from one to the next. A letter that the sign before has taken
($x) begins nothing."""
_CODE_READ = 700
_DIGITS = re.compile(r"\d")
_HAN = re.compile("[㐀-鿿]")
_SCRIPTS = (
    ("ja", re.compile("[぀-ヿ]")),
    ("ko", re.compile("[가-힣]")),
    ("cyrillic", re.compile("[Ѐ-ӿ]")),
    ("arabic", re.compile("[؀-ۿ]")),
    ("thai", re.compile("[฀-๿]")),
    ("marked", re.compile("[à-öø-ÿąćęłńśźżğşıőűěščřžțș]")),
)
_ANY_SCRIPT = re.compile("|".join(pattern.pattern for _, pattern in _SCRIPTS).replace("]|[", ""))


def layout(text: str) -> list[str]:
    """Of a text as `plain` gives it. None of these is a piece of a text: they begin with @ and a letter."""
    length = len(text)
    end = _ENDS.search(text, 0, _INSTRUCTION)
    pasted = length - end.end() if end else 0
    quoted = sum(len(match.group()) for match in _QUOTED.finditer(text)) if length > 14 else 0
    material = max(pasted if length > 60 else 0, quoted)
    asked = length - material
    code = _CODE if any(map(text.count, _CODE_WORDS)) else _CODE_WITHOUT_WORDS
    digits = len(_DIGITS.findall(text))
    question = text.rstrip().endswith("?")
    found = [
        f"@length {length.bit_length()}",
        f"@asked {max(asked, 0).bit_length()}",
        f"@material {material.bit_length()}",
        f"@lines {min(text.count(chr(10)), 6)}",
        f"@code {min(len(code.findall(text, 0, _CODE_READ)), 5)}",
        f"@digits {0 if not digits else 1 + min(10 * digits // length, 4)}",
        "@ends with a question" if question else "@question inside" if "?" in text else "@no question",
    ]
    han = _HAN.search(text) is not None
    found.append("@han" if han else "@no han")
    if not text.isascii():
        if _ANY_SCRIPT.search(text):
            found += [f"@script {name}" for name, pattern in _SCRIPTS if pattern.search(text)]
        if (
            han
            and material
            and end
            and (_HAN.search(text, end.end()) is None) != (_HAN.search(text, 0, end.start()) is None)
        ):
            found.append("@two languages")
    return found
