"""A rule to begin with, from one request: its own words in groups, and cases from what else was asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from pointsman.console.rules.told import Sketch, Sketched, both
from pointsman.domain.errors import PointsmanError
from pointsman.domain.rule import Asking, Case, CaseKind, Rule
from pointsman.domain.said import Said, said
from pointsman.offline.drafting.newest import Newest
from pointsman.offline.drafting.placed import NOT_WRITTEN
from pointsman.offline.mining.engine import parsed_rule, written
from pointsman.offline.mining.parsed import FORMAT, MissingSegmenter, is_word, may_be_term, parse
from pointsman.offline.mining.write_rule import as_yaml, distinct
from pointsman.pipeline.asked import ask, look
from pointsman.pipeline.book_cases import features_of
from pointsman.pipeline.policy import Policy
from pointsman.rules import compile_rules, run_cases
from pointsman.store.log_reader import LogReader

_GROUPS, _EXAMPLES, _COUNTERS = 2, 4, 4
_FEW, _SHARE = 20, 0.02  # more than so many others, and one word more has to occur
_LONGEST = 80  # characters of a case, and of a question that is taken whole where nothing tells its words
_PLAIN = {"asked": False, "tools": False, "images": False, "structured": False}
_SHOWN: Said = said("made of its words that few other requests have", "取自它的话里其他请求少有的词")
_WHOLE: Said = said("takes exactly this text: widen it as you see fit", "只接这一句话，请按需放宽")


def sketched(job: Sketch, policy: Policy, newest: Newest, folder: Path, stop: Callable[[], bool]) -> Sketched:
    """Raises PointsmanError (404) where nobody kept what it asked, LogError, Stopped."""
    question = _question(job.request, policy, folder)
    newest.read(folder, policy, stop)
    texts = [text for kept in newest.kept if (text := kept.asked.question)]
    groups = _groups(question, texts)
    when: dict[str, Any]
    if groups:
        when = {"all": [{"any": [written(word)]} for word in groups], "characters": {"max": _room(question)}, **_PLAIN}
    else:
        when = {"whole": [question[:_LONGEST].strip()], **_PLAIN}
    taken = [rule.id for rule in policy.document.rules]
    data: dict[str, Any] = {
        "id": distinct(_name(groups), taken),
        "mode": "shadow",
        "owner": job.owner,
        "since": job.since,
        "when": when,
        "answer": NOT_WRITTEN,
    }
    free = {
        kept.asked.question for kept in newest.kept if look(kept.asked, kept.request, policy, kept.features).hit is None
    }
    data.update(_cases(parsed_rule(data), question, groups, [text for text in texts if text in free], job.chinese))
    return Sketched(as_yaml(data), both(_SHOWN if groups else _WHOLE))


def _question(request_id: str, policy: Policy, folder: Path) -> str:
    try:
        reader = LogReader(folder)
    except FileNotFoundError:
        raise _not_kept(request_id) from None
    try:
        whole = reader.whole(request_id)
    finally:
        reader.close()
    question = ask(whole.request, policy).question if whole else None
    if not question or not question.strip():
        raise _not_kept(request_id)
    return question.strip()


def _groups(question: str, texts: Sequence[str]) -> list[str]:
    """Words and values of it that may be terms, those that the fewest others have first; in the order of the text."""
    try:
        parsed = parse(question)
    except MissingSegmenter:
        return []
    words = [
        each
        for each in dict.fromkeys((*parsed.words, *sorted(parsed.features)))
        if each in parsed.features and may_be_term(each) and each[0] != "#" and each != FORMAT
    ]
    lower = [text.casefold() for text in texts]
    rarity = {word: sum(word in text for text in lower) if is_word(word) else len(lower) // 4 for word in words}
    ranked = sorted(words, key=lambda word: (rarity[word], -len(word)))
    chosen = ranked[:_GROUPS]
    held = sum(all(word in text for word in chosen if is_word(word)) for text in lower)
    if held > max(_FEW, _SHARE * len(lower)):
        chosen = ranked[: _GROUPS + 1]
    return [word for word in words if word in chosen]


def _cases(rule: Rule, question: str, groups: Sequence[str], texts: Sequence[str], chinese: bool) -> dict[str, Any]:
    """All hold: what it takes of `texts`, which no rule takes now, what is near and it does not take, and what decides."""
    alone, asking = compile_rules([rule]), Asking("auto", "chat")
    short = [text for text in dict.fromkeys(texts) if len(text) <= _LONGEST and "\n" not in text]

    def takes(text: str) -> bool:
        looked = alone.look(text, features_of(text), asking)
        return looked.hit is not None or bool(looked.passed)

    like = [text for text in short if text != question and takes(text)]
    examples = _holding(rule, [question[:_LONGEST], *like[: _EXAMPLES - 1]], takes=True)
    words = [word for word in groups if is_word(word)]
    near = sorted(
        ((sum(word in text.casefold() for word in words), text) for text in short if not takes(text)),
        key=lambda pair: (-pair[0], len(pair[1])),
    )
    counters = _holding(rule, [text for count, text in near[:40] if count], takes=False)[:_COUNTERS]
    taken_back = f"don't {question}" if question.isascii() else f"不要{question}"
    negated = _holding(rule, [taken_back, f"{question}, {question}, {question}"], takes=False)
    counters = counters or negated[:1]
    edge = next((word for word in words if not takes(word)), None)
    boundary: dict[str, Any] = {"text": edge, "takes": False}
    why = said("one word alone", "只有一个词")
    if edge is None:
        boundary |= {"text": f"{question}, ", "repeat": _room(question) // len(question) + 1}
        why = said("much more than was asked", "比原话多得多")
    boundary["why"] = why.zh if chinese else str(why)
    return {"examples": examples or [question], "counter_examples": counters or ["…"], "boundary": [boundary]}


def _holding(rule: Rule, texts: Iterable[str], *, takes: bool) -> list[str]:
    kind: CaseKind = "example" if takes else "counter_example"
    tried = msgspec.structs.replace(rule, cases=tuple(Case(text, takes, kind) for text in texts))
    return [ran.case.text for ran in run_cases(compile_rules([tried]), [tried], features_of) if ran.holds]


def _room(question: str) -> int:
    return max(30, -(-len(question) * 2 // 10) * 10)


def _name(groups: Sequence[str]) -> str:
    latin = [word for word in groups if word.isascii() and word.isidentifier()]
    return "_".join(["new", *latin, "rule"][:4])


def _not_kept(request_id: str) -> PointsmanError:
    return PointsmanError(
        said(
            'what request "{id}" asked was not kept (log.prompts), or it was no question; write the rule from scratch',
            "请求“{id}”的内容没有保留（log.prompts），或者不是提问；请从空白开始写规则",
            id=request_id[:100],
        ),
        status=404,
        type="not_found_error",
        code="request_not_found",
    )
