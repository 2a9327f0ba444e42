"""Terms and groups as authors write them."""

from __future__ import annotations

from typing import Any

from pointsman.domain.rule import Group, Term, TermKind
from pointsman.rules.fields import Notes, kind
from pointsman.rules.fold import fold
from pointsman.rules.regex import BadRegex, compile_regex
from pointsman.rules.slots import QUESTION
from pointsman.rules.terms import term_key

_KINDS: dict[str, TermKind] = {"regex": "regex", "extension": "extension", "whole": "whole", "word": "word"}
TERM_FORMS = 'a text, {regex: …}, {extension: .py}, {whole: "hi"}'
NESTED = "rules are single-level: write a second rule and let `priority` order the two"
_NESTING = ("when", "all", "none")


def read_term(notes: Notes, path: str, value: Any) -> Term | None:
    """A word, or a mapping of one kind to its value."""
    if not isinstance(value, dict):
        if isinstance(value, list):
            notes.wrong(path, f"is a list inside a list; {NESTED}", TERM_FORMS)
            return None
        text = notes.text(path, value)
        return None if text is None else make_term(notes, path, "word", text)
    nesting = [key for key in (*_NESTING, "any", "of", "at_least") if key in value]
    if nesting:
        notes.wrong(f"{path}.{nesting[0]}", f"nested condition; {NESTED}", TERM_FORMS)
        return None
    if len(value) != 1:
        notes.wrong(path, "a term has exactly one kind", TERM_FORMS)
        return None
    [(name, content)] = value.items()
    if name not in _KINDS:
        notes.unknown_keys(path, value, _KINDS)
        return None
    text = notes.text(f"{path}.{name}", content)
    return None if text is None else make_term(notes, f"{path}.{name}", _KINDS[name], text)


def make_term(notes: Notes, path: str, kind_: TermKind, text: str) -> Term | None:
    """Check the value of a term. An extension may be written without its dot."""
    if kind_ == "regex":
        try:
            compile_regex(text)
        except BadRegex as error:
            notes.wrong(path, f"bad regex {text!r}: {error}")
            return None
        return Term("regex", text)
    text = text.strip()
    if not fold(text).text.strip():
        notes.wrong(path, "holds nothing that can be seen")
        return None
    if kind_ == "extension":
        if any(character.isspace() for character in text) or text.strip(".") == "":
            notes.wrong(path, f"{text!r} is no file extension", "such as .py")
            return None
        text = text if text.startswith(".") else f".{text}"
    return Term(kind_, text)


def read_terms(notes: Notes, path: str, value: Any) -> tuple[Term, ...]:
    """A list of terms, or one term alone."""
    if isinstance(value, str):
        value = [value]
    terms = [read_term(notes, f"{path}[{place}]", item) for place, item in enumerate(notes.sequence(path, value) or ())]
    return tuple(term for term in terms if term is not None)


def distinct(terms: tuple[Term, ...]) -> int:
    """How many terms differ once folded."""
    return len({term_key(term) for term in terms})


def read_group(notes: Notes, path: str, value: Any, name: str) -> Group | None:
    """One member of `all`: {any: [...]}, {at_least: k, of: [...]} or a term; each may carry `as: name`."""
    if isinstance(value, dict) and "as" in value:
        value = dict(value)
        name = _read_name(notes, f"{path}.as", value.pop("as")) or name
    if isinstance(value, dict) and any(key in value for key in _NESTING):
        key = next(key for key in _NESTING if key in value)
        notes.wrong(f"{path}.{key}", f"nested condition; {NESTED}", "any, at_least with of, a term")
        return None
    if isinstance(value, dict) and "any" in value:
        notes.unknown_keys(path, value, ("any", "as"))
        terms = read_terms(notes, f"{path}.any", value["any"])
        return Group(name, terms) if terms else None
    if isinstance(value, dict) and ("of" in value or "at_least" in value):
        return _read_at_least(notes, path, value, name)
    if isinstance(value, dict) and not any(key in _KINDS for key in value):
        valid = ("any", "at_least", "of", "as", *_KINDS)
        if value:
            notes.unknown_keys(path, value, valid)
        else:
            notes.wrong(path, f"must be a group or a term, not {kind(value)}", ", ".join(valid))
        return None
    term = read_term(notes, path, value)
    return None if term is None else Group(name, (term,))


def _read_at_least(notes: Notes, path: str, value: dict[Any, Any], name: str) -> Group | None:
    notes.unknown_keys(path, value, ("at_least", "of", "as"))
    for key in ("at_least", "of"):
        if key not in value:
            notes.wrong(path, f"`at_least` and `of` belong together, `{key}` is missing")
            return None
    before = len(notes.problems)
    terms = read_terms(notes, f"{path}.of", value["of"])
    if len(notes.problems) > before:
        return None
    least = notes.number(f"{path}.at_least", value["at_least"], 1, distinct(terms))
    return None if least is None else Group(name, terms, least)


def _read_name(notes: Notes, path: str, value: Any) -> str | None:
    text = notes.text(path, value)
    if text is None:
        return None
    if not text.isidentifier() or text == QUESTION:
        notes.wrong(path, f"{text!r} cannot name a slot", f"letters, digits and underscores, not `{QUESTION}`")
        return None
    return text
