"""What the models of tasks and difficulties say of a text, the slow and obvious way: each weight read from the file and
added by itself."""

from __future__ import annotations

import re
import struct
import unicodedata
from functools import cache

import msgspec

from pointsman.domain.simplified import simplified
from pointsman.learning.descent import length_root, shares
from pointsman.learning.linear import Stored, decompressed
from pointsman.routing.classifier.difficulty import (
    GAP,
    WHOLE,
    Difficulty,
    DifficultyFile,
    by_length,
    letters,
)
from pointsman.routing.classifier.difficulty import calibrated as calibrated_score
from pointsman.routing.classifier.tasks import SHIFT, WISH, Tasks, TasksFile, calibrated

_TOKENS = re.compile(r"[㐀-鿿]+|[^\W\d_㐀-鿿]+(?:'[^\W\d_㐀-鿿]+)?|\d+|[^\w\s]")
_ENDS = re.compile(r":\s|:(?=[^\x00-\x7f])|\n")
_QUOTED = re.compile(
    r"“([^”]{12,})”|「([^」]{12,})」|\"([^\"]{12,})\"|'([^'\n]{25,})'|‘([^’]{15,})’|```(.*?)```", re.DOTALL
)
_ASIDE = re.compile(
    r"“[^”]{8,}”?|「[^」]{8,}」?|『[^』]{8,}』?|\"[^\"]{10,}\"?|(?<!\w)'[^'\n]{20,}'|‘[^’]{12,}’?|```.*?(?:```|\Z)",
    re.DOTALL,
)
_CODE = re.compile(
    r"[;{}]\s*$|\w\(.*\)|=>|==|\bdef \b|\bselect .*\bfrom\b|</?\w+>|\bfunction\b|\breturn\b|\bimport\b|#include|\$\w",
    re.M,
)
_SCRIPTS = {
    "ja": "[぀-ヿ]",
    "ko": "[가-힣]",
    "cyrillic": "[Ѐ-ӿ]",
    "arabic": "[؀-ۿ]",
    "thai": "[฀-๿]",
    "marked": "[à-öø-ÿąćęłńśźżğşıőűěščřžțș]",
}


def plain(text: str) -> str:
    if len(text) > 1200:
        text = f"{text[:900]}\n{text[-300:]}"
    text = text.lower()
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", text).lower().translate(simplified())


def pieces(text: str) -> list[str]:
    """In the order of their places, and as often as they come."""
    found: list[str] = []
    before = "^"
    for token in _TOKENS.findall(text):
        if "㐀" <= token[0] <= "鿿":
            found += token
            found += [token[place : place + 2] for place in range(len(token) - 1)]
            before = token[-1]
            continue
        if token[0].isdecimal():
            token = "0" * min(len(token), 4)
        found += [token, f"{before} {token}"]
        if len(token) > 5:
            found.append(f"{token[:5]}*")
        before = token
    return found


def instruction(text: str) -> str:
    text = _ASIDE.sub(" “ ", text)
    end = _ENDS.search(text)
    if end is None and len(text) <= 80:
        return text
    led = end is not None and 5 <= end.start() <= 140
    first = f"{text[: end.start()]} :" if led and end else text[:140]
    rest = text[end.end() :] if end is not None and end.start() <= 140 else text[140:]
    if len(rest) <= 40:
        return f"{first} {rest}"
    last = rest.rstrip().rpartition("\n")[2]
    return f"{first} \n {last}" if len(last) <= 80 else first


def layout(text: str) -> list[str]:
    length = len(text)
    end = _ENDS.search(text, 0, 160)
    pasted = length - end.end() if end else 0
    quoted = sum(len(match.group()) for match in _QUOTED.finditer(text)) if length > 14 else 0
    material = max(pasted if length > 60 else 0, quoted)
    code = len(_CODE.findall(text, 0, 700))
    digits = len(re.findall(r"\d", text))
    if text.rstrip().endswith("?"):
        question = "@ends with a question"
    else:
        question = "@question inside" if "?" in text else "@no question"
    found = [
        f"@length {length.bit_length()}",
        f"@asked {max(length - material, 0).bit_length()}",
        f"@material {material.bit_length()}",
        f"@lines {min(text.count(chr(10)), 6)}",
        f"@code {min(code, 5)}",
        f"@digits {0 if not digits else 1 + min(10 * digits // length, 4)}",
        question,
        "@han" if _han(text) else "@no han",
    ]
    found += [f"@script {name}" for name, script in _SCRIPTS.items() if re.search(script, text)]
    if material and end and _han(text) and _han(text[: end.start()]) != _han(text[end.end() :]):
        found.append("@two languages")
    return found


def _han(text: str) -> bool:
    return re.search("[㐀-鿿]", text) is not None


def task(tasks: Tasks, text: str) -> tuple[str, float]:
    """`text` as a client wrote it."""
    text = plain(text)
    own, asked = set(pieces(text)), set(pieces(instruction(text)))
    file, weights = _tasks(tasks.data)
    if not any(piece in weights for piece in own):
        return file.linear.heads[0], 0.0
    also = layout(text)
    named = [*own, *also, *(f"{WISH}{piece}" for piece in asked)]
    sums = [sum(column) for column in zip(*(weights[piece] for piece in named if piece in weights), strict=True)]
    length = length_root(len(own) + len(also) + len(asked))
    found, whole = shares([(each << (SHIFT + 4)) // length for each in sums])
    likely = [each * WHOLE // whole for each in found]
    return file.linear.heads[likely.index(max(likely))], calibrated(file.knots, max(likely)) / WHOLE


def difficulty(model: Difficulty, text: str) -> float:
    """`text` as a client wrote it."""
    own = set(pieces(plain(text)))
    weights = _weights(_difficulties(model.data).linear)
    gap = sum(weights[piece][GAP] for piece in own if piece in weights)
    score = gap * 16 // length_root(len(own)) + by_length(model.layouts[GAP], letters(text))
    return calibrated_score(model.knots, score) / WHOLE


@cache
def _tasks(data: bytes) -> tuple[TasksFile, dict[str, tuple[int, ...]]]:
    file = msgspec.msgpack.decode(decompressed(data), type=TasksFile)
    return file, _weights(file.linear)


@cache
def _difficulties(data: bytes) -> DifficultyFile:
    return msgspec.msgpack.decode(decompressed(data), type=DifficultyFile)


@cache
def _weights(stored: Stored) -> dict[str, tuple[int, ...]]:
    rows = struct.iter_unpack(f"<{len(stored.heads)}h", stored.weights)
    return dict(zip(stored.pieces.split("\n"), rows, strict=True))
