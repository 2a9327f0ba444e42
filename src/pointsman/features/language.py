"""Which language a reply should be written in."""

from __future__ import annotations

import re2

from pointsman.domain.features import Language

_HAN = re2.compile(r"[\p{Han}]")
_OTHER_SCRIPT = re2.compile(
    r"[\p{Hiragana}\p{Katakana}\p{Hangul}\p{Cyrillic}\p{Arabic}\p{Hebrew}\p{Thai}\p{Devanagari}\p{Greek}\p{Bengali}\p{Tamil}]"
)
_WORD = re2.compile(r"[A-Za-z\x{C0}-\x{24F}]+")
_MARKED = re2.compile(r"[àâãçèéêëîïñôõùûœäöüßáíóúıışğąćęłńśźżčřšžěůőű¿¡]")
# Words that are common in one Latin-script language and rare in English text.
_FOREIGN = frozenset(
    [
        "bonjour",
        "merci",
        "vous",
        "nous",
        "est",
        "pas",
        "une",
        "les",
        "des",
        "dans",
        "pour",
        "avec",
        "que",
        "qui",
        "quoi",
        "comment",
        "pouvez",
        "peux",
        "puis",
        "der",
        "die",
        "das",
        "und",
        "ist",
        "nicht",
        "ich",
        "sie",
        "wir",
        "ein",
        "eine",
        "bitte",
        "wie",
        "kann",
        "mit",
        "auf",
        "danke",
        "guten",
        "el",
        "los",
        "las",
        "una",
        "para",
        "con",
        "por",
        "cómo",
        "como",
        "puedo",
        "puedes",
        "gracias",
        "hola",
        "esta",
        "esto",
        "qué",
        "porque",
        "você",
        "não",
        "uma",
        "obrigado",
        "olá",
        "são",
        "posso",
        "fazer",
        "isso",
        "della",
        "che",
        "non",
        "sono",
        "come",
        "posso",
        "grazie",
        "ciao",
        "perché",
        "het",
        "een",
        "niet",
        "van",
        "ik",
        "jij",
        "kunt",
        "hoe",
        "dit",
        "dat",
        "bedankt",
        "det",
        "inte",
        "och",
        "jag",
        "hur",
        "kan",
        "nie",
        "jest",
        "jak",
        "czy",
        "proszę",
    ]
) - frozenset(["die", "como", "con", "per", "pour", "kan", "dat"])
# Words of English that are rare elsewhere: beside them a marked letter is a loanword's (naïve, résumé) or a name's.
_ENGLISH = frozenset(
    "the you your my are what how and of to for with this that can does need needs has have from please explain write would "
    "should could why when where here there it its new at be which who they we our some about".split()
)
_SAMPLE = 600


def language_of(text: str) -> Language:
    """`zh` where Chinese characters are at least as many as Latin words; `other` for another script or for Latin text
    that shows another language; else `en` (code, digits and emoji alone included)."""
    sample = text[:_SAMPLE]
    if sample.isascii():
        return "other" if _foreign(sample) else "en"
    han = len(_HAN.findall(sample))
    other = len(_OTHER_SCRIPT.findall(sample))
    words = len(_WORD.findall(sample))
    if other > 2 * words or (other and other * 4 > han + words):
        return "other" if other * 4 > han else "zh"
    if han and han >= words:
        return "zh"
    return "other" if _foreign(sample) else "en"


def _foreign(sample: str) -> bool:
    words = [word.strip(".,!?;:'\"()") for word in sample.lower().split()]
    hits = sum(word in _FOREIGN for word in words)
    if hits * 5 > len(words):
        return True
    marked = 0 if sample.isascii() else sum(_MARKED.search(word) is not None for word in words)
    if not marked or sum(word in _ENGLISH for word in words) > hits + marked:
        return False
    return hits > 0 or marked * 8 >= len(words)
