"""How an operand begins: a number with its unit, a bracket, a function, √, |x|, ∫, ∑, lim, LaTeX commands."""

from __future__ import annotations

from pointsman.calculation.bounded import differentiated, integral, limit, summed
from pointsman.calculation.matrices import bracketed, environment
from pointsman.calculation.parser import ADD, INFIX, MUL, NEG, POST, POW, Parser
from pointsman.calculation.postfixes import of_list
from pointsman.calculation.tokens import Token
from pointsman.calculation.tree import Node, NotUnderstood, apply, num, sym
from pointsman.calculation.words import ARITY, INVERSE, LISTS, TRIG
from pointsman.domain.said import Said, said

_CLOSING = {"(": ")", "[": "]", "{": "}", "⌊": "⌋", "⌈": "⌉"}


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
        return _function(parser, text)
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
        return of_list(parser, text, _items(parser))
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
    if name in ("C", "A", "P") and following.text == "(" and not following.spaced and _two_arguments(parser):
        items = _arguments(parser)
        return apply("binomial" if name == "C" else "permutations", *items)
    return parser.leaf(token)


def _two_arguments(parser: Parser) -> bool:
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
        [value] = _arguments(parser, 1, 1)
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
        parser.expect("op", _CLOSING[text])
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


def _function(parser: Parser, name: str) -> Node:
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
        items = _arguments(parser, least, most)
    elif name in LISTS:
        items = _items(parser)
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


def _arguments(parser: Parser, least: int = 2, most: int = 2) -> list[Node]:
    """(a, b, …), also in square brackets and braces."""
    opening = parser.next().text
    items = []
    if parser.peek.kind == "open" and parser.peek.text == "[" and most > 2:  # mean([1, 2])
        items = _arguments(parser, least, most)
    elif opening == "[" and least == 1 and most == 1:  # det[[1,2],[3,4]]
        parser.at -= 1
        return [parser.expr(POST)]
    else:
        items.append(parser.expr())
        while parser.takes("comma"):
            items.append(parser.expr())
    parser.expect("close", _CLOSING[opening])
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


def _items(parser: Parser) -> list[Node]:
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
