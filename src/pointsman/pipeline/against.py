"""Whether a text that sounds like a wish may be none: it says not to, tells of something, or quotes it for another purpose.
What is heard in such a text is never done without a yes, where it changes something."""

from __future__ import annotations

from typing import Any, Literal

import re2

_NOT: Any = re2.compile(
    r"(?i)不要|不用|无需|不需要|不必|不想|别(?:再)?(?:给|把|去|帮|做|动|删|改|发|开|关|解|重|提|订|取)|先别|禁止|停止|取消|"
    r"\b(?:don'?t|do not|doesn'?t|never|without|stop|cancel|no longer|not)\b"
)
_TOLD: Any = re2.compile(
    r"(?i)已经.{0,20}了|昨天|刚才已|之前已|"
    r"\b(?:yesterday|last (?:week|month|year)|already|was|were|has been|had been|have been)\b"
)
_QUOTED: Any = re2.compile(
    r"(?i)[“”「」『』\"]|(?:^|[\s:：])'[^']{8,}'|翻译|总结|摘要|概括|改写|润色|写一|什么意思|怎么说|"
    r"\b(?:translate|translation|summari[sz]e|summary|rewrite|rephrase|proofread|what does|explain why|"
    r"how do (?:i|you) say)\b"
)


def against(text: str) -> Literal["negated", "told", "quoted"] | None:
    """What speaks against doing what the text sounds like; None: nothing that words show."""
    for cause, words in (("negated", _NOT), ("quoted", _QUOTED), ("told", _TOLD)):
        if words.search(text):
            return cause  # type: ignore[return-value]
    return None
