"""Is it SQL: read by sqlglot, within bounds, with what it lets pass, and mistakes in words."""

from __future__ import annotations

import logging
from difflib import SequenceMatcher

import sqlglot
from sqlglot import Token, TokenType, exp
from sqlglot.errors import ParseError, TokenError

from pointsman.actions.sql.job import Mistake, words
from pointsman.domain.said import Said, said
from pointsman.ports.action import ActionFailed

MOST_TOKENS = 6000
DEEPEST = 120
"""Brackets inside brackets; more of them, and of tokens, is no statement that somebody wrote."""
LIKE = 0.7
"""How alike a word and the keyword are that is perhaps meant."""
TRIED = ("postgres", "mysql", "tsql", "oracle", "sqlite")
"""Dialects that are tried in turn for a statement that does not show whose it is."""
_KEYWORDS = """SELECT FROM WHERE GROUP ORDER BY HAVING LIMIT OFFSET JOIN INNER LEFT RIGHT OUTER ON USING INSERT INTO VALUES
UPDATE SET DELETE CREATE TABLE ALTER DROP TRUNCATE DISTINCT UNION BETWEEN LIKE EXISTS RETURNING CASE WHEN THEN ELSE END
WITH AND NOT NULL AS""".split()  # noqa: SIM905
_MARKS = {
    TokenType.COMMA,
    TokenType.EQ,
    TokenType.GT,
    TokenType.LT,
    TokenType.GTE,
    TokenType.LTE,
    TokenType.NEQ,
}
_ENDS_LIST = {
    TokenType.FROM,
    TokenType.WHERE,
    TokenType.R_PAREN,
    TokenType.SEMICOLON,
    TokenType.GROUP_BY,
    TokenType.ORDER_BY,
    TokenType.HAVING,
    TokenType.LIMIT,
    TokenType.VALUES,
}
_COMPARES = {TokenType.EQ, TokenType.GT, TokenType.LT, TokenType.GTE, TokenType.LTE, TokenType.NEQ}
_NO_ALIAS = {"GROUP", "ORDER", "WHERE", "HAVING", "LIMIT", "ON", "BY", "SELECT", "FROM", "SET", "JOIN", "AND", "OR"}
logging.getLogger("sqlglot").setLevel(logging.CRITICAL)


class Read:
    """`trees` are the statements, None where one could not be read as a tree; `dialect` the one by which it was read."""

    def __init__(self, trees: list[exp.Expr], dialect: str | None, mistakes: list[Mistake]) -> None:
        self.trees = trees
        self.dialect = dialect
        self.mistakes = mistakes


def read(sql: str, dialect: str | None, default: str | None) -> Read:
    """By `dialect`; where nothing says which, by `default`, by all that the dialects share, and by each in turn. Raises
    ActionFailed for what is too long or too deep to be read."""
    if dialect is not None:
        return _by(sql, dialect)
    order = [default, None] if default else [None]
    first = None
    for name in (*order, *TRIED):
        found = _by(sql, name)
        if not found.mistakes:
            return found
        first = first or found
    assert first is not None
    return first


def _by(sql: str, dialect: str | None) -> Read:
    try:
        tokens = sqlglot.tokenize(sql, read=dialect)
    except TokenError:
        return Read([], dialect, [_open(sql)])
    _check_size(tokens)
    try:
        trees = [tree for tree in sqlglot.parse(sql, read=dialect) if tree is not None]
    except ParseError as error:
        return Read([], dialect, [_mistake(sql, tokens, error)])
    except TokenError:
        return Read([], dialect, [_open(sql)])
    except RecursionError:
        raise _too_deep() from None
    if dialect == "sqlite" and not any(token.text.upper() == "CROSS" for token in tokens):
        for join in (join for tree in trees for join in tree.find_all(exp.Join) if join.args.get("kind") == "CROSS"):
            join.set("kind", None)  # a comma: for SQLite, CROSS JOIN also says which table is read first
    passed = _let_pass(sql, tokens, trees) if dialect not in ("bigquery", "duckdb") else []  # those take such commas
    return Read(trees, dialect, passed)


def _check_size(tokens: list[Token]) -> None:
    depth = deepest = 0
    for token in tokens:
        if token.token_type in (TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE):
            depth += 1
        elif token.token_type in (TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END):
            depth -= 1
        deepest = max(deepest, depth)
    if len(tokens) > MOST_TOKENS:
        en, zh = (
            "This is too long: {size:,} words and marks, {most:,} are read.",
            "语句太长：有 {size:,} 个词和符号，最多读 {most:,} 个。",
        )
        raise ActionFailed("too_large", said(en, zh, size=len(tokens), most=MOST_TOKENS), refused=True)
    if deepest > DEEPEST:
        raise _too_deep()


def _too_deep() -> ActionFailed:
    en, zh = "This is nested too deeply to be read (brackets: {most}).", "嵌套太深，无法分析（括号最多 {most} 层）。"
    return ActionFailed("too_deep", said(en, zh, most=DEEPEST), refused=True)


def _open(sql: str) -> Mistake:
    """A quote or comment that never ends: the last that begins."""
    state, start, place = "", 0, 0
    while place < len(sql):
        here = sql[place]
        if state == "":
            if here in "'\"`":
                state, start = here, place
            elif sql.startswith("--", place):
                place = sql.find("\n", place)
                if place < 0:
                    break
            elif sql.startswith("/*", place):
                state, start = "*/", place
        elif sql.startswith(state, place):
            place += len(state) - 1
            state = ""
        place += 1
    if not state:
        return _at(sql, 0, Said("this cannot be read as SQL", "无法按 SQL 读取"))
    what = Said("a comment", "注释") if state == "*/" else Said("a quote", "引号")
    return _at(sql, start, said("{what} opens here and never closes", "这里的{what}没有结束", what=what))


def _mistake(sql: str, tokens: list[Token], error: ParseError) -> Mistake:
    first = error.errors[0] if error.errors else {}
    line, column = int(first.get("line") or 1), int(first.get("col") or 1)
    here = next((n for n, token in enumerate(tokens) if (token.line, token.col) == (line, column)), len(tokens) - 1)
    near = [
        (likeness, token, word) for token in tokens[max(here - 3, 0) : here + 2] for likeness, word in _meant(token)
    ]
    if near:
        _, wrong, word = max(near, key=lambda one: one[0])
        en, zh = "“{it}” is no keyword here, did you mean {word}?", "“{it}”在这里不是关键字，是不是 {word}？"
        return _at(sql, wrong.start, said(en, zh, it=wrong.text[:40], word=word))
    token = tokens[here] if tokens else None
    what = str(first.get("description") or "")
    place = token.start if token else 0
    text = (token.text if token else "")[:40]
    if what.startswith("Expecting "):
        en, zh = "behind “{text}” there should be {it}", "“{text}”之后缺少 {it}"
        before = tokens[here - 1] if 0 < here < len(tokens) - 1 else token
        text, place = (before.text[:40], before.start) if before else (text, place)
        return _at(sql, place, said(en, zh, text=text, it=what.removeprefix("Expecting ")))
    if what.startswith("Required keyword"):
        en, zh = "something is missing behind “{text}”", "“{text}”之后缺少内容"
        at = here - 1 if here > 0 and tokens[here - 1].token_type in _MARKS | {TokenType.STAR} else here
        return _at(sql, tokens[at].start if tokens else 0, said(en, zh, text=tokens[at].text[:40] if tokens else text))
    return _at(sql, place, said("“{text}” cannot stand here", "“{text}”不能出现在这里", text=text))


def _meant(token: Token) -> list[tuple[float, str]]:
    """The keyword that was perhaps meant by a plain word, and how alike the two are."""
    text = token.text.upper()
    if token.token_type is not TokenType.VAR or not 3 <= len(text) <= 12 or text in _KEYWORDS:
        return []
    alike = [(SequenceMatcher(None, text, word).ratio(), word) for word in _KEYWORDS if len(word) > 3]
    return [max(one for one in alike)] if max(alike)[0] >= (LIKE if len(text) > 3 else 0.85) else []


def _let_pass(sql: str, tokens: list[Token], trees: list[exp.Expr]) -> list[Mistake]:
    """What sqlglot reads over and no database takes."""
    found = []
    for before, token in zip(tokens, [*tokens[1:], None], strict=True):
        kind = before.token_type
        if kind is TokenType.COMMA and (token is None or token.token_type in _ENDS_LIST):
            found.append(_at(sql, before.start, Said("nothing follows this comma", "逗号之后没有内容")))
        elif kind in _COMPARES and token is not None and token.token_type in _COMPARES and token.text != "=":
            en, zh = "“{one}” and “{two}” stand side by side", "“{one}”和“{two}”连在了一起"
            found.append(_at(sql, before.start, said(en, zh, one=before.text, two=token.text)))
        elif kind is TokenType.SET and (token is None or token.token_type in (TokenType.WHERE, TokenType.SEMICOLON)):
            found.append(_at(sql, before.start, Said("SET changes nothing", "SET 之后没有要修改的列")))
    for tree in trees:
        for alias in tree.find_all(exp.TableAlias):
            name = alias.this
            if isinstance(name, exp.Identifier) and not name.quoted and name.name.upper() in _NO_ALIAS:
                place = next((t.start for t in reversed(tokens) if t.text.upper() == name.name.upper()), 0)
                en, zh = "“{word}” is not complete", "“{word}”不完整"
                found.append(_at(sql, place, said(en, zh, word=name.name.upper())))
    return found[:5]


def _at(sql: str, place: int, message: Said) -> Mistake:
    line = sql.count("\n", 0, place) + 1
    begin = sql.rfind("\n", 0, place) + 1
    end = sql.find("\n", place)
    text = sql[begin : len(sql) if end < 0 else end]
    column = place - begin + 1
    left = max(0, column - 60)
    cut = text[left : left + 100]
    wide = sum(2 if ord(c) > 0x2E7F else 1 for c in text[left : column - 1])
    return Mistake(words(message), line, column, f"{cut}\n{' ' * wide}^")


def marked(sql: str, place: int, message: Said) -> Mistake:
    """A mistake that the database found at that character (from 0)."""
    found = _at(sql, min(max(place, 0), len(sql)), message)
    return Mistake(found.message, found.line, found.column, found.near, "database")
