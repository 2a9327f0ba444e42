"""What one pass over the question tells of it: words of each kind of work, code, a wish for brevity, scripts, languages."""

from __future__ import annotations

from pointsman.features.latin import FOREIGN, MARKED
from pointsman.features.sieve import Sieve
from pointsman.features.task_lines import GREETING, LINES

# What stands in code and hardly in prose: a keyword alone ("let us go", "import duties") is not enough.
CODE = (
    r"(?m)```|^\s*(?:(?:async )?def \w+ ?\(|class \w+ ?[:({]|class \w+ (?:extends|implements) |import [\w.*]+(?:, ?[\w.]+)*(?: as \w+)?;?\s*$|"
    r"import static |import .{0,200}[\"']|from [\w.]+ import |(?:export )?(?:async )?function ?\*? ?\w*\(|(?:let|const|var) (?:mut )?(?:\w+(?: ?: ?[^=\n]{1,40}| \w+)?|[{\[][^=\n]{0,60}) ?=|package [\w.]+(?:;|\n)|"
    r"(?:public|private|protected) (?:static|final|class|void|async|int|string|boolean|\w+ \w+ ?[=(;])|#include ?[<\"]|(?:pub )?fn \w+ ?[(<]|func (?:\([^)\n]*\) )?\w+ ?\()|"
    r"(?s:\bSELECT\b.{1,400}\bFROM\b)|(?i:\bselect (?:\*|count\(|distinct \w|[\w.]+, ?[\w.]).*\bfrom \w|\bselect \w.*\bfrom \w+ where \w+ ?(?:[=<>]|in ?\(|like ))|"
    r"=>|\);\s*$|</\w+>|^\s*(?:if|for|while) ?\(.*\) ?\{"
)
BRIEF = (
    r"(?i)简短|简洁(?:地|回答)|一句话|言简意赅|只(?:需|要)?(?:回答|回复|输出|返回)(?:是|否|对|错|数字|结果|一个)|不超过.{1,4}(?:字|句)|"
    r"\b(?:briefly|in (?:one|a) (?:word|sentence)|one[- ]word|short (?:answer|reply)|be (?:brief|concise)|concisely|yes or no only|just (?:the )?answer|"
    r"answer (?:only )?(?:yes|no)|(?:under|within|at most) \d+ words)\b"
)
OTHER_SCRIPTS = r"\p{Hiragana}\p{Katakana}\p{Hangul}\p{Cyrillic}\p{Arabic}\p{Hebrew}\p{Thai}\p{Devanagari}\p{Greek}\p{Bengali}\p{Tamil}"

TASKS = tuple(task for task, _ in LINES)  # their lines are the first signs
CODE_SIGN, BRIEF_SIGN = len(LINES), len(LINES) + 1


def _holds_one(characters: str) -> str:
    """The first of these characters only: to note every ideograph of a text would take longer than all else."""
    return f"^[^{characters}]*[{characters}]"


_MARKS = (
    GREETING,
    _holds_one(r"\p{Han}"),
    _holds_one(OTHER_SCRIPTS),
    _holds_one(r"A-Za-z\x{C0}-\x{24F}"),
    rf"(?i)(?:^|\W)(?:{'|'.join(sorted(FOREIGN))})(?:\W|$)|[{MARKED}]",
)
SIGNS = Sieve([*(f"(?is){pattern}" for _, pattern in LINES), CODE, BRIEF, *_MARKS])
IS_GREETING, HAS_HAN, HAS_OTHER_SCRIPT, HAS_LATIN, MAY_BE_FOREIGN = (
    SIGNS.mark(number) for number in range(len(LINES) + 2, len(LINES) + 2 + len(_MARKS))
)
