"""Terms and groups as authors write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pointsman.domain.extract import KINDS
from pointsman.domain.rule import Group, Term, TermKind
from pointsman.domain.said import Said, said
from pointsman.rules.extracts import TAGS
from pointsman.rules.fields import Notes, must_be
from pointsman.rules.fold import fold
from pointsman.rules.regex import BadRegex, compile_regex
from pointsman.rules.slots import QUESTION
from pointsman.rules.template import BadTemplate, Template
from pointsman.rules.terms import term_key

_KINDS: dict[str, TermKind] = {
    "regex": "regex", "extension": "extension", "whole": "whole", "word": "word", "extract": "extract",
    "template": "template",
}  # fmt: skip
_TERM_FORMS = said(
    'a text, {{regex: …}}, {{extension: .py}}, {{whole: "hi"}}, {{extract: amount}}, {{template: …}}',
    '文本、{{regex: …}}、{{extension: .py}}、{{whole: "hi"}}、{{extract: amount}}、{{template: …}}',
)
_SINGLE_LEVEL = said(
    "rules are single-level: write a second rule and let `priority` order the two",
    "规则只有一层，请另写一条规则，用 `priority` 排先后",
)
Slots = Mapping[str, tuple[str, ...]]
"""What the slots of templates may hold, by name."""
_NESTING = ("when", "all", "none")
NARROWED = ("period", "amount", "file", "code", "sql")
CURRENCIES = ("CNY", "USD", "EUR", "GBP", "JPY", "HKD")
GRAINS = ("day", "week", "month", "quarter", "half", "year", "range")
VERBS = (
    "select", "insert", "update", "delete", "create", "alter", "drop", "truncate", "grant", "revoke", "merge", "exec",
    "pragma",
)  # fmt: skip


def nested() -> Said:
    """What is said of a condition inside a condition."""
    return said("nested condition; {rule}", "条件不能嵌套；{rule}", rule=_SINGLE_LEVEL)


def read_term(notes: Notes, path: str, value: Any, slots: Slots | None = None) -> Term | None:
    """A word, or a mapping of one kind to its value."""
    if not isinstance(value, dict):
        if isinstance(value, list):
            message = said("is a list inside a list; {rule}", "是列表里的列表；{rule}", rule=_SINGLE_LEVEL)
            notes.wrong(path, message, _TERM_FORMS)
            return None
        text = notes.text(path, value)
        return None if text is None else make_term(notes, path, "word", text)
    if "extract" in value:
        return _read_extract(notes, path, value)
    nesting = [key for key in (*_NESTING, "any", "of", "at_least") if key in value]
    if nesting:
        notes.wrong(f"{path}.{nesting[0]}", nested(), _TERM_FORMS)
        return None
    if len(value) != 1:
        notes.wrong(path, said("a term has exactly one kind", "一个词只能是一种"), _TERM_FORMS)
        return None
    [(name, content)] = value.items()
    if name not in _KINDS:
        notes.unknown_keys(path, value, _KINDS)
        return None
    text = notes.text(f"{path}.{name}", content)
    return None if text is None else make_term(notes, f"{path}.{name}", _KINDS[name], text, slots)


def _read_extract(notes: Notes, path: str, value: dict[Any, Any]) -> Term | None:
    notes.unknown_keys(path, value, ("extract", "of"))
    names = notes.names(f"{path}.extract", value["extract"], KINDS)
    if names is None or len(names) != 1:
        return None
    [name] = names
    if "of" not in value:
        return Term("extract", name)
    of = (value["of"],) if isinstance(value["of"], str) else notes.texts(f"{path}.of", value["of"])
    if name not in NARROWED:
        notes.wrong(f"{path}.of", said("{name} has no kinds", "{name} 不再细分", name=name), ", ".join(NARROWED))
        return None
    closed = {"amount": CURRENCIES, "period": GRAINS, "sql": (*VERBS, *TAGS["sql"])}.get(name)
    narrowed = tuple(each.strip().lstrip(".") for each in of)
    narrowed = tuple(each.upper() if name == "amount" else each.lower() for each in narrowed)
    if closed and not notes.names(f"{path}.of", list(narrowed), closed):
        return None
    return Term("extract", name, narrowed) if narrowed else None


def make_term(notes: Notes, path: str, kind_: TermKind, text: str, slots: Slots | None = None) -> Term | None:
    """Check the value of a term. An extension may be written without its dot; `slots` are what a template's may hold."""
    if kind_ == "regex":
        try:
            compile_regex(text)
        except BadRegex as error:
            reason = error.args[0]
            notes.wrong(
                path, said("bad regex {text!r}: {reason}", "正则 {text!r} 有误：{reason}", text=text, reason=reason)
            )
            return None
        return Term("regex", text)
    if kind_ == "template":
        try:
            Template(text, slots or {})
        except BadTemplate as error:
            reason = error.args[0]
            notes.wrong(path, said("template {text!r} {reason}", "模板 {text!r} {reason}", text=text, reason=reason))
            return None
        return Term("template", text, slots=dict(slots or {}))
    text = text.strip()
    if not fold(text).text.strip():
        notes.wrong(path, said("holds nothing that can be seen", "没有任何看得见的字符"))
        return None
    if kind_ == "extension":
        if any(character.isspace() for character in text) or text.strip(".") == "":
            message = said("{text!r} is no file extension", "{text!r} 不是文件扩展名", text=text)
            notes.wrong(path, message, said("such as .py", "如 .py"))
            return None
        text = text if text.startswith(".") else f".{text}"
    return Term(kind_, text)


def read_terms(notes: Notes, path: str, value: Any, slots: Slots | None = None) -> tuple[Term, ...]:
    """A list of terms, or one term alone."""
    if isinstance(value, str):
        value = [value]
    items = enumerate(notes.sequence(path, value) or ())
    terms = [read_term(notes, f"{path}[{place}]", item, slots) for place, item in items]
    return tuple(term for term in terms if term is not None)


def distinct(terms: tuple[Term, ...]) -> int:
    """How many terms differ once folded."""
    return len({term_key(term) for term in terms})


def read_group(notes: Notes, path: str, value: Any, name: str, slots: Slots | None = None) -> Group | None:
    """One member of `all`: {any: [...]}, {at_least: k, of: [...]} or a term; each may carry `as: name`."""
    if isinstance(value, dict) and "as" in value:
        value = dict(value)
        name = _read_name(notes, f"{path}.as", value.pop("as")) or name
    if isinstance(value, dict) and any(key in value for key in _NESTING):
        key = next(key for key in _NESTING if key in value)
        forms = said("any, at_least with of, a term", "any、at_least 加 of，或一个词")
        notes.wrong(f"{path}.{key}", nested(), forms)
        return None
    if isinstance(value, dict) and "any" in value:
        notes.unknown_keys(path, value, ("any", "as"))
        terms = read_terms(notes, f"{path}.any", value["any"], slots)
        return Group(name, terms) if terms else None
    if isinstance(value, dict) and ("of" in value or "at_least" in value) and "extract" not in value:
        return _read_at_least(notes, path, value, name, slots)
    if isinstance(value, dict) and not any(key in _KINDS for key in value):
        valid = ("any", "at_least", "of", "as", *_KINDS)
        if value:
            notes.unknown_keys(path, value, valid)
        else:
            notes.wrong(path, must_be(said("a group or a term", "词组或词"), value), ", ".join(valid))
        return None
    term = read_term(notes, path, value, slots)
    return None if term is None else Group(name, (term,))


def _read_at_least(notes: Notes, path: str, value: dict[Any, Any], name: str, slots: Slots | None) -> Group | None:
    notes.unknown_keys(path, value, ("at_least", "of", "as"))
    for key in ("at_least", "of"):
        if key not in value:
            message = said(
                "`at_least` and `of` belong together, `{key}` is missing",
                "`at_least` 和 `of` 要一起写，缺少 `{key}`",
                key=key,
            )
            notes.wrong(path, message)
            return None
    before = len(notes.problems)
    terms = read_terms(notes, f"{path}.of", value["of"], slots)
    if len(notes.problems) > before:
        return None
    least = notes.number(f"{path}.at_least", value["at_least"], 1, distinct(terms))
    return None if least is None else Group(name, terms, least)


def _read_name(notes: Notes, path: str, value: Any) -> str | None:
    text = notes.text(path, value)
    if text is None:
        return None
    if not text.isidentifier() or text == QUESTION:
        message = said("{text!r} cannot name a slot", "{text!r} 不能作占位符的名字", text=text)
        valid = said(
            "letters, digits and underscores, not `{question}`",
            "字母、数字和下划线，不能是 `{question}`",
            question=QUESTION,
        )
        notes.wrong(path, message, valid)
        return None
    return text
