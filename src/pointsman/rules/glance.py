"""Which kinds of extracts a text can hold at all: one pass over it, instead of one search for each kind."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import re2

# What a folded text cannot lack where there is something of the kind in it. Most texts have none of these.
SIGNS = {
    "number": r"[0-9]|[零〇一二两三四五六七八九十百千万亿壹贰叁肆伍陆柒捌玖拾佰仟半点]{2}",
    "amount": r"[$¥£€元块圆刀]|人民币|英镑|港币|美金|rmb|cny|usd|eur|gbp|jpy|hkd|yuan|dollar|bucks|pound|yen|日元",
    "percentage": r"[%‰成]|per ?cent|pct|百分|千分",
    "file": r"\.",
    "code": r"```|~~~",
    "sql": r"select|insert|replace|update|delete|create|alter|drop|truncate|grant|revoke|merge|exec|pragma|\bwith\b|/\*",
    "maths": r"[-+*/^×÷·⋅∙−±=<>≤≥≠≈√∫∑∏∮²³⁴ⁿ%$\\(\[]|加|减|乘|除|plus|minus|times|by|[0-9] x [0-9]|mod|[a-z]\w*\(|"
    r"sin|cos|tan|log|ln|lg|sqrt|exp|lim|d[xyzt]",
    "url": r"://|www\.",
    "email": r"@",
    "phone": r"[0-9]{2}",
    "id_card": r"[0-9]{4}",
    "bank_card": r"[0-9]{4}",
    "secret": r"sk[-_]|gh[pousr]_|github_pat_|a[ks]ia|xox|aiza|hf_|glpat|npm_|eyj|begin|密码|口令|pass|pwd|key|secret|"
    r"token|密钥|令牌|://|mysql|mariadb",
}


class Glance:
    """For the terms of a rule set: `terms` are (kind, number of the term). Kinds without signs are possible in any text."""

    def __init__(self, terms: Iterable[tuple[str, int]]) -> None:
        self.always: list[int] = []
        self._terms: list[list[int]] = []
        self._set: Any = re2.Set.SearchSet()
        known: dict[str, list[int]] = {}
        for kind, number in terms:
            if kind not in SIGNS:
                self.always.append(number)
            elif kind in known:
                known[kind].append(number)
            else:
                known[kind] = [number]
                self._set.Add(SIGNS[kind])
                self._terms.append(known[kind])
        if self._terms:
            self._set.Compile()
        self._match = self._set._set.Match  # of bytes; what the library has around it costs more than it does

    def possible(self, data: bytes) -> Collection[int]:
        """Numbers of the terms that the folded text, in UTF-8, may hold."""
        if not self._terms:
            return ()
        places = self._match(data)
        return [number for place in places for number in self._terms[place]] if places else ()
