"""A question of the arbiter's that is open in a conversation, and what the user answered: read from the messages alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import msgspec
import re2

from pointsman.asking.answers import LONGEST, in_words, is_cancel, is_question
from pointsman.asking.intents import NO, NONE, YES, read_back
from pointsman.asking.intents import Asked as Question
from pointsman.domain.lifecycle import ASKED_MOST
from pointsman.domain.policy import ActionRule, ArbiterRules, EntryRule, IntentRule
from pointsman.domain.request import Request, Turn
from pointsman.domain.wording import Tongue
from pointsman.periods.fold import fold
from pointsman.pipeline.acting import called
from pointsman.pipeline.asked import Asked, ask
from pointsman.pipeline.found import option_of
from pointsman.pipeline.leading import action_names
from pointsman.pipeline.policy import Policy

_END = r"[的啊吧呢\s,.!。，！]*$"
_NONE_OF_THEM = re2.compile(
    r"^(?:都不是|都不对|没有一个|别的|其他的?|none(?: of (?:these|them))?|neither(?: of them)?|something else)" + _END
)
_YES = re2.compile(
    r"^(?:是|是的|对|对的|没错|嗯|好|好的|可以|确认|确定|行|"
    r"yes|yep|yeah|y|ok|okay|sure|right|correct|please do|confirm(?:ed)?)" + _END
)
_NO = re2.compile(r"^(?:不是|不对|不|否|错了|no|nope|n|wrong)" + _END)
_REFUSED = frozenset(fold(word) for word in (*NONE.values(), *NO.values()))
_AGREED = frozenset(fold(word) for word in YES.values())


class Standing(msgspec.Struct, frozen=True):
    """`text` is what the request is about now: what it began with, and what was answered in words. `intent` is settled: the
    user chose it (`confirmed`), or was asked for a value of it; `given` are answers for parameters of it, by name, as they
    were written. `asked` counts our questions. `none`: the user wants none of what was offered; `cancelled`: nothing at
    all."""

    text: str
    tongue: Tongue
    asked: int
    intent: str | None = None
    confirmed: bool = False
    given: Mapping[str, str] = {}
    none: bool = False
    cancelled: bool = False


def standing_of(
    request: Request,
    rules: ArbiterRules,
    actions: Mapping[str, ActionRule],
    action_of: Mapping[str, str | None],
    question_in: Callable[[str], str] = str,
) -> Standing | None:
    """None where the assistant's last message is no question of ours, or the user's last is a message of its own.
    `action_of`: which action each intent leads to for this caller; `question_in`: the question in the message that it began
    with."""
    turns = [turn for turn in request.turns if turn.role not in ("system", "developer")]
    answers: list[tuple[Question, str]] = []
    while len(turns) >= 3 and len(answers) < ASKED_MOST:
        before, assistant, user = turns[-3:]
        asked = read_back(assistant.text) if assistant.role == "assistant" else None
        if asked is None or user.role != "user" or before.role != "user":
            break
        answers.append((asked, user.text.strip()))
        turns = turns[:-2]
    if not answers:
        return None
    answers.reverse()
    standing = Standing(question_in(turns[-1].text), answers[-1][0].tongue, len(answers))
    for asked, answer in answers:
        after = _answered(standing, asked, answer, rules, actions, action_of)
        if after is None:
            return None
        standing = after
    return standing


def retold(
    request: Request, policy: Policy, entry: EntryRule | None, asked: Asked, tongue: Tongue
) -> tuple[Request, Standing | None, Asked, Tongue]:
    """What the rules look at: the request; or, where it answers a question of the arbiter's, what that was about with the
    answer, and the language of the question."""
    rules = policy.document.arbiter
    if rules is None or entry is None or entry.arbiter == "off" or len(request.turns) < 3:
        return request, None, asked, tongue

    def alone(text: str) -> Request:
        return msgspec.structs.replace(request, turns=(Turn("user", text),))

    def question_in(message: str) -> str:
        return ask(alone(message), policy).question or message

    names = action_names(rules, request.caller_role)
    standing = standing_of(request, rules, policy.document.actions, names, question_in)
    if standing is None:
        return request, None, asked, tongue
    return alone(standing.text), standing, Asked(standing.text, standing.text), standing.tongue


def _answered(
    standing: Standing,
    asked: Question,
    answer: str,
    rules: ArbiterRules,
    actions: Mapping[str, ActionRule],
    action_of: Mapping[str, str | None],
) -> Standing | None:
    folded = fold(answer).strip()
    if not folded or len(folded) > LONGEST:
        return None
    if is_cancel(folded):
        return msgspec.structs.replace(standing, cancelled=True)
    if asked.slot == "needs":
        return _needed(standing, asked, answer, rules, actions, action_of)
    if _NONE_OF_THEM.search(folded):
        return msgspec.structs.replace(standing, none=True, intent=None)
    chosen = _chosen(asked, folded)
    if chosen in _REFUSED:
        return msgspec.structs.replace(standing, none=True, intent=None)
    about = asked.about if chosen in _AGREED else chosen
    intent = _by_about(about, rules) if about is not None else None
    if intent is not None:
        return msgspec.structs.replace(standing, intent=intent.name, confirmed=True)
    return msgspec.structs.replace(standing, text=f"{standing.text}\n{answer}")


def _chosen(asked: Question, folded: str) -> str | None:
    """The choice that the answer names, folded."""
    if asked.slot == "whether":
        if _YES.search(folded):
            return fold(YES[asked.tongue])
        if _NO.search(folded):
            return fold(NO[asked.tongue])
    words = in_words(asked.choices, folded)
    if words is None:
        return None
    choices, words = list(map(fold, asked.choices)), fold(words).strip(" ,.!。，！")
    for told in (words, words.strip("吧的啊呢 ")):
        if told in choices:
            return told
    named = [choice for choice in choices if choice in words or (len(words) > 1 and words in choice)]
    return named[0] if len(named) == 1 else None


def _needed(
    standing: Standing,
    asked: Question,
    answer: str,
    rules: ArbiterRules,
    actions: Mapping[str, ActionRule],
    action_of: Mapping[str, str | None],
) -> Standing | None:
    intent = _by_about(asked.about or "", rules)
    action = actions.get(action_of.get(intent.name) or "") if intent is not None else None
    if intent is None or action is None or action.spec is None:
        return None
    folded = fold(answer).strip()
    if not asked.choices and is_question(folded):
        return None
    for name, schema in action.spec.properties.items():
        if called(name, schema, asked.tongue) == asked.missing:
            words = fold(in_words(asked.choices, folded) or answer).strip()
            exact = next((choice for choice in asked.choices if fold(choice) == words), answer)
            exact = option_of(exact, schema)
            text, given = f"{standing.text}\n{answer}", {**standing.given, name: exact}
            return msgspec.structs.replace(standing, text=text, intent=intent.name, given=given)
    return None


def _by_about(about: str, rules: ArbiterRules) -> IntentRule | None:
    wanted = fold(about)
    fit = [intent for intent in rules.intents if any(fold(text) == wanted for text in intent.about.values())]
    return fit[0] if len(fit) == 1 else None
