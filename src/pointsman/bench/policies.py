"""Random rules and texts, the same ones at each run: for rule counts that nobody has written."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from pointsman.domain.rule import Conditions, Group, Rule, Term
from pointsman.rules.fold import fold

_HAN = "".join(character for step in range(600) if fold(character := chr(0x4E00 + 7 * step)).text == character)
"""Some ideographs, none of them one that folding takes for another: peers do not fold."""
_COMMON = """
a about after all also an and any are as at be because before but by can could do for from had has have how if in into is it
its just like made many may more most much must no now of on one only or other our out over same see should so some such take
than that the their them then there these they this time to two up use very was we were what when where which who will with
would you your
""".split()  # noqa: SIM905
_WORDS = """
access account approve archive audit backup balance budget calendar chart client cluster contract customer database
delivery deploy device disk driver export forecast gateway holiday import index inventory invoice kernel laptop ledger
licence login memory meeting monitor network notice office order password payment payroll policy printer profile project
quarter queue receipt refund region release report reset review sales schedule schema server shift ship socket stock
storage supplier table tariff ticket token training travel update upload vendor version voucher warehouse
""".split()  # noqa: SIM905


@dataclass(frozen=True)
class Need:
    """At least `least` of `words` and `patterns` (regular expressions) must occur."""

    least: int
    words: tuple[str, ...]
    patterns: tuple[str, ...] = ()


@dataclass(frozen=True)
class Plain:
    """A rule without a name for anything: when all `needs` hold and none of `never` occurs. Of two that hold the higher
    `priority` wins, of equals the earlier one. Words are lower case; one in Latin letters stands between such letters or
    digits of no other word, a Chinese one anywhere."""

    id: str
    priority: int
    needs: tuple[Need, ...]
    never: tuple[str, ...]


def random_rules(count: int, seed: int = 1) -> tuple[list[Plain], list[str]]:
    """The rules and the words that they are made of. One in twenty has a pattern too."""
    chance = random.Random(seed)  # noqa: S311
    vocabulary = max(300, 2 * count)
    chinese = sorted({"".join(chance.choices(_HAN, k=chance.choice((2, 2, 2, 3, 4)))) for _ in range(vocabulary)})
    latin = [*_WORDS, *(f"{chance.choice(_WORDS)}{number}" for number in range(vocabulary // 4))]
    words = [*chinese, *latin]
    rules = []
    for number in range(count):
        needs: tuple[Need, ...] = (
            Need(chance.choice((1, 2)), tuple(chance.sample(words, 5))),
            Need(1, tuple(chance.sample(words, 8))),
        )
        if number % 20 == 0:
            needs = (*needs, Need(1, (), (rf"{chance.choice(chinese)}[0-9]+",)))
        rules.append(Plain(f"r{number}", chance.randint(0, 100), needs, tuple(chance.sample(words, 2))))
    return rules, words


def random_text(length: int, words: list[str], chance: random.Random) -> str:
    """So many characters of Chinese and some English prose; now and then a word of the rules, with a number or without."""
    parts: list[str] = []
    size = 0
    while size < length:
        draw = chance.random()
        if draw < 0.01:
            part = f" {chance.choice(words)} "
        elif draw < 0.013:
            part = f"{chance.choice(words)}{chance.randint(1, 99)} "
        elif draw < 0.15:
            part = f" {chance.choice(_COMMON)} "
        else:
            part = chance.choice(_HAN)
        parts.append(part)
        size += len(part)
    return "".join(parts)[:length]


def random_texts(count: int, length: int, words: list[str], seed: int = 2) -> list[str]:
    chance = random.Random(seed)  # noqa: S311
    return [random_text(length, words, chance) for _ in range(count)]


def as_rules(plain: list[Plain]) -> list[Rule]:
    """As the gateway's own; negation plays no part in them."""
    return [
        Rule(
            rule.id,
            "bench",
            rule.priority,
            tuple(_group(number, need) for number, need in enumerate(rule.needs)),
            tuple(Term("word", word) for word in rule.never),
            Conditions(),
            "answer",
            negatable=False,
        )
        for rule in plain
    ]


def as_yaml_rules(plain: list[Plain]) -> list[dict[str, object]]:
    """As a person would write them in a rule file, with cases: for these each group also has words of its rule's own."""
    return [_as_yaml(rule) for rule in plain]


def _as_yaml(rule: Plain) -> dict[str, object]:
    own = [f"{rule.id}x{number}" for number in range(max(need.least for need in rule.needs))]
    example = " ".join(own)
    return {
        "id": rule.id,
        "priority": rule.priority,
        "negation": "ignore",
        "when": {
            "all": [
                {"at_least": need.least, "of": [*need.words, *({"regex": pattern} for pattern in need.patterns), *own]}
                for need in rule.needs
            ],
            "none": list(rule.never),
        },
        "answer": "ok",
        "examples": [example],
        "counter_examples": [rule.id],
        "boundary": [{"text": f"{example} {rule.never[0]}", "takes": False, "why": "an excluded word"}],
    }


def _group(number: int, need: Need) -> Group:
    words = tuple(Term("word", word) for word in need.words)
    patterns = tuple(Term("regex", pattern) for pattern in need.patterns)
    return Group(f"g{number}", words + patterns, need.least)


def hopeless(length: int) -> Iterator[tuple[str, list[Plain], str]]:
    """Texts of that many characters that are full of nested words of the rules, and none of which a rule takes: a name, the
    rules, the text."""
    base = _HAN[:80]
    never = Need(1, ("永不出现的词",))
    prefixes = [Plain(f"n{end}", 50, (Need(1, (base[:end],)), never), ()) for end in range(1, 81)]
    yield "80 rules of nested prefixes", prefixes, (base * (length // len(base) + 1))[:length]
    repeated = tuple("哈" * size for size in range(1, 81))
    groups = [Plain(f"g{size}", 50, (Need(2, repeated), Need(1, (f"永不{size}号",))), ()) for size in range(80)]
    yield "80 rules of one repeated character", groups, "哈" * length
    latin = [Plain(f"a{size}", 50, (Need(1, ("ab" * size,)), never), ()) for size in range(1, 81)]
    yield "80 rules of repeated letters", latin, "ab" * (length // 2)
