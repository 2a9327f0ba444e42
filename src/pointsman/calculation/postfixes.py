"""What stands after an operand: !, %, °, squared, 的平方根, 的15%, 与…的最大公约数."""

from __future__ import annotations

from pointsman.calculation.parser import ADD, MUL, POST, STARTS, Parser, ends_in_unit
from pointsman.calculation.tokens import Token
from pointsman.calculation.tree import Node, NotUnderstood, apply, num
from pointsman.calculation.words import LISTS
from pointsman.domain.said import Said

_MATRIX = frozenset(["det", "inverse", "transpose", "eigenvalues", "eigenvectors", "rank", "trace", "adjugate"])
_FRACTIONS = frozenset({"percent", "permille"})
_PAIRS = {"difference": "sub", "quotient": "div", "product_of": "mul", "sum_of": "add"}


def postfix(parser: Parser, left: Node, token: Token, lowest: int) -> Node | None:
    """The operand with what follows it, or None where nothing of the kind does."""
    kind, text = token.kind, token.text
    if kind == "num" and parser.units and ends_in_unit(left) and lowest <= MUL:
        return _compound(parser, left)
    if kind == "op":
        return _sign(parser, left, token, lowest)
    if kind == "fact" and lowest <= POST:
        parser.at += 1
        return apply("fact", left)
    if kind == "post":
        if text in ("half", "times", "power", "root", "taken_mod"):
            return None
        parser.at += 1
        return _applied(text, left)
    if kind == "of":
        return _of(parser, left, lowest) if text == "的" else _share(parser, left, lowest)
    if kind == "over" and lowest <= MUL:  # 三分之二
        parser.at += 1
        if left.op != "num":
            raise parser.lost()
        above = parser.expr(POST + 1)
        return apply("div", above, left)
    if kind in ("and", "comma") and text != ";" and lowest == 0:
        return _listed(parser, left)
    return None


def _sign(parser: Parser, left: Node, token: Token, lowest: int) -> Node | None:
    text = token.text
    if text == "!" and lowest <= POST:
        parser.at += 1
        if parser.peek.text == "!" and not parser.peek.spaced:
            parser.at += 1
            return apply("fact2", left)
        return apply("fact", left)
    if text == "permille":
        parser.at += 1
        return apply("permille", left)
    if text == "%":
        following = parser.ahead()
        if following.kind in ("num", "const", "fn") and lowest <= MUL:
            parser.at += 1
            return apply("mod", left, parser.expr(MUL + 1))
        if following.kind in STARTS and following.kind not in ("per",):
            raise parser.lost(
                Said("“%” may be a percentage or a remainder here", "这里的“%”可以是百分号，也可以是取余")
            )
        parser.at += 1
        return apply("percent", left)
    if text == "°" and lowest <= POST:
        parser.at += 1
        degrees = left
        for mark, part in (("'", 60), ("''", 3600)):
            if parser.peek.kind == "num" and parser.ahead().text == mark:
                degrees = apply("add", degrees, apply("div", num(parser.next().text), num(part)))
                parser.at += 1
        return apply("degrees", degrees)
    if text == "'" and lowest <= POST and left.names():
        order = 0
        while parser.peek.kind == "op" and parser.peek.text in ("'", "''"):
            order += len(parser.next().text)
        names = left.names()
        if len(names) != 1 or left.op == "sym":
            raise parser.lost(Said("it is not clear what “'” refers to", "不清楚“'”指什么"))
        return apply("derivative", left, Node("sym", text=names.pop()), num(order))
    if text == "mod_zh" and parser.units is False:
        return None
    return None


def _compound(parser: Parser, left: Node) -> Node:
    """2 h 15 min."""
    right = parser.expr(POST)
    if right.op != "quantity":
        raise parser.lost()
    return apply("add", left, right)


def _applied(name: str, left: Node) -> Node:
    match name:
        case "square":
            return apply("pow", left, num(2))
        case "cube":
            return apply("pow", left, num(3))
        case "factorial":
            return apply("fact", left)
        case "reciprocal":
            return apply("div", num(1), left)
        case _:
            if name in _MATRIX and left.op not in ("matrix", "mul", "add", "pow", "inverse", "transpose", "sub"):
                raise NotUnderstood(Said("no matrix is given", "没有给出矩阵"))
            return apply(name, left)


def _of(parser: Parser, left: Node, lowest: int) -> Node | None:
    """…的…: a word of what to do with it, or a share of it."""
    following = parser.ahead()
    if following.kind in ("post", "list"):
        if following.text in ("half", "times", "power", "root", "taken_mod"):
            if following.text == "half" and lowest <= MUL:
                parser.at += 2
                return apply("div", left, num(2))
            return None
        if following.kind == "list" or (following.kind == "and" and following.text):
            return None
        if left.op in ("add", "sub", "mul", "div"):
            parser.note("application")
        parser.at += 2
        return _applied(following.text, left)
    if following.kind == "fn" and following.text in ("sin", "cos", "tan", "ln", "lg"):
        parser.at += 2
        return apply(following.text, left)
    if lowest > MUL:
        return None
    if following.kind in ("num", "open", "per"):
        start = parser.at
        parser.at += 1
        right = parser.expr(POST)
        done = _share_of(parser, left, right)
        if done is None:
            parser.at = start
        return done
    return None


def _share_of(parser: Parser, left: Node, right: Node) -> Node | None:
    """80的15%, 15%的80, 80的三分之一, 80的2倍, 2的10次方, 8的3次方根."""
    token = parser.peek
    if token.kind == "post":
        if token.text == "times":
            parser.at += 1
            return apply("mul", left, right)
        if token.text == "power":
            parser.at += 1
            return apply("pow", left, right)
        if token.text == "root":
            parser.at += 1
            return apply("nth_root", left, right)
    if right.op in _FRACTIONS or _is_fraction(right):
        return apply("mul", left, right)
    if left.op in _FRACTIONS or _is_fraction(left):
        return apply("mul", left, right)
    return None


def _is_fraction(node: Node) -> bool:
    return node.op == "div" and all(arg.op == "num" for arg in node.args)


def _share(parser: Parser, left: Node, lowest: int) -> Node | None:
    """15% of 80, 3/4 of 20."""
    if lowest > MUL or not (left.op in _FRACTIONS or _is_fraction(left)):
        return None
    parser.at += 1
    return apply("mul", left, parser.expr(MUL + 1))


def _listed(parser: Parser, left: Node) -> Node | None:
    """12和18的最大公约数; 3与5的和. None where "and" only separates."""
    start = parser.at
    items = [left]
    while parser.peek.kind == "and" or (parser.peek.kind == "comma" and len(items) < 200):
        parser.at += 1
        if parser.peek.kind not in STARTS and parser.peek.text not in ("-", "neg"):
            parser.at = start
            return None
        items.append(parser.expr(ADD))
    token = parser.ahead()
    if parser.peek.kind == "of" and parser.peek.text == "的" and token.kind in ("list", "and"):
        parser.at += 2
        return of_list(parser, token.text, items)
    parser.at = start
    return None


def of_list(parser: Parser, name: str, items: list[Node]) -> Node:
    """The gcd, mean, difference, … of these."""
    if name in ("difference", "quotient"):
        if len(items) != 2:
            raise parser.lost()
        return apply(_PAIRS[name], *items)
    if name not in LISTS:
        raise parser.lost()
    if name in ("variance", "stdev"):
        parser.note("population")
    return apply(name, *items)
