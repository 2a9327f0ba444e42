"""Ways of asking whose numbers need a second look: bases, functions given first, sums with an ellipsis."""

from __future__ import annotations

import itertools

from pointsman.calculation import builders as make
from pointsman.calculation.asking import Ask, Build, Slots, pattern
from pointsman.calculation.english_numbers import NUMBERS
from pointsman.calculation.expressions import Reader
from pointsman.calculation.tree import Node, NotUnderstood, Problem, apply, num, sym
from pointsman.domain.said import Said, said

_BASE_WORDS = {
    "二进制": 2,
    "八进制": 8,
    "十进制": 10,
    "十六进制": 16,
    "binary": 2,
    "octal": 8,
    "decimal": 10,
    "hexadecimal": 16,
    "hex": 16,
}


def zeros(reader: Reader, slots: Slots) -> Problem | None:
    return make.solving((apply("eq", reader.expr(slots["e"]), num(0)),))


def fraction(reader: Reader, slots: Slots) -> Problem | None:
    """30是120的几分之几."""
    return Problem("value", (apply("div", reader.constant(slots["a"]), reader.constant(slots["b"])),))


def whole(reader: Reader, slots: Slots) -> Problem | None:
    """Of which number b, a percentage or fraction, is a."""
    part, rate = reader.constant(slots["a"]), reader.constant(slots["b"])
    if rate.op not in ("percent", "div", "permille"):
        raise NotUnderstood(Said("a percentage or fraction is needed", "需要百分数或分数"))
    return Problem("whole", (part, rate))


def before_discount(reader: Reader, slots: Slots) -> Problem | None:
    problem = make.discount(reader, slots)
    assert problem is not None
    return Problem("value", (apply("div", *problem.nodes),))


def based(base: int) -> Build:
    """…in binary: the number may be given in another base itself (0xff, 十六进制FF, binary 1011)."""

    def build(reader: Reader, slots: Slots) -> Problem | None:
        written = slots["e"].removeprefix("数").strip()
        for word, given in _BASE_WORDS.items():
            for place in (f"{word}数", f"{word}的", f"{word} number", word):
                if written.lower().startswith(place):
                    return Problem("base", (make.in_base(written[len(place) :].strip(" :的"), given),), base=base)
                if written.lower().endswith(f"({word})") or written.lower().endswith(f" {word}"):
                    cut = written[: -len(word)].rstrip(" (").rstrip(")")
                    return Problem("base", (make.in_base(cut.strip(), given),), base=base)
        node = reader.constant(written)
        if any(part.op in ("unit", "quantity") for part in node.walk()):
            raise NotUnderstood(Said("a number is needed", "需要一个数"))
        return Problem("base", (node,), base=base)

    return build


def stated_base(reader: Reader, slots: Slots) -> Problem | None:
    """十六进制FF是多少, binary 1011: in decimal."""
    return Problem("base", (make.in_base(slots["e"], _BASE_WORDS[slots["base"].lower()]),), base=10)


def rounded(reader: Reader, slots: Slots) -> Problem | None:
    written = slots["k"].lower()
    if not written.isdigit() and written not in NUMBERS:
        raise NotUnderstood(said("“{it}” is no number of places", "“{it}”不是位数", it=written[:20]))
    places = int(written) if written.isdigit() else NUMBERS[written]
    if places > 50:
        raise NotUnderstood(Said("more than 50 decimal places", "超过 50 位小数"))
    return Problem("value", (reader.constant(slots["e"]),), digits=places)


def ellipsis(reader: Reader, slots: Slots) -> Problem | None:
    """1+3+5+…+99: two terms at least that tell the step, and a last one that it leads to."""
    terms = [reader.constant(term) for term in slots["e"].split("+")]
    last = reader.constant(slots["b"])
    if len(terms) < 2 or not all(node.op == "num" and node.text.isdigit() for node in (*terms, last)):
        raise NotUnderstood(Said("the rule of this sum is not clear", "看不出这个和的规律"))
    numbers = [int(node.text) for node in terms]
    step = numbers[1] - numbers[0]
    gaps = {b - a for a, b in itertools.pairwise(numbers)}
    count, over = divmod(int(last.text) - numbers[0], step) if step else (0, 1)
    if gaps != {step} or over or count < len(numbers) - 1 or (len(numbers) == 2 and step != 1 and step != 2):
        raise NotUnderstood(Said("the rule of this sum is not clear", "看不出这个和的规律"))
    term: Node = sym("k")
    if step != 1 or numbers[0] != 1:
        term = apply("add", num(numbers[0]), apply("mul", num(step), apply("sub", sym("k"), num(1))))
    return Problem("value", (apply("sum", term, sym("k"), num(1), num(count + 1)),))


def defined(reader: Reader, slots: Slots) -> Problem | None:
    """f(x) = x^2+1, f(3): what follows is read with f known."""
    from pointsman.calculation.asks_en import ASKS as ENGLISH
    from pointsman.calculation.asks_zh import ASKS as CHINESE

    if slots["f"] in reader.functions:
        raise NotUnderstood(said("{f} is given twice", "{f} 给出了两次", f=slots["f"]))
    body = reader.expr(slots["e"])
    reader.functions[slots["f"]] = (slots["v"], body)
    first: NotUnderstood | None = None
    for ask in (*CHINESE, *ENGLISH):
        if ask.build is defined:
            continue
        for inner in ask.slots(slots["b"]):
            try:
                problem = ask.build(reader, inner)
            except NotUnderstood as error:
                first = first or error
                continue
            if problem is not None:
                return problem
    raise first or NotUnderstood(Said("what is asked of it is not clear", "不清楚要求什么"))


ASKS = [
    Ask(
        pattern(
            r"(?:已知|设|若|令|对于|let|if|given(?: that)?|for|suppose|函数|function|the)* ?(?P<f>[fghFG]) ?\( ?(?P<v>[a-z]) ?\) ?= ?<e> ?"
            r"(?:[,;]|then|则|那么|,? ?求|,? ?计算|,? ?find|,? ?what is)+ ?(?P<b>(?:.*[fghFG] ?'* ?\(.*|.*[fghFG]'.*))"
        ),
        defined,
    ),
    Ask(
        pattern(
            r"(?:把|将|convert|what is)? ?(?P<base>二进制|八进制|十六进制|binary|octal|hexadecimal|hex)(?:数| number)? ?(?P<e>[0-9a-f ]+?) ?"
            r"(?:是多少|等于多少|等于|是几|(?:转换为|转换成|转成|转|化为|化成|换成)?(?:十进制)(?:数)?(?:是多少)?|(?:to|in) decimal)?"
        ),
        stated_base,
    ),
]
