"""What one pass over the question tells of it: code, a wish for brevity, greetings, scripts, languages."""

from __future__ import annotations

from pointsman.features.latin import FOREIGN, MARKED
from pointsman.features.sieve import Sieve

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
GREETING = (
    r"(?i)^\W*(?:hi|hello|hey|yo|good (?:morning|afternoon|evening|night)|thanks?|thank you|bye|goodbye|howdy|what'?s up|how are you|how's it going|"
    r"sup|greetings|你好|您好|嗨|哈喽|哈啰|嘿|早|早上好|早安|上午好|中午好|下午好|晚上好|晚安|谢谢|多谢|感谢|再见|拜拜|在吗|在不在|大家好|辛苦了|最近怎么样|吃了吗|新年快乐|周末愉快)"
    r"(?:[\s\pP\pS]|there|everyone|all|again|呀|啊|哦|呢|啦|哈|吗|你|您|了|大家|各位|team|guys|folks|today|so much|very much|you|a lot|老师|小助手|doing|everybody|mate|buddy)*$"
)
OTHER_SCRIPTS = r"\p{Hiragana}\p{Katakana}\p{Hangul}\p{Cyrillic}\p{Arabic}\p{Hebrew}\p{Thai}\p{Devanagari}\p{Greek}\p{Bengali}\p{Tamil}"

CODE_SIGN, BRIEF_SIGN = 0, 1


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
SIGNS = Sieve([CODE, BRIEF, *_MARKS])
IS_GREETING, HAS_HAN, HAS_OTHER_SCRIPT, HAS_LATIN, MAY_BE_FOREIGN = (
    SIGNS.mark(number) for number in range(2, 2 + len(_MARKS))
)
