"""What people say around a calculation and that says nothing of it: greetings, why they ask, what form they like."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Iterator
from typing import Any

import re2

from pointsman.calculation.words import EN

_CLAUSE: Any = re2.compile(r"[,;!?~]|[.:](?: |$)|\.{3}| -+ |—+|[)] *$")
_SAYS: Any = re2.compile(
    r"[0-9零〇一二两三四五六七八九十百千万半]|[=^*/∫∑∏√π∞!|+<>%]|\\[a-z]|\b[a-zA-Z]\b|"
    r"导|积分|极限|化简|因式|展开|方程|不等式|矩阵|平方|立方|阶乘|对数|根号|税|折|利率|保留|四舍五入|小数|整数|正数|负|度|"
    r"(?i:derivat|integra|differentiat|simplif|factor|expand|limit|matrix|equation|round|decimal|integer|positive|negative|"
    r"degree|radian|percent|tax|discount|compound|binary)"
)
_ANOTHER_TASK: Any = re2.compile(
    r"翻译|解释|为什么|为啥|证明|写|画|总结|润色|修改|改成|检查|代码|程序|脚本|函数名|公式|怎么|如何|意思|什么是|含义|历史|谁|背景|故事|"
    r"(?i)\b(?:translat|explain|why|prove|proof|write|draw|summar|rewrite|code|program|script|python|excel|sql|formula|how|mean|"
    r"history|who|story|essay|email|invent|define|definition|quote|said|says|title|name|called|version|song|book|movie)"
)
_NO_NUMBER: Any = re2.compile(r"一(?:下|堆|些|点|共|起|直|般|定|样|会儿?|家)|万一|十分|千万|'[a-z]\b")
_NOT_TO_DO: Any = re2.compile(
    r"(?:不用|不必|不需要|可以不|别)(?:再)?(?:写|解释|画|证明)|(?i)no need to (?:explain|write|prove)"
)
_LONGEST = 40  # characters of a clause that is left out
_MOST = 3  # clauses that are left out at one end
_REMARK: Any = re2.compile(r"^(.*\S) *\((?P<said>[a-zA-Z ,'.-]{4,60}|[\x{4e00}-\x{9fff} ]{2,20})\)$")
_WORD: Any = re2.compile(r"[a-zA-Z]{6,}")
_KNOWN = sorted(
    {word for phrase in EN for word in phrase.split() if len(word) >= 6}
    | {
        *(
            "derivative",
            "differentiate",
            "integral",
            "integrate",
            "antiderivative",
            "equation",
            "equations",
            "inequality",
        ),
        *("simplify", "factor", "expand", "determinant", "inverse", "eigenvalues", "percentage", "percent", "increase"),
        *("decrease", "discount", "convert", "calculate", "evaluate", "compute", "logarithm", "polynomial", "fraction"),
        *("remainder", "average", "median", "variance", "factorial", "minutes", "seconds", "kilometers", "celsius"),
        *(
            "fahrenheit",
            "inches",
            "pounds",
            "ounces",
            "gallons",
            "hectares",
            "solve",
            "matrix",
            "transpose",
            "infinity",
        ),
    }
)
_FAMILIAR = frozenset(_KNOWN)


def without_chatter(text: str) -> Iterator[str]:
    """The text with less and less of what stands around the calculation: remarks in brackets behind it, then clauses at its
    ends that hold no number, no sign and no word of mathematics. Nothing where one of them asks for something else."""
    remark = _REMARK.match(text)
    if remark and not _SAYS.search(remark["said"]) and not _ANOTHER_TASK.search(remark["said"]):
        text = remark[1]
        yield text
    ends = [0, *(match.end() for match in _CLAUSE.finditer(text)), len(text)]
    clauses = [(start, end) for start, end in itertools.pairwise(ends) if end > start]
    first = 0
    while first < min(len(clauses) - 1, _MOST) and _says_nothing(text[slice(*clauses[first])]):
        first += 1
    last = len(clauses)
    while last > first + 1 and len(clauses) - last < _MOST and _says_nothing(text[slice(*clauses[last - 1])]):
        last -= 1
    left_out = text[: clauses[first][0]] + " " + text[clauses[last - 1][1] :] if clauses else ""
    if left_out.strip() and not _ANOTHER_TASK.search(_NOT_TO_DO.sub("", left_out)):
        yield text[clauses[first][0] : clauses[last - 1][1]].strip(" ,;:.!?~-—")


def spelt(text: str) -> str:
    """Words that are a known one but for a letter or two: deriviative, intergal."""
    return str(_WORD.sub(lambda match: _nearest(match.group()), text))


def _nearest(word: str) -> str:
    lower = word.lower()
    if lower in _FAMILIAR:
        return word
    found = difflib.get_close_matches(lower, _KNOWN, n=1, cutoff=0.85)
    return found[0] if found and found[0][0] == lower[0] else word


def _says_nothing(clause: str) -> bool:
    return len(clause.strip()) <= _LONGEST and not _SAYS.search(_NO_NUMBER.sub("", clause))
