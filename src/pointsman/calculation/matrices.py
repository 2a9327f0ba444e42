"""Brackets of all sorts: groups, lists, matrices, LaTeX environments."""

from __future__ import annotations

from pointsman.calculation.parser import Parser
from pointsman.calculation.tokens import Token
from pointsman.calculation.tree import Node, NotUnderstood, apply
from pointsman.domain.said import Said

MOST = 400
"""Elements of one matrix or list that are read."""
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_MATRICES = frozenset(["matrix", "pmatrix", "bmatrix", "Bmatrix", "smallmatrix", "array"])
_SYSTEMS = frozenset(["cases", "aligned", "align", "gathered", "split"])


def bracketed(parser: Parser, token: Token) -> Node:
    """(…) a group, [[1,2],[3,4]] and [1,2;3,4] a matrix, [1,2,3] and {1,2,3} a list."""
    rows: list[list[Node]] = [[parser.expr()]]
    count = 1
    semicolons = False
    while parser.peek.kind == "comma":
        if parser.next().text == ";":
            rows.append([])
            semicolons = True
        count += 1
        if count > MOST:
            raise NotUnderstood(Said(f"a list of more than {MOST} elements", f"元素超过 {MOST} 个"))
        rows[-1].append(parser.expr())
    parser.expect("close", _CLOSING[token.text])
    if count == 1:
        only = rows[0][0]
        return apply("matrix", apply("row", *only.args)) if token.text == "[" and only.op == "list" else only
    if token.text == "[":
        if semicolons:
            return matrix(rows)
        if all(item.op == "list" for item in rows[0]):
            return matrix([list(item.args) for item in rows[0]])
    if semicolons:
        raise parser.lost()
    return apply("list", *rows[0])


def matrix(rows: list[list[Node]]) -> Node:
    if len({len(row) for row in rows}) != 1:
        raise NotUnderstood(Said("the rows of the matrix are not equally long", "矩阵各行长度不一致"))
    if sum(len(row) for row in rows) > MOST:
        raise NotUnderstood(Said(f"a matrix of more than {MOST} elements", f"矩阵元素超过 {MOST} 个"))
    return apply("matrix", *[apply("row", *row) for row in rows])


def environment(parser: Parser, name: str) -> Node:
    if name == "array" and parser.takes("open", "{"):
        while not parser.takes("close", "}"):
            if parser.next().kind == "end":
                raise parser.lost()
    if name in _SYSTEMS:
        return _system(parser, name)
    if name not in _MATRICES and name != "vmatrix":
        raise parser.lost()
    rows: list[list[Node]] = [[]]
    while True:
        rows[-1].append(parser.expr())
        if sum(len(row) for row in rows) > MOST:
            raise NotUnderstood(Said(f"a matrix of more than {MOST} elements", f"矩阵元素超过 {MOST} 个"))
        if parser.takes("op", "&"):
            continue
        if parser.takes("op", "\\\\") and parser.peek.kind != "end_env":
            rows.append([])
            continue
        break
    _close(parser, name)
    found = matrix(rows)
    return apply("det", found) if name == "vmatrix" else found


def _system(parser: Parser, name: str) -> Node:
    relations: list[Node] = []
    while True:
        relations.append(_line(parser))
        while parser.takes("comma") or parser.takes("op", "\\\\"):
            pass
        if parser.peek.kind == "end_env":
            break
        if parser.peek.kind == "end":
            raise parser.lost()
    _close(parser, name)
    return apply("and", *relations) if len(relations) > 1 else relations[0]


def _line(parser: Parser) -> Node:
    """One equation; & only aligns it."""
    start = parser.at
    end = start
    while (
        end < len(parser.tokens) and parser.tokens[end].text not in ("\\\\",) and parser.tokens[end].kind != "end_env"
    ):
        end += 1
    kept = [token for token in parser.tokens[start:end] if token.text != "&"]
    parser.tokens = [*parser.tokens[:start], *kept, *parser.tokens[end:]]
    return parser.expr()


def _close(parser: Parser, name: str) -> None:
    token = parser.next()
    if token.kind != "end_env" or token.text != name:
        parser.at -= 1
        raise parser.lost()
