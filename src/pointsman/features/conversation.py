"""Does the assistant's last message wait for an answer? Then "ok" is one, and no small talk."""

from __future__ import annotations

import re2

_TAIL = 400
_MARK = re2.compile(r"[?？]")
_LINES = re2.compile(r"(?m)^\s*(?:\d{1,2}[.、)）]|[A-Da-d][.、)）]|[-*•]|[①-⑨])\s*\S")
_ASKS = re2.compile(
    r"(?i)请(?:你|您)?(?:先)?(?:确认|选择|回复|回答|告诉|告知|提供|说明|输入|补充|指定|决定|上传|发|给|描述|稍等)|是否|要不要|需不需要|"
    r"需要(?:我|您|你|的话)|想要?(?:我|先|哪)|可以吗|好吗|对吗|行吗|怎么样|还是|哪(?:个|种|一)|(?:如果|若)(?:您|你)?(?:需要|愿意|同意|想|要|希望|觉得)|"
    r"(?:我|还)(?:也)?(?:可以|能|会)(?:帮|为|给|继续|再|把|接着)|接下来(?:我)?(?:将|会|要|就)|(?:您|你)(?:可以)?(?:说|回复|输入)|等(?:你|您)|随时告诉|"
    r"回复|输入.{0,6}(?:继续|确认)|继续的话|"
    r"\b(?:let me know|tell me|please (?:confirm|choose|select|reply|provide|specify|answer|share|send|type|pick|upload|enter)|"
    r"would you|do you|should i|shall (?:i|we)|can you|could you|want me to|if you(?:'d| would)? (?:like|want|prefer|agree|need|wish)|"
    r"i can (?:also|then|now|help|do|draft|write|send|add|make|show|continue)|i could|i(?:'ll| will) (?:then |now |next )|"
    r"(?:type|reply|respond|say|answer|enter|press) (?:with )?[\"'“‘`]?(?:yes|ok|okay|y|go|continue|next|done|confirm|\d)|"
    r"which (?:one|of|would)|ready (?:to|for|when)|(?:waiting|wait) for (?:your|you)|your (?:choice|call|turn|answer|confirmation|approval)|"
    r"proceed|just say|happy to|feel free|option [a-d1-9]|before i|once you|when you(?:'re| are))"
)


def asks(assistant: str | None) -> bool:
    """True where the end of `assistant` (None: nothing was said yet) holds a question, an offer, a choice or a request.

    Leans towards true: a needless trip to the model costs a second, a lost answer costs the conversation."""
    if not assistant:
        return False
    tail = assistant[-_TAIL:]
    if _MARK.search(tail[-160:]) or _ASKS.search(tail):
        return True
    return len(_LINES.findall(tail[-200:])) >= 2 and tail.rstrip().endswith((":", "："))
