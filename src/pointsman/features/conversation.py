"""Does the conversation give the user's message a meaning of its own? Then "ok" is an answer, and no small talk."""

from __future__ import annotations

from functools import lru_cache

import re2

from pointsman.domain.request import Request
from pointsman.features.sieve import Sieve
from pointsman.features.signs import BRIEF

_TAIL = 400
_NEAR = 160
_SAMPLE = 4000
_SPEAKS_FOR_ITSELF = 120
"""Characters of what was said from which on nothing before it is looked at."""
_MATTER = 1200
_BEFORE = 3
_SYSTEM = ("system", "developer")
_WIDE_MARK = "？".encode()
_LINES = re2.compile(r"(?m)^\s*(?:\d{1,2}[.、)）]|[A-Da-d][.、)）]|[-*•]|[①-⑨])\s*\S")
_ASKS = re2.compile(
    r"(?i)请(?:你|您)?(?:先)?(?:确认|选择|回复|回答|告诉|告知|提供|说明|输入|补充|指定|决定|上传|发|给|描述|稍等)|是否|要不要|需不需要|"
    r"需要(?:我|您|你|的话)|想要?(?:我|先|哪)|可以吗|好吗|对吗|行吗|怎么样|还是|哪(?:个|种|一)|(?:如果|若)(?:您|你)?(?:需要|愿意|同意|想|要|希望|觉得)|"
    r"(?:我|还)(?:也)?(?:可以|能|会)(?:帮|为|给|继续|再|把|接着)|接下来(?:我)?(?:将|会|要|就)|(?:您|你)(?:可以)?(?:说|回复|输入)|等(?:你|您)|随时告诉|"
    r"(?:发|贴|传|寄|交|拿|拍)(?:给|到)?我|(?:说|喊|打).{1,8}我就|"
    r"回复|输入.{0,6}(?:继续|确认)|继续|开始|准备好|下一(?:步|部分|题|个|段|章|节)|话题|聊(?:聊|什么)|随便|口令|暗号|"
    r"\b(?:let me know|tell me|please (?:confirm|choose|select|reply|provide|specify|answer|share|send|type|pick|upload|enter)|"
    r"would you|do you|should i|shall (?:i|we)|can you|could you|want me to|if you(?:'d| would)? (?:like|want|prefer|agree|need|wish)|"
    r"i can (?:also|then|now|help|do|draft|write|send|add|make|show|continue)|i could|i(?:'ll| will) (?:then |now |next )|"
    r"(?:type|reply|respond|say|answer|enter|press) (?:with )?[\"'“‘`]?(?:yes|ok|okay|y|go|continue|next|done|confirm|when|\d)|"
    r"(?:pick|choose|select) (?:one|any|a number|from|between|either)|"
    r"which (?:one|of|would)|ready (?:to|for|when)|(?:waiting|wait) for (?:your|you)|your (?:choice|call|turn|answer|confirmation|approval)|"
    r"proceed|continue|begin|start|stop|topic|next|part \d|whenever|go ahead|cue|on your mark|just say|happy to|feel free|option [a-d1-9]|before i|once you|when you(?:'re| are))"
)


_SCRIPT = (
    r"(?i)翻译|扮演|角色|假装|模仿|语气|口吻|人设|每(?:次|条|句|当)|始终|总是|一律|必须|只能|只(?:用|准|许|回|输出|说)|不管|无论|以.{1,12}(?:开头|结尾|格式)|"
    r"用.{1,10}(?:回答|回复|开头|结尾)|(?:回答|回复|输出).{0,8}(?:格式|前|后|都)|格式|json|xml|接龙|游戏|测验|考我|出题|练习|口令|"
    r"\b(?:translate|translator|role.?play|pretend|act as|in character|persona|you are (?:a |an |the )?(?:pirate|bot|character|wizard|cat)|"
    r"every (?:time|message|reply|answer|response)|each (?:time|message|reply|of my)|always|never|must|only (?:reply|respond|answer|output|use|in)|"
    r"(?:reply|respond|answer|end|begin|start|sign|speak|talk|write) (?:only |always )?(?:with|in|as|like|each|every)|whenever|whatever i|anything i|"
    r"format|quiz|game|drill|practice|practise|flash ?cards?|when i (?:say|type|write|send)|if i (?:say|type|write|send))\b"
)


_INSTRUCTIONS = Sieve([_SCRIPT, BRIEF])


def is_awaited(request: Request) -> bool:
    """True where the assistant's last message waits for an answer, an earlier message of the user's is still
    unanswered, or the conversation has standing instructions on what to do with each message."""
    return asked_and_brief(request)[0]


def asked_and_brief(request: Request, brief: bool = False) -> tuple[bool, bool]:
    """`is_awaited`, and whether a short answer was asked for: by the question (`brief`), or by a system message."""
    turns = request.turns
    last = len(turns) - 1
    asked = asks(request.answered) or (last > 0 and _unanswered(request))
    for place, turn in enumerate(turns):
        standing = turn.role in _SYSTEM
        for_each = not asked and place < last and (standing or turn.role == "user")
        for_length = not brief and standing
        if for_each or for_length:
            for_all, short = (_standing if standing else _instructions)(turn.text[:_SAMPLE])
            asked = asked or (for_each and for_all)
            brief = brief or (for_length and short)
    return asked, brief


def _instructions(text: str) -> tuple[bool, bool]:
    """Whether it says what to do with each message, and whether it wants short answers."""
    data = text.encode()
    found = _INSTRUCTIONS.look(data)
    return (_INSTRUCTIONS.holds(0, data, found), _INSTRUCTIONS.holds(1, data, found)) if found else (False, False)


_standing = lru_cache(maxsize=64)(_instructions)
"""The same of a system message: nearly every request of a program has the one that the last had."""


def matter(request: Request, question: str) -> str:
    """What the conversation is about, for telling what kind of work it is and how hard: the question, and where it is short
    ("commit it"), what the user wrote before it, the oldest first."""
    parts, said = [question], len(question)
    users = [turn.text for turn in request.turns if turn.role == "user"]
    for text in reversed(users[-1 - _BEFORE : -1]):
        if said >= _SPEAKS_FOR_ITSELF:
            break
        if text.strip():
            parts.append(text[:_MATTER])
            said += len(parts[-1])
    return "\n".join(reversed(parts))


def _unanswered(request: Request) -> bool:
    """The two last messages, system messages apart, are both the user's."""
    last = [turn.role for turn in request.turns if turn.role not in _SYSTEM][-2:]
    return last == ["user", "user"]


def asks(assistant: str | None) -> bool:
    """True where the end of `assistant` (None: nothing was said yet) holds a question, an offer, a choice or a request.

    Leans towards true: a needless trip to the model costs a second, a lost answer costs the conversation."""
    if not assistant:
        return False
    end = assistant[-_NEAR:].encode()
    if b"?" in end or _WIDE_MARK in end:
        return True
    tail = assistant[-_TAIL:]
    if _ASKS.search(tail.encode()):
        return True
    return tail.rstrip().endswith((":", "：")) and len(_LINES.findall(tail[-200:])) >= 2
