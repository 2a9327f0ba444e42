"""What binds a variable: ∫ … dx, ∑ with an index, lim, d/dx."""

from __future__ import annotations

from pointsman.calculation.parser import ADD, MUL, Parser
from pointsman.calculation.tokens import Token
from pointsman.calculation.tree import Node, NotUnderstood, apply, num, sym
from pointsman.domain.said import Said


def integral(parser: Parser) -> Node:
    """After ∫: bounds, body, dx. The innermost of several comes first: ∫∫ f dx dy."""
    low: Node | None = None
    high: Node | None = None
    while parser.peek.kind == "op" and parser.peek.text in ("_", "^"):
        if parser.next().text == "_":
            low = parser.script()
        else:
            high = parser.script()
    if (low is None) != (high is None):
        raise NotUnderstood(Said("one bound of the integral is missing", "积分缺少一个上下限"))
    if parser.peek.kind == "diff":
        variable = parser.next().text
        body = num(1)
        if parser.takes("op", "/"):
            body = apply("div", num(1), parser.expr(MUL + 1))
        elif parser.peek.kind in ("num", "name", "fn", "open", "cmd", "const"):
            body = parser.expr(MUL)
    else:
        body, variable = _body(parser)
    bounds = () if low is None or high is None else (low, high)
    return apply("integral", body, sym(variable), *bounds)


def _body(parser: Parser) -> tuple[Node, str]:
    body = parser.expr()
    token = parser.peek
    if token.kind == "diff":
        parser.at += 1
        return body, token.text
    if token.kind == "op" and token.text == "*" and parser.ahead().kind == "diff":
        parser.at += 2
        return body, parser.tokens[parser.at - 1].text
    if token.kind == "name" and token.text == "d" and parser.ahead().kind in ("name", "const"):
        parser.at += 1
        return body, parser.variable()
    found = _inside(body)
    if found is not None:
        return found
    raise NotUnderstood(Said("the integral has no dx", "积分缺少 dx"))


def _inside(body: Node) -> tuple[Node, str] | None:
    """∫ (dx)/(x+1), as \\frac{dx}{x+1} is read."""
    if body.op == "div" and body.args[0].op == "dx":
        return apply("div", num(1), body.args[1]), body.args[0].text
    if body.op == "div" and body.args[0].op == "mul" and body.args[0].args[1].op == "dx":
        above, differential = body.args[0].args
        return apply("div", above, body.args[1]), differential.text
    return None


def summed(parser: Parser, op: str) -> Node:
    """After ∑ or ∏: _{i=1}^{n} body, or (i=1 to n) body."""
    index: str | None = None
    low: Node | None = None
    high: Node | None = None
    while parser.peek.kind == "op" and parser.peek.text in ("_", "^"):
        if parser.next().text == "^":
            high = parser.script()
            continue
        braces = parser.next()
        if braces.kind != "open":
            parser.at -= 1
            raise parser.lost()
        index = parser.variable()
        parser.expect("op", "=")
        low = parser.expr()
        parser.expect("close", {"{": "}", "(": ")", "[": "]"}[braces.text])
    if index is None or low is None or high is None:
        raise NotUnderstood(Said("the sum has no bounds", "求和缺少上下限"))
    outer, parser.bound = parser.bound, parser.bound | {index}
    body = _terms(parser, index)
    parser.bound = outer
    return apply(op, body, sym(index), low, high)


def _terms(parser: Parser, index: str) -> Node:
    """The term after the sign, and those added to it as far as they hold the index."""
    body = parser.expr(MUL)
    while parser.peek.kind == "op" and parser.peek.text in ("+", "-"):
        start = parser.at
        sign = parser.next().text
        term = parser.expr(MUL)
        if index not in term.names():
            parser.at = start
            break
        body = apply("add" if sign == "+" else "sub", body, term)
    return body


def limit(parser: Parser) -> Node:
    """After lim: _{x→0}, (x→0) or x→0, then the body, which takes what is added to it, too."""
    closing = None
    if parser.takes("op", "_"):
        opening = parser.next()
        closing = {"{": "}", "(": ")"}.get(opening.text)
        if closing is None:
            raise parser.lost()
    elif parser.peek.text == "(" and parser.ahead(2).text == "→":
        parser.at += 1
        closing = ")"
    variable = parser.variable()
    parser.expect("op", "→")
    point, side = target(parser)
    if closing:
        parser.expect("close", closing)
    parser.takes("comma")
    outer, parser.bound = parser.bound, parser.bound | {variable}
    body = parser.expr(ADD)
    parser.bound = outer
    return Node("limit", (body, sym(variable), point), text=side)


def target(parser: Parser) -> tuple[Node, str]:
    """0, 0+, 0^+, ∞, +∞, -∞, π/2."""
    side = ""
    tokens, at = parser.tokens, parser.at
    end = at
    while (
        end < len(tokens) and tokens[end].kind in ("num", "const", "name", "op") and not _begins_body(tokens, at, end)
    ):
        end += 1
    if end > at and tokens[end - 1].kind == "op" and tokens[end - 1].text in "+-":
        side = tokens[end - 1].text
        last = end - 1 - (end - 2 > at and tokens[end - 2].text == "^")
    elif end > at + 1 and _signed_power(parser, end):
        side = tokens[end + 1].text
        last, end = end - 1, end + 3
    else:
        last = end
    inner = Parser(tokens[at:last], bound=parser.bound)
    point = inner.whole()
    parser.at = end
    return point, side


def _signed_power(parser: Parser, end: int) -> bool:
    """0^{+} or 0^(+)."""
    tokens = parser.tokens
    return (
        tokens[end - 1].text == "^"
        and end + 2 < len(tokens)
        and tokens[end].kind == "open"
        and tokens[end + 1].text in ("+", "-")
        and tokens[end + 2].kind == "close"
    )


def _begins_body(tokens: list[Token], at: int, end: int) -> bool:
    """lim x→0 x^2: what follows the point without a sign is the body."""
    if end == at:
        return False
    before, here = tokens[end - 1], tokens[end]
    return here.kind != "op" and before.kind != "op"


def differentiated(parser: Parser, *, fraction: bool = False) -> Node | None:
    """After d, ∂ or \\frac: d/dx f, d^2/dx^2 f, \\frac{d}{dx} f, \\frac{\\partial^2}{\\partial x^2} f. None
    where it is no such thing."""
    start = parser.at
    found = _operator(parser, fraction)
    if found is None:
        parser.at = start
        return None
    above, variable, order = found
    if above is None:
        was, parser.calculus = parser.calculus, True
        outer, parser.bound = parser.bound, parser.bound | {variable}
        above = parser.expr(ADD)
        parser.calculus, parser.bound = was, outer
    return apply("derivative", above, sym(variable), num(order))


def _operator(parser: Parser, fraction: bool) -> tuple[Node | None, str, int] | None:
    if fraction and not (parser.takes("open", "{") and (parser.takes("name", "d") or parser.takes("op", "∂"))):
        return None
    order = _order(parser)
    if fraction:
        if not (parser.takes("close", "}") and parser.takes("open", "{")):
            return None
    elif not parser.takes("op", "/"):
        return None
    token = parser.next()
    if token.kind == "diff":
        variable = token.text
    elif token.text in ("d", "∂") and parser.peek.kind == "name":
        variable = parser.next().text
    else:
        return None
    if _order(parser) != order or not 1 <= order <= 20:
        return None
    if fraction and not parser.takes("close", "}"):
        return None
    return None, variable, order


def _order(parser: Parser) -> int:
    if parser.peek.text != "^":
        return 1
    parser.at += 1
    power = parser.script()
    return int(power.text) if power.op == "num" and power.text.isdigit() and len(power.text) < 3 else 0
