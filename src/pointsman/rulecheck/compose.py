"""Texts made to hold some terms and not others: the terms stand apart, each a clause of its own, so that no other term
occurs across two of them and no negator reaches from one into the next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pointsman.rulecheck.lexicon import Lexicon

_NEGATORS = (("不", "no "), ("不要", "don't "), ("别", "not "))


def composed(lexicon: Lexicon, terms: Sequence[int], negated: Sequence[int], fallback: Sequence[str]) -> Iterator[str]:
    """Texts in which `terms` occur and, each behind a negator, `negated`; the plainest first, the safest last. Nothing
    where no text is known in which one of the terms occurs. `fallback`: texts that may stand for a rule without terms."""
    pieces = []
    for number in terms:
        shown = _shown(lexicon, number)
        if shown is None:
            return
        pieces.append(shown)
    shown_negated = [_shown(lexicon, number) for number in negated]
    if any(shown is None for shown in shown_negated):
        return
    known = [shown for shown in shown_negated if shown is not None]
    ascii_only = all(piece.isascii() for piece in (*pieces, *known)) and bool(pieces or known)
    comma, filler = (lexicon.ascii_comma, lexicon.ascii_filler) if ascii_only else (lexicon.comma, lexicon.filler)
    if not pieces and not known:
        yield from fallback
        pieces = [filler]
    for zh, en in _NEGATORS if known else _NEGATORS[:1]:
        clauses = [*((en if piece.isascii() else zh) + piece for piece in known), *pieces]
        yield comma.join(clauses)
        yield comma.join([filler, *clauses, filler])
        if len(clauses) > 1:  # several single letters in a row would be read as a word spelt out
            yield f"{comma}{filler}{comma}".join(["", *clauses, ""]).strip(comma)


def fitting(lexicon: Lexicon, text: str, language: frozenset[str], characters: int) -> Iterator[str]:
    """The text, made longer or of another language by words that say nothing."""
    if "zh" in language:
        yield text + lexicon.comma + lexicon.filler * 12
    if "en" in language or "other" in language:
        yield text + lexicon.ascii_comma + " ".join([lexicon.ascii_filler] * 8)
    if characters > len(text):
        missing = characters - len(text)
        for comma, filler in ((lexicon.comma, lexicon.filler), (lexicon.ascii_comma, lexicon.ascii_filler + " ")):
            longer = text + (comma + filler * missing)[:missing].rstrip()
            yield longer + filler.strip()[-1:] * (characters - len(longer))


def _shown(lexicon: Lexicon, number: int) -> str | None:
    if lexicon.is_opaque(number):
        return next(iter(lexicon.snippets(number)), None)
    return lexicon.terms[number].value.strip()
