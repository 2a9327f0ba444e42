"""Tokens → tree, by precedence (a Pratt parser). What is read whole has one meaning; anything else is not understood."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pointsman.calculation.tokens import Token, unknown
from pointsman.calculation.tree import Node, NotUnderstood, apply, is_relation, num, sym
from pointsman.calculation.units import AMBIGUOUS, UNITS
from pointsman.domain.said import Said, said

AND, REL, ADD, MUL, NEG, POW, POST = 5, 10, 20, 30, 35, 50, 60
DEEPEST = 60
INFIX = {
    "+": ADD, "-": ADD, "*": MUL, "/": MUL, "mod": MUL, "choose": MUL, "^": POW, "=": REL, "<": REL, ">": REL, "<=": REL,
    ">=": REL, "!=": REL,
}  # fmt: skip
_OPS = {"+": "add", "-": "sub", "*": "mul", "/": "div", "mod": "mod", "choose": "binomial", "^": "pow"}
_RELS = {"=": "eq", "<": "lt", ">": "gt", "<=": "le", ">=": "ge", "!=": "ne"}
STARTS = frozenset(
    [
        "num",
        "name",
        "fn",
        "const",
        "open",
        "cmd",
        "unit",
        "maybe_unit",
        "begin",
        "lim",
        "root",
        "part",
        "parts",
        "list",
        "per",
    ]
)
_END = Token("end", "", True, "")
Prefix = Callable[["Parser", Token], Node]
Postfix = Callable[["Parser", Node, Token], Node]


class Parser:
    """`units`: single letters after numbers are units (3 m). `bound` are names that are variables even where they would
    be constants (i in ∑). `functions` are those that the text defined: name → (variable, body). `calculus`: log is ln."""

    def __init__(
        self,
        tokens: list[Token],
        *,
        units: bool = False,
        bound: frozenset[str] = frozenset(),
        functions: Mapping[str, tuple[str, Node]] | None = None,
        calculus: bool = False,
    ) -> None:
        self.tokens = tokens
        self.at = 0
        self.only_units = units
        self.units = units or any(token.kind == "unit" for token in tokens)
        self.bound = bound
        self.functions = functions or {}
        self.calculus = calculus or any(token.text in ("∫", "∂") or token.kind == "lim" for token in tokens)
        self.bars = 0
        self.fractions = 0
        self.depth = 0
        self.notes: list[str] = []

    @property
    def peek(self) -> Token:
        return self.tokens[self.at] if self.at < len(self.tokens) else _END

    def ahead(self, places: int = 1) -> Token:
        at = self.at + places
        return self.tokens[at] if at < len(self.tokens) else _END

    def next(self) -> Token:
        token = self.peek
        self.at += 1
        return token

    def takes(self, kind: str, *texts: str) -> Token | None:
        token = self.peek
        if token.kind == kind and (not texts or token.text in texts):
            self.at += 1
            return token
        return None

    def expect(self, kind: str, text: str) -> None:
        if not self.takes(kind, text):
            raise self.lost(said("“{it}” is missing", "缺少“{it}”", it=text))

    def lost(self, message: Said | None = None) -> NotUnderstood:
        """What to raise at this place."""
        token = self.peek
        if message is not None:
            return NotUnderstood(message)
        if token.kind == "end":
            return NotUnderstood(Said("the expression is not complete", "表达式不完整"))
        return unknown("".join((" " if t.spaced else "") + t.written for t in self.tokens[self.at : self.at + 6]))

    def note(self, name: str) -> None:
        if name not in self.notes:
            self.notes.append(name)

    def whole(self) -> Node:
        """One expression or relation, and nothing after it."""
        node = self.expr()
        self._through(node)
        return node

    def all(self) -> tuple[Node, ...]:
        """Expressions or relations, separated by commas or "and", and nothing after them."""
        found = [self.expr()]
        while self.peek.kind in ("comma", "and"):
            while self.peek.kind in ("comma", "and"):
                self.at += 1
            if self.peek.kind == "end":
                break
            found.append(self.expr())
        self._through(*found)
        return tuple(found)

    def _through(self, *found: Node) -> None:
        if self.peek.kind != "end":
            raise self.lost()
        for node in found:
            if any(part.op == "dx" for part in node.walk()):
                raise NotUnderstood(Said("there is a dx without an integral", "dx 不在积分里"))

    def expr(self, lowest: int = 0) -> Node:
        from pointsman.calculation.prefixes import prefix

        self.depth += 1
        if self.depth > DEEPEST:
            en, zh = "it is nested more than {most} deep", "嵌套超过 {most} 层"
            raise NotUnderstood(said(en, zh, most=DEEPEST))
        left = prefix(self, self.next())
        left = self._rest(left, lowest)
        self.depth -= 1
        return left

    def _rest(self, left: Node, lowest: int) -> Node:
        from pointsman.calculation.postfixes import postfix

        last = _END
        while True:
            token = self.peek
            done = postfix(self, left, token, lowest)
            if done is not None:
                left = done
                continue
            if token.kind == "op" and token.text in INFIX:
                power = INFIX[token.text]
                if power < lowest or (power == REL and lowest > REL):
                    return left
                if power == POW and lowest > POW:
                    return left
                self.at += 1
                left = self._infix(left, token, power)
                last = token
            elif self._implicit(left, token) and lowest <= MUL:
                right = self.expr(MUL + 1)
                if last.text == "/" and last.kind == "op" and not left_is_unit(left):
                    self.note("division")
                left = apply("mul", left, right)
            else:
                return left

    def _infix(self, left: Node, token: Token, power: int) -> Node:
        if power == REL:
            right = self.expr(REL + 1)
            relation = apply(_RELS[token.text], left, right)
            following = self.peek
            if following.kind == "op" and following.text in _RELS:
                self.at += 1
                rest = self._infix(right, following, REL)
                return apply("and", relation, *(rest.args if rest.op == "and" else (rest,)))
            return relation
        if is_relation(left):
            raise self.lost()
        right = self.expr(POW if power == POW else power + 1)
        if token.text in "+-" and right.op == "percent" and left.op != "percent" and not left.names():
            self.note("percent")
            return apply("raise" if token.text == "+" else "lower", left, right)
        if token.text == "^" and right.op == "sym" and right.text == "T" and left.op == "matrix":
            return apply("transpose", left)
        return apply(_OPS[token.text], left, right)

    def _implicit(self, left: Node, token: Token) -> bool:
        """Whether an operand follows without a sign: 2x, (x+1)(x-1), x y; but never a number after something."""
        if token.kind == "diff" and self.fractions:
            return True
        if is_relation(left) or token.kind not in STARTS:
            return False
        if token.kind == "num":
            return left_is_unit(left) and self.units and ends_in_unit(left)
        if token.kind in ("unit", "maybe_unit"):
            return self.units and left.op == "num"
        if token.kind in ("list", "per", "begin"):
            return False
        if left.op == "sym" and token.kind == "open" and token.text == "(" and left.text in ("f", "g", "h", "F", "G"):
            en, zh = "“{name}” is a function that is not given", "没有给出函数“{name}”"
            raise NotUnderstood(said(en, zh, name=left.text))
        if left.op in ("matrix", "list") and token.kind == "open" and token.text == "[":
            return left.op == "matrix"
        return not (token.kind == "open" and token.text == "[" and left.op == "sym")

    # -- pieces that prefixes and postfixes share

    def group(self) -> Node:
        """A LaTeX argument: {…}, or the one thing that stands there."""
        if self.takes("open", "{"):
            node = self.expr()
            self.expect("close", "}")
            return node
        token = self.next()
        if token.kind == "num" and len(token.text) > 1 and token.text.isdigit():
            self.at -= 1
            self.tokens[self.at] = token._replace(text=token.text[1:], spaced=False)
            return num(token.text[0])
        if token.kind in ("num", "name", "const"):
            return self.leaf(token)
        self.at -= 1
        raise self.lost()

    def script(self) -> Node:
        """What stands after ^ or _ of ∫, ∑, log: {…}, (…), or one signed thing."""
        if self.takes("open", "{"):
            node = self.expr()
            self.expect("close", "}")
            return node
        if self.takes("open", "("):
            node = self.expr()
            self.expect("close", ")")
            return node
        if self.takes("op", "-"):
            return apply("neg", self.script())
        if self.takes("op", "+"):
            return self.script()
        token = self.next()
        if token.kind in ("num", "name", "const"):
            return self.leaf(token)
        self.at -= 1
        raise self.lost()

    def leaf(self, token: Token) -> Node:
        if token.kind == "num":
            return num(token.text)
        if token.kind == "const" and token.text not in self.bound:
            return apply("neg", Node("const", text="oo")) if token.text == "-oo" else Node("const", text=token.text)
        return sym(token.text)

    def variable(self) -> str:
        token = self.next()
        if token.kind == "name" or (token.kind == "const" and token.text in ("e", "i")):
            return token.text
        self.at -= 1
        raise self.lost()

    def unit(self, token: Token) -> str | None:
        """The canonical unit of a token, where it is one here."""
        if token.kind == "unit":
            return UNITS.get(token.text)
        if self.units and token.kind in ("maybe_unit", "name") and token.text in AMBIGUOUS:
            return UNITS.get(token.text)
        if self.units and token.kind == "fn" and token.written in UNITS:
            return UNITS[token.written]  # min
        return None


def left_is_unit(node: Node) -> bool:
    return any(part.op == "unit" for part in node.walk())


def ends_in_unit(node: Node) -> bool:
    """2 h, and so 2 h 15 min goes on."""
    return node.op == "quantity" or (node.op == "add" and bool(node.args) and ends_in_unit(node.args[-1]))
