"""To whom a request wants its report sent, in its own words: 发给财务, "and send it to finance". Pure.

Only names and words of channels of the config count: an address in a text is nobody's."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from pointsman.domain.channel import ChannelRule
from pointsman.domain.rule import Rule

DELIVER = "deliver"
"""The parameter of a rule that names channels."""
LONGEST = 300
"""Characters of a text that is looked at; a request for a report is a sentence or two."""
_ZH = (
    r"[，,；;、\s]*(?:并且|并|然后|同时|再|顺便|麻烦|请)*(?:(?:把|将)(?:它|结果|文件|(?:这份)?报表))?"
    r"(?:发送?(?:邮件)?(?:一份)?[给到至]|寄(?:送)?[给到]|转发?给|抄送(?:一份)?给?|传给|推送[给到]|交给)\s*"
)
_ZH_END = r"(?:部门|小组|团队|邮箱|那边|同事|部|组|群)?(?:一份|一下)?(?=$|[\s，,。.；;！!、？?吧并])"
_EN = (
    r"(?:[\s,;]+|^)(?:(?:and|then|please|also)\s+)*(?:send|e-?mail|mail|forward|deliver)\s+"
    r"(?:(?:it|this|that|them|a\s+copy|the\s+(?:report|file|result)s?)\s+)?(?:on\s+)?to\s+(?:the\s+)?"
)
_EN_END = r"(?:\s+(?:team|department|people))?(?=$|[\s,.;!?])"
_NOT = re.compile(r"(?:别|不要|不用|不必|无需|勿|don'?t|do\s+not|never|without)\s*(?:再)?$", re.IGNORECASE)


class Wish(msgspec.Struct, frozen=True):
    """A channel that a text names, and the text without that, its other characters where they were."""

    channel: str
    rest: str


class Wishes:
    """Which channels `rules` name as a parameter, and how texts name one of `channels`."""

    def __init__(self, channels: Sequence[ChannelRule], rules: Sequence[Rule] = ()) -> None:
        self._channels = {channel.name: channel for channel in channels}
        self._by_word = {word.lower(): channel.name for channel in channels for word in (channel.name, *channel.words)}
        words = "|".join(re.escape(word) for word in sorted(self._by_word, key=len, reverse=True) if word)
        self._form = (
            re.compile(f"(?:{_ZH}({words}){_ZH_END})|(?:{_EN}({words}){_EN_END})", re.IGNORECASE) if words else None
        )
        self._by_rule = {rule.id: named(rule.parameters.get(DELIVER)) for rule in rules if DELIVER in rule.parameters}

    def by_rule(self, rule_id: str | None) -> tuple[str, ...]:
        """Those that the rule names."""
        return self._by_rule.get(rule_id or "", ())

    def in_text(self, text: str, role: str | None) -> Wish | None:
        """The one that the text names, where a caller of that role may. None for two of them: that is too much to be sure
        of."""
        if self._form is None or len(text) > LONGEST:
            return None
        found = [match for match in self._form.finditer(text) if not _NOT.search(text[: _verb(match)])]
        if len(found) != 1:
            return None
        [match] = found
        channel = self._by_word[(match[1] or match[2]).lower()]
        if not self._channels[channel].open_to(role):
            return None
        start, end = match.span()
        return Wish(channel, text[:start] + " " * (end - start) + text[end:])

    def without(self, text: str, role: str | None) -> str:
        """The text without what it says of a channel."""
        wish = self.in_text(text, role)
        return text if wish is None else wish.rest


def named(value: object) -> tuple[str, ...]:
    """One name, or several."""
    if isinstance(value, str):
        return (value,)
    return tuple(str(name) for name in value) if isinstance(value, list | tuple) else ()


def _verb(match: re.Match[str]) -> int:
    """Where the words begin that say what is to be done."""
    return match.start() + len(match[0]) - len(match[0].lstrip("，,；;、 \t\n"))
