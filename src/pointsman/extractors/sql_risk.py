"""What a statement would destroy. Strings, quoted names and comments do not count; case and white space neither."""

from __future__ import annotations

from collections.abc import Sequence

from pointsman.extractors.sql_tokens import Token, alone_on_line, opened, tokens

_FIRST_BEHIND = frozenset(
    (
        "",
        ";",
        "(",
        "BEGIN",
        "THEN",
        "ELSE",
        "AS",
        "DO",
        "LOOP",
        "EXPLAIN",
        "ANALYZE",
        "GO",
        "$$",
        "{",
        ")",
        "EXEC",
        "START",
    )
)
_OBJECTS = frozenset(
    """
    TABLE DATABASE SCHEMA VIEW INDEX USER ROLE PROCEDURE PROC FUNCTION TRIGGER SEQUENCE TYPE COLUMN EVENT
    TABLESPACE LOGIN EXTENSION MATERIALIZED TEMPORARY TEMP FOREIGN DOMAIN PACKAGE SYNONYM CONSTRAINT SERVER
    AGGREGATE POLICY PUBLICATION ASSEMBLY CREDENTIAL OWNED PUBLIC
    """.split()  # noqa: SIM905
)
_DEEPEST = 20  # brackets
_STOPS = frozenset(
    (";", "$$", "，", "。", "；", "？", "！", "、", "：", "“", "”")
)  # of a statement, or of the sentence around it


def destructive(statement: str) -> str | None:
    """Why the text, one statement or several, is dangerous: "drop", "truncate", "delete without where", "update without
    where", "always true where" (of DELETE and UPDATE), "alter drop", "grant all", "xp_cmdshell"; None where nothing is."""
    data = opened(statement)
    read = [
        Token("mark", ";", token.start, token.end) if token.text == "GO" and alone_on_line(data, token) else token
        for token in tokens(data)
    ]
    for index, token in enumerate(read):
        if token.text.upper() == "XP_CMDSHELL" and token.kind in ("word", "name"):
            return "xp_cmdshell"
        if token.kind == "word" and token.text in _CHECKS and _begins_here(read, index):
            why = _CHECKS[token.text](read, index)
            if why:
                return why
    return None


def _begins_here(read: Sequence[Token], index: int) -> bool:
    if not index:
        return True
    previous = read[index - 1]
    if previous.kind == "word":
        if previous.text == "THEN" and any(token.text == "MERGE" for token in read[max(0, index - 200) : index]):
            return False  # a branch of MERGE has the join for its condition
        return previous.text in _FIRST_BEHIND
    return previous.kind == "mark" and previous.text in _FIRST_BEHIND


def _text(read: Sequence[Token], index: int) -> str:
    return read[index].text if 0 <= index < len(read) and read[index].kind in ("word", "mark") else ""


def _drop(read: Sequence[Token], index: int) -> str | None:
    return (
        "drop"
        if _text(read, index + 1) in _OBJECTS or (index + 1 < len(read) and _text(read, index + 1) == "IF")
        else None
    )


def _truncate(read: Sequence[Token], index: int) -> str | None:
    following = read[index + 1] if index + 1 < len(read) else None
    return "truncate" if following is not None and following.kind in ("word", "name") else None


def _delete(read: Sequence[Token], index: int) -> str | None:
    words = _own_words(read, index)
    if not any(token.text == "FROM" for token in words[:12]) and len(words) < 2:
        return None
    return _where(read, index, "delete")


def _update(read: Sequence[Token], index: int) -> str | None:
    words = _own_words(read, index)
    if not any(token.kind == "word" and token.text == "SET" for token in words):
        return None
    return _where(read, index, "update")


def _alter(read: Sequence[Token], index: int) -> str | None:
    words = _own_words(read, index)
    for at, token in enumerate(words):
        if token.kind == "word" and token.text == "DROP" and at > 1:
            following = words[at + 1].text if at + 1 < len(words) else ""
            if following not in ("NOT", "DEFAULT", "IDENTITY", "EXPRESSION"):
                return "alter drop"
    return None


def _grant(read: Sequence[Token], index: int) -> str | None:
    return "grant all" if _text(read, index + 1) == "ALL" else None


_CHECKS = {"DROP": _drop, "TRUNCATE": _truncate, "DELETE": _delete, "UPDATE": _update, "ALTER": _alter, "GRANT": _grant}


def _own_words(read: Sequence[Token], index: int) -> list[Token]:
    """The tokens of the statement that begins there, on its own level of brackets."""
    depth = 0
    own: list[Token] = []
    for token in read[index:]:
        if token.kind == "mark":
            if token.text == "(":
                depth += 1
            elif token.text == ")":
                depth -= 1
                if depth < 0:
                    break
            elif token.text in (";", "$$") and depth == 0:
                break
        if depth == 0 or (depth and token.text == "(" and token.kind == "mark"):
            own.append(token)
    return own


def _where(read: Sequence[Token], index: int, verb: str) -> str | None:
    depth = 0
    condition: list[Token] | None = None
    for token in read[index:]:
        mark = token.text if token.kind == "mark" else ""
        depth += {"(": 1, ")": -1}.get(mark, 0)
        if depth < 0 or (depth == 0 and mark in _STOPS):
            break
        if depth == 0 and token.kind == "word" and token.text == "WHERE" and condition is None:
            condition = []
        elif condition is not None:
            if depth == 0 and token.kind == "word" and token.text in ("RETURNING", "ORDER", "LIMIT", "OPTION"):
                break
            condition.append(token)
    if condition is None:
        return f"{verb} without where"
    return "always true where" if _holds(condition) else None


def _holds(condition: Sequence[Token], nested: int = 0) -> bool | None:
    """Whether it holds for every row (1=1, TRUE, 'a'='a', id=id, x OR 1), for none, or for some (None)."""
    if not condition or nested > _DEEPEST:
        return None
    for word, decisive in (("OR", True), ("AND", False)):
        parts = _split(condition, word)
        if len(parts) > 1:
            said = [_holds(part, nested + 1) for part in parts]
            return decisive if decisive in said else None if None in said else not decisive
    if condition[0].text == "NOT" and condition[0].kind == "word":
        inner = _holds(condition[1:], nested + 1)
        return None if inner is None else not inner
    if _is(condition[0], "(") and _is(condition[-1], ")"):
        return _holds(condition[1:-1], nested + 1)
    return _compares(condition)


def _is(token: Token, mark: str) -> bool:
    return token.kind == "mark" and token.text == mark


def _split(condition: Sequence[Token], word: str) -> list[Sequence[Token]]:
    """Its parts between that word, outside brackets; the AND of a BETWEEN parts nothing."""
    parts: list[Sequence[Token]] = []
    depth = begin = 0
    between = False
    for at, token in enumerate(condition):
        if token.kind == "mark":
            depth += {"(": 1, ")": -1}.get(token.text, 0)
        elif token.kind == "word" and not depth:
            if token.text == word and not between:
                parts.append(condition[begin:at])
                begin = at + 1
            between = token.text == "BETWEEN" or (between and token.text != "AND")
    return [*parts, condition[begin:]]


def _compares(part: Sequence[Token]) -> bool | None:
    if len(part) == 1:
        kind, text = part[0].kind, part[0].text.upper()
        if kind == "number":
            return float(text) != 0
        return {"TRUE": True, "FALSE": False}.get(text) if kind == "word" else None
    if len(part) != 3:
        return None
    left, compare, right = part[0], part[1].text, part[2]
    if left.kind == right.kind == "number":
        a, b = float(left.text), float(right.text)
        return {"=": a == b, "<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b, "<>": a != b, "!=": a != b}.get(
            compare
        )
    if left.kind == right.kind == "string":
        same = left.text == right.text
        return {"=": same, "LIKE": same or None, "<>": not same, "!=": not same}.get(compare)
    if left.kind in ("word", "name") and right.kind in ("word", "name") and left.text.upper() == right.text.upper():
        return True if compare in ("=", "<=", ">=", "LIKE") else None
    return None
