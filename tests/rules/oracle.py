"""Slow and obvious: what the engine must agree with. It shares nothing with the engine but the rule types and the table
of negators (`negation.scopes`), whose own tests are in test_negation.py."""

from __future__ import annotations

import itertools
import re
import unicodedata

from pointsman.domain.features import Features
from pointsman.domain.rule import Group, Rule, Term
from pointsman.rules.fold import fold
from pointsman.rules.negation import scopes, taken_back

INVISIBLE = set("\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\ufe0f\u0334\u0335\u0336\u0337\u0338\U000e0041")
SPACES = "\u00a0\u2009\u202f\u3000"
SIMPLIFIED = dict(zip("導報銷別無們這後裏著於麼乾", "导报销别无们这后里着于么干", strict=True))
LOOK_ALIKES = dict(zip("аеорсухвАВСНΑΒΗΡαηνρο", "aeopcyxbabchabhpanvpo", strict=True))

Shown = list[tuple[str, int]]  # characters, and where each stands in the original


def folded(text: str) -> tuple[str, list[int]]:
    """One character at a time, and then the neighbours: (folded text, original place of each folded character). It knows
    the look-alikes and traditional characters that the tests use, and no others."""
    shown = [(alone(character), place) for place, character in enumerate(text) if character not in INVISIBLE]
    shown = [
        (character.lower() if len(character.lower()) == 1 else character, place) for character, place in mixed(shown)
    ]
    shown = letters_together(ideographs_together(unpiled(shown)))
    return "".join(character for character, _ in shown), [place for _, place in shown]


def alone(character: str) -> str:
    if 0xD800 <= ord(character) < 0xE000:
        return "\ufffd"
    if character in SPACES:
        return " "
    if character in "‘’":
        return "'"
    plain = unicodedata.normalize("NFKC", character)
    if len(plain) == 1 and (plain.isalnum() or 0xFF00 <= ord(character) < 0xFFF0):
        character = plain
    return SIMPLIFIED.get(character, character)


def in_word(character: str) -> bool:
    """Whether a character belongs to a word of Latin, Greek, Cyrillic: letters, digits, accents."""
    script = unicodedata.name(character, "").split(" ")[0]
    return script in ("LATIN", "GREEK", "CYRILLIC", "COMBINING") or character in "0123456789"


def mixed(shown: Shown) -> Shown:
    """Look-alikes are Latin in a word with a Latin letter of ASCII."""
    out: Shown = []
    for is_word, word in itertools.groupby(shown, lambda at: in_word(at[0])):
        characters = list(word)
        if is_word and any("a" <= character.lower() <= "z" for character, _ in characters):
            characters = [(LOOK_ALIKES.get(character, character), place) for character, place in characters]
        out += characters
    return out


def unpiled(shown: Shown) -> Shown:
    """Two accents or more on a letter of ASCII are dropped."""
    out: Shown = []
    for is_mark, some in itertools.groupby(shown, lambda at: unicodedata.category(at[0]) == "Mn"):
        characters = list(some)
        if not (is_mark and len(characters) >= 2 and out and "a" <= out[-1][0] <= "z"):
            out += characters
    return out


def is_han(shown: Shown, number: int) -> bool:
    return 0 <= number < len(shown) and unicodedata.name(shown[number][0], "").startswith("CJK UNIFIED")


def ideographs_together(shown: Shown) -> Shown:
    def single(number: int) -> bool:
        return is_han(shown, number) and not is_han(shown, number - 1) and not is_han(shown, number + 1)

    def members(start: int, gap: str) -> list[int]:
        """Single ideographs from `start` on, each parted from the next by `gap`."""
        found = [start]
        while single(found[-1] + len(gap) + 1):
            between = [character for character, _ in shown[found[-1] + 1 : found[-1] + len(gap) + 1]]
            if "".join(between) != gap:
                break
            found.append(found[-1] + len(gap) + 1)
        return found

    out: Shown = []
    number = 0
    while number < len(shown):
        run = [number]
        if single(number):
            while (more := max(members(run[-1], " "), members(run[-1], "  "), key=len)[1:2]) != []:
                run += more
            if len(run) < 3:
                run = max((members(number, sign) for sign in ".·*-_~|"), key=len)
                run = run if len(run) >= 4 else [number]
        out += [shown[member] for member in run]
        number = run[-1] + 1
    return out


def letters_together(shown: Shown) -> Shown:
    def single(number: int) -> bool:
        if not (0 <= number < len(shown) and "a" <= shown[number][0] <= "z"):
            return False
        around = shown[max(0, number - 1) : number] + shown[number + 1 : number + 2]
        return not any(in_word(character) or character == "_" for character, _ in around)

    out: Shown = []
    number = 0
    while number < len(shown):
        run = [number]
        if single(number):
            while single(run[-1] + 2) and shown[run[-1] + 1][0] == " ":
                run.append(run[-1] + 2)
        spells = 4 <= len(run) <= 64 and len({shown[member][0] for member in run}) > 1
        out += [shown[member] for member in run] if spells else shown[number : run[-1] + 1]
        number = run[-1] + 1
    return out


def spaced(character: str) -> bool:
    """Whether a character continues a word: letters of spaced scripts and their accents, digits, underscore."""
    return character == "_" or character.isdigit() or in_word(character)


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
