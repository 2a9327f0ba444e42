"""How an operand begins: a number with its unit, a bracket, a function, √, |x|, ∫, ∑, lim, LaTeX commands."""

from __future__ import annotations

from pointsman.calculation.bounded import differentiated, integral, limit, summed
from pointsman.calculation.functions import CLOSING, arguments, function, items_of
from pointsman.calculation.matrices import bracketed, environment
from pointsman.calculation.parser import NEG, POST, POW, Parser
from pointsman.calculation.postfixes import of_list
from pointsman.calculation.tokens import Token
from pointsman.calculation.tree import Node, NotUnderstood, apply, num, sym
from pointsman.domain.said import said


def prefix(parser: Parser, token: Token) -> Node:
    kind, text = token.kind, token.text
    if kind == "num":
        return _number(parser, token)
    if kind == "name" and text == "d" and parser.peek.text in ("/", "^"):
        found = differentiated(parser)
        if found is not None:
            return found
    if kind == "name" and parser.only_units and (unit := parser.unit(token)):
        return _unit_power(parser, Node("unit", text=unit))
    if kind in ("name", "const"):
        return _name(parser, token)
    if kind == "open":
        return bracketed(parser, token)
    if kind == "fn" and parser.only_units and parser.peek.text != "(" and (unit := parser.unit(token)):
        return _unit_power(parser, Node("unit", text=unit))
    if kind == "fn":
        return function(parser, text)
    if kind == "op":
        return _sign(parser, token)
    if kind == "diff" and parser.fractions:
        return Node("dx", text=text)
    if kind == "cmd":
        return _command(parser, text)
    if kind == "lim":
        return limit(parser)
    if kind == "begin":
        return environment(parser, text)
    if kind == "root":
        return apply("nth_root", parser.expr(POST), num(text))
    if kind == "part":
        return apply("div", parser.expr(POW), num(text))
    if kind == "parts":
        above, _, below = text.partition("/")
        return apply("mul", apply("div", num(above), num(below)), parser.expr(POW))
    if kind == "per":  # 百分之十五
        value = parser.expr(POST + 1)
        if value.op != "num":
            raise parser.lost()
        return apply("percent", value) if text == "100" else apply("div", value, num(text))
    if kind == "list":
        return of_list(parser, text, items_of(parser))
    if kind in ("unit", "maybe_unit") and (unit := parser.unit(token)):
        return _unit_power(parser, Node("unit", text=unit))
    parser.at -= 1
    raise parser.lost()


def _number(parser: Parser, token: Token) -> Node:
    """A number, with the unit that follows it: 3 km/h, 200 MB/s."""
    node = num(token.text)
    if token.written != token.text and "e" in token.text and token.text[0].isdigit():
        parser.note("scientific")
    based = _based(parser, token)
    if based is not None:
        return based
    unit = parser.unit(parser.peek)
    if unit is None:
        return node
    parser.at += 1
    units = _unit_power(parser, Node("unit", text=unit))
    while parser.peek.kind == "op" and parser.peek.text in "/*":
        following = parser.unit(parser.ahead())
        if following is None:
            break
        sign = parser.next().text
        parser.at += 1
        units = apply("div" if sign == "/" else "mul", units, _unit_power(parser, Node("unit", text=following)))
    return apply("quantity", node, units)


def _based(parser: Parser, token: Token) -> Node | None:
    """1011_2, 1011_(2): a number in that base."""
    if not (parser.peek.text == "_" and token.text.isdigit()):
        return None
    parser.at += 1
    base = parser.script()
    if base.op != "num" or base.text not in ("2", "8", "10", "16"):
        raise parser.lost()
    try:
        return num(int(token.text, int(base.text)))
    except ValueError:
        en, zh = "“{it}” is no number of base {base}", "“{it}”不是 {base} 进制数"
        raise NotUnderstood(said(en, zh, it=token.text[:40], base=base.text)) from None


def _unit_power(parser: Parser, node: Node) -> Node:
    if parser.peek.text != "^":
        return node
    parser.at += 1
    power = parser.script()
    if power.op == "neg" and power.args[0].op == "num":
        return apply("pow", node, power)
    if power.op != "num" or not power.text.isdigit() or int(power.text) > 9:
        raise parser.lost()
    return apply("pow", node, power)


def _name(parser: Parser, token: Token) -> Node:
    name = token.text
    following = parser.peek
    if name in parser.functions and token.kind == "name":
        return _defined(parser, name)
    if token.kind == "name" and following.kind == "op" and following.text == "_":
        parser.at += 1
        script = parser.script()
        if script.op not in ("num", "sym") or len(script.text) > 4:
            raise parser.lost()
        return sym(f"{name}_{script.text}")
    if token.kind == "name" and following.kind == "num" and not following.spaced:
        return _numbered(parser, name)
    if name in ("C", "A", "P") and following.text == "(" and not following.spaced and _twoarguments(parser):
        items = arguments(parser)
        return apply("binomial" if name == "C" else "permutations", *items)
    return parser.leaf(token)


def _twoarguments(parser: Parser) -> bool:
    """C(10, 3) and no product."""
    depth, commas = 0, 0
    for token in parser.tokens[parser.at :]:
        depth += (token.kind == "open") - (token.kind == "close")
        commas += token.kind == "comma" and depth == 1
        if depth == 0:
            break
    return commas == 1


def _numbered(parser: Parser, name: str) -> Node:
    """x1 and x2 side by side are variables; x2 alone may have lost its power."""
    places = enumerate(parser.tokens[:-1])
    seen = {
        parser.tokens[at + 1].text for at, t in places if t.kind == "name" and t.text == name and _glued(parser, at)
    }
    if len(seen) < 2 or not all(text.isdigit() for text in seen):
        en, zh = "“{it}” may mean {n}^{d} or {n}_{d}", "“{it}”可以是 {n}^{d}，也可以是 {n}_{d}"
        digits = parser.peek.text
        raise NotUnderstood(said(en, zh, it=name + digits, n=name, d=digits))
    return sym(f"{name}_{parser.next().text}")


def _glued(parser: Parser, at: int) -> bool:
    following = parser.tokens[at + 1]
    return following.kind == "num" and not following.spaced


def _defined(parser: Parser, name: str) -> Node:
    variable, body = parser.functions[name]
    order = 0
    while parser.peek.kind == "op" and parser.peek.text in ("'", "''"):
        order += len(parser.next().text)
    node = apply("derivative", body, sym(variable), num(order)) if order else body
    if parser.peek.kind == "open" and parser.peek.text == "(":
        [value] = arguments(parser, 1, 1)
        return node if value == sym(variable) else apply("at", node, sym(variable), value)
    return node


def _sign(parser: Parser, token: Token) -> Node:
    text = token.text
    if token.written == "负" and parser.peek.kind == "num" and parser.ahead().kind == "of":
        return apply("neg", num(parser.next().text))  # 负七的平方 is (-7)^2
    if text in ("-", "neg"):
        return apply("neg", parser.expr(NEG))
    if text in ("+", "pos"):
        return parser.expr(NEG)
    if text in ("√", "cbrt"):
        inner = parser.expr(POW)
        return apply("sqrt" if text == "√" else "cbrt", inner)
    if text == "|":
        parser.bars += 1
        inner = parser.expr()
        parser.expect("op", "|")
        parser.bars -= 1
        return apply("det" if inner.op == "matrix" else "abs", inner)
    if text in ("⌊", "⌈"):
        inner = parser.expr()
        parser.expect("op", CLOSING[text])
        return apply("floor" if text == "⌊" else "ceil", inner)
    if text == "∫":
        return integral(parser)
    if text in ("∑", "∏"):
        return summed(parser, "sum" if text == "∑" else "product")
    if text == "∂":
        found = differentiated(parser)
        if found is not None:
            return found
    parser.at -= 1
    raise parser.lost()


def _command(parser: Parser, name: str) -> Node:
    if name == "sqrt":
        if parser.takes("open", "["):
            index = parser.expr()
            parser.expect("close", "]")
            return apply("nth_root", parser.group(), index)
        return apply("sqrt", parser.group())
    if name == "frac":
        found = differentiated(parser, fraction=True)
        if found is not None:
            return found
        parser.fractions += 1
        above = parser.group()
        parser.fractions -= 1
        return apply("div", above, parser.group())
    above = parser.group()
    return apply("binomial", above, parser.group())
