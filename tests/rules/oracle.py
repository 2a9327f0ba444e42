"""Slow and obvious: what the engine must agree with. It shares nothing with the engine but the rule types and the table
of negators (`negation.scopes`), whose own tests are in test_negation.py."""

from __future__ import annotations

import re
import unicodedata

from pointsman.domain.features import Features
from pointsman.domain.rule import Group, Rule, Term
from pointsman.rules.fold import fold
from pointsman.rules.negation import scopes, taken_back

INVISIBLE = set("\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\ufe0f")


def folded(text: str) -> tuple[str, list[int]]:
    """One character at a time: (folded text, original place of each folded character)."""
    out, places = [], []
    for place, character in enumerate(text):
        if character in INVISIBLE:
            continue
        if 0xD800 <= ord(character) < 0xE000:
            character = "\ufffd"
        elif 0xFF00 <= ord(character) < 0xFFF0 or character == "\u3000":
            character = unicodedata.normalize("NFKC", character)
        if character in "‘’":
            character = "'"
        out.append(character.lower() if len(character.lower()) == 1 else character)
        places.append(place)
    return "".join(out), places


def spaced(character: str) -> bool:
    """Whether a character continues a word: letters of spaced scripts, digits, underscore."""
    if character == "_" or character.isdigit():
        return True
    name = unicodedata.name(character, "")
    return character.isalpha() and name.startswith(("LATIN", "GREEK", "CYRILLIC"))


def occurrences(term: Term, text: str) -> list[tuple[int, int]]:
    """All places of a term in an already folded text."""
    if term.kind == "regex":
        pattern = term.value.replace("$", r"\Z")  # RE2's $ is the end of the text, not a newline before it
        return [match.span() for match in re.finditer(pattern, text, re.IGNORECASE | re.ASCII)]
    if term.kind == "whole":
        return whole(folded(term.value)[0].strip(), text)
    value = folded(term.value)[0].strip()
    places = []
    for start in range(len(text) - len(value) + 1):
        end = start + len(value)
        if text[start:end] != value:
            continue
        if spaced(value[0]) and start > 0 and spaced(text[start - 1]):
            continue
        if spaced(value[-1]) and end < len(text) and spaced(text[end]):
            continue
        places.append((start, end))
    return places


def bare(text: str) -> tuple[str, bool, int, int]:
    """(core, closes with a question mark, start, end) of a text for `whole`."""
    start, end = 0, len(text)
    asks = False
    while end > start and (
        text[end - 1] in " \t\r\n\v\f!.,;:~^_-)?。、…·〜∼"
        or (unicodedata.category(text[end - 1]) in ("So", "Sk") and text[end - 1] != "\ufffd")
    ):
        end -= 1
        asks = asks or text[end] == "?"
    while start < end and text[start] in " \t\r\n\v\f":
        start += 1
    if start == end:
        inner = text.strip(" \t\r\n\v\f")
        place = text.find(inner)
        return inner, False, place, place + len(inner)
    return text[start:end], asks, start, end


def whole(value: str, text: str) -> list[tuple[int, int]]:
    wanted, may_ask, _, _ = bare(value)
    core, asks, start, end = bare(text)
    return [(start, end)] if core == wanted and (may_ask or not asks) else []


def distinct(terms: tuple[Term, ...]) -> list[Term]:
    kept = {}
    for term in terms:
        if term.kind == "regex":
            key = ("regex", term.value)
        elif term.kind == "whole":
            core, asks, _, _ = bare(folded(term.value)[0].strip())
            key = ("whole", core + "?" * asks)
        else:
            key = ("word", folded(term.value)[0].strip())
        kept.setdefault(key, term)
    return list(kept.values())


def negated(rule: Rule, original: str, text: str) -> bool:
    terms = [term for group in rule.groups for term in group.terms if term.kind != "whole"]
    places = [place for term in terms for place in occurrences(term, text)]
    if not places:
        return False
    whole_text = fold(original)
    if taken_back(whole_text):
        return True
    for scope in scopes(whole_text):
        inside = any(start <= scope.start and end >= scope.end for start, end in places)
        if not inside and any(scope.start < start < scope.reach for start, _ in places):
            return True
    return False


def conditions_hold(rule: Rule, features: Features, entry: str, endpoint: str, role: str | None) -> bool:
    conditions = rule.conditions
    for low, value in ((conditions.min_tokens, features.question_tokens), (conditions.min_turn, features.turns)):
        if low is not None and value < low:
            return False
    for high, value in ((conditions.max_tokens, features.question_tokens), (conditions.max_turn, features.turns)):
        if high is not None and value > high:
            return False
    among = (
        (conditions.roles, role),
        (conditions.entries, entry),
        (conditions.endpoints, endpoint),
        (conditions.languages, features.language),
    )
    for allowed, name in among:
        if allowed is not None and name not in allowed:
            return False
    flags = (
        (conditions.asked, features.asked),
        (conditions.tools, features.tools),
        (conditions.images, features.images > 0),
        (conditions.structured, features.structured),
    )
    return all(wanted is None or wanted == value for wanted, value in flags)


def group_spans(group: Group, text: str) -> list[tuple[int, int]] | None:
    found = [occurrences(term, text) for term in distinct(group.terms)]
    present = [places[0] for places in found if places]
    if len(present) < group.at_least:
        return None
    return sorted(set(present), key=lambda place: (place[0], -place[1]))


def decide(
    rules: list[Rule], text: str | None, features: Features, entry: str, endpoint: str, role: str | None
) -> tuple[str, tuple[tuple[str, int, int], ...]] | None:
    """(id of the winner, its spans in the original text), every rule tried in order."""
    original = text or ""
    clean, origin = folded(original)
    for rule in sorted(rules, key=lambda rule: -rule.priority):
        if not conditions_hold(rule, features, entry, endpoint, role):
            continue
        groups = [(group.name, group_spans(group, clean)) for group in rule.groups]
        if any(places is None for _, places in groups):
            continue
        if any(occurrences(term, clean) for term in rule.none):
            continue
        if rule.negatable and negated(rule, original, clean):
            continue
        spans = [(name, origin[start], origin[end - 1] + 1) for name, places in groups for start, end in places or ()]
        return rule.id, tuple(spans)
    return None
