"""A function and what it is of: sin^2 x, log_2(8), gcd of 12 and 18, max(1, 2)."""

from __future__ import annotations

from pointsman.calculation.parser import ADD, INFIX, MUL, NEG, POST, POW, Parser
from pointsman.calculation.tree import Node, NotUnderstood, apply, num
from pointsman.calculation.words import ARITY, INVERSE, LISTS, TRIG
from pointsman.domain.said import Said, said

CLOSING = {"(": ")", "[": "]", "{": "}", "⌊": "⌋", "⌈": "⌉"}


def function(parser: Parser, name: str) -> Node:
    power: Node | None = None
    base: Node | None = None
    while parser.peek.kind == "op" and parser.peek.text in ("^", "_"):
        if parser.next().text == "^":
            power = parser.script()
        elif name == "log":
            base = parser.script()
        else:
            raise parser.lost()
    if power is not None and power == apply("neg", num(1)):
        if name not in INVERSE:
            raise parser.lost()
        name, power = INVERSE[name], None
    if parser.peek.kind == "open" and parser.peek.text in "([{" and name not in ("half", "twice", "thrice"):
        least, most = ARITY.get(name, (1, 1))
        items = arguments(parser, least, most)
    elif name in LISTS:
        items = items_of(parser)
    else:
        parser.takes("of", "of")
        items = [_argument(parser, name)]
    node = _made(parser, name, items, base)
    return apply("pow", node, power) if power is not None else node


def _made(parser: Parser, name: str, items: list[Node], base: Node | None) -> Node:
    if name == "log":
        if len(items) == 2:
            return apply("log_base", items[0], items[1])
        if base is not None:
            return apply("log_base", items[0], base)
        parser.note("ln" if parser.calculus else "log10")
        return apply("ln" if parser.calculus else "lg", items[0])
    if name in TRIG and _is_bare_number(items[0]):
        parser.note("radians")
    simple = {"half": ("div", 2), "twice": ("mul", 2), "thrice": ("mul", 3)}
    if name in simple:
        return apply(simple[name][0], items[0], num(simple[name][1]))
    if name == "reciprocal":
        return apply("div", num(1), items[0])
    if name in ("variance", "stdev"):
        parser.note("population")
    renamed = {"factorial": "fact", "power": "pow", "modulo": "mod"}
    return apply(renamed.get(name, name), *items)


def _is_bare_number(node: Node) -> bool:
    return node.op == "num" and "." not in node.text and node.text != "0"


def arguments(parser: Parser, least: int = 2, most: int = 2) -> list[Node]:
    """(a, b, …), also in square brackets and braces."""
    opening = parser.next().text
    items = []
    if parser.peek.kind == "open" and parser.peek.text == "[" and most > 2:  # mean([1, 2])
        items = arguments(parser, least, most)
    elif opening == "[" and least == 1 and most == 1:  # det[[1,2],[3,4]]
        parser.at -= 1
        return [parser.expr(POST)]
    else:
        items.append(parser.expr())
        while parser.takes("comma"):
            items.append(parser.expr())
    parser.expect("close", CLOSING[opening])
    if not least <= len(items) <= most:
        en, zh = "a function takes {least} to {most} values here", "这个函数需要 {least} 到 {most} 个值"
        raise NotUnderstood(said(en, zh, least=least, most=most))
    return items


def _argument(parser: Parser, name: str) -> Node:
    """Without brackets: sin 2x is sin(2x), sin x cos x is a product, √ and ln of a power take it whole."""
    if name in (
        "sqrt",
        "cbrt",
        "half",
        "twice",
        "thrice",
        "reciprocal",
        "factorial",
        "abs",
        "det",
        "inverse",
        "transpose",
    ):
        node = parser.expr(POW)
        following = parser.peek
        if following.kind == "op" and following.text in INFIX and INFIX[following.text] in (ADD, MUL):
            parser.note("application")
        return node
    node = parser.expr(NEG)
    while parser.peek.kind in ("name", "const") or (parser.peek.kind == "op" and parser.peek.text == "√"):
        if parser.peek.text == "d" and parser.ahead().text == "/":
            break
        node = apply("mul", node, parser.expr(MUL + 1))
    if parser.peek.kind == "open" and node.op in ("num", "const") and not parser.peek.spaced:
        node = apply("mul", node, parser.expr(MUL + 1))
    return node


def items_of(parser: Parser) -> list[Node]:
    """1, 2 and 3; also in one bracket."""
    if parser.peek.kind == "open":
        first = parser.expr(ADD)
        if first.op == "list":
            return list(first.args)
        items = [first]
    else:
        items = [parser.expr(ADD)]
    while parser.peek.kind in ("comma", "and"):
        while parser.peek.kind in ("comma", "and"):
            parser.at += 1
        items.append(parser.expr(ADD))
    if len(items) == 1 and items[0].op == "list":
        items = list(items[0].args)
    if len(items) < 2:
        raise NotUnderstood(Said("several numbers are needed", "需要多个数"))
    return items
