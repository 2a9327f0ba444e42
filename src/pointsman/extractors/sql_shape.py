"""The beginnings of statements, as far as it takes to tell them from prose."""

from __future__ import annotations

from collections.abc import Sequence

from pointsman.extractors.sql_places import (
    behind_name,
    ends,
    follows_prose,
    in_capitals,
    is_alias,
    is_aside,
    is_mark,
    is_plain_word,
    token_at,
    word_at,
)
from pointsman.extractors.sql_short import begins_drop, begins_pragma, begins_truncate
from pointsman.extractors.sql_tokens import Token
from pointsman.extractors.sql_words import (
    AFTER_CREATED,
    AFTER_DELETE,
    AFTER_FROM,
    ALTERS,
    ARTICLES,
    BEFORE_OBJECT,
    KEYWORDS,
    NO_CLAUSES,
    OBJECTS,
    PRIVILEGES,
    REQUESTS,
)

_LONGEST_LIST = 200  # tokens between SELECT and FROM
_JOINS_TWO = ("UNION", "ALL", "EXCEPT", "INTERSECT", "MINUS", ")")


def begins(data: bytes, read: Sequence[Token]) -> bool:
    """These tokens, a verb first, are the beginning of a statement."""
    if len(read) < 2:
        return False
    check = _BEGINNINGS.get(read[0].text)
    return check is not None and check(data, read)


def has_body(read: Sequence[Token]) -> bool:
    """Statements of its own may stand within it, each with its semicolon."""
    return read[0].text == "CREATE" and any(
        t.text in ("FUNCTION", "PROCEDURE", "PROC", "TRIGGER", "EVENT") for t in read[1:6]
    )


def main_verb(read: Sequence[Token]) -> str:
    """Lower case. That of WITH is the first verb outside its brackets."""
    first = read[0].text
    if first == "EXECUTE":
        return "exec"
    if first != "WITH":
        return first.lower()
    depth = 0
    for token in read[1:]:
        depth += {"(": 1, ")": -1}.get(token.text, 0) if token.kind == "mark" else 0
        if not depth and token.kind == "word" and token.text in ("SELECT", "INSERT", "UPDATE", "DELETE", "MERGE"):
            return token.text.lower()
    return "select"


def _select(data: bytes, read: Sequence[Token]) -> bool:
    index = 1
    distinct = word_at(read, 1) == "DISTINCT"
    while word_at(read, index) in ("DISTINCT", "ALL", "TOP", "SQL_CALC_FOUND_ROWS"):
        top = read[index].text == "TOP"
        index += 1
        if top:
            index += 3 if word_at(read, index) == "(" else 1
    first, signs, row, depth, at = index, distinct or in_capitals(data, read[0]), 0, 0, None
    for index in range(first, min(len(read), first + _LONGEST_LIST)):
        token = read[index]
        if token.kind == "mark":
            row = 0
            depth += {"(": 1, ")": -1}.get(token.text, 0)
            if depth < 0 or token.text in ("?", ";", "!", "。", "，", "？"):
                break
            signs = signs or token.text in ("*", "(", "=", "||", "::") or token.text == ","
        elif token.kind == "word":
            if token.text in ("FROM", "INTO") and not depth:
                at = index
                break
            if not depth and (is_aside(token) or (token.text == "SELECT" and read[index - 1].text not in _JOINS_TWO)):
                return False
            if (
                token.text in ARTICLES
                and is_plain_word(token_at(read, index + 1))
                and token.text not in ("ALL", "ANY", "IN", "AND", "OR", "BETWEEN", "WHERE", "ON", "FOR", "OF", "TO")
                and not depth
            ):
                return False
            keyword = token.text in KEYWORDS
            row = 0 if keyword else row + 1
            if row > 2 or (row == 2 and not depth and not signs and "_" not in token.text):
                return False
            signs = signs or "_" in token.text
        else:
            row = 0
            signs = signs or token.kind in ("name", "string")
    if at is None:
        return _select_without_from(data, read, first)
    if at == first:
        return False
    if read[at].text == "INTO":
        return signs and at + 1 < len(read)
    if is_mark(token_at(read, at + 1), "("):
        return True
    behind = behind_name(read, at + 1)
    if behind == at + 1:
        return False
    if signs or any("_" in token.text or token.kind == "name" for token in read[at + 1 : behind]) or behind > at + 2:
        return True
    return not follows_prose(data, read[0]) and (
        ends(data, read, behind, AFTER_FROM) or is_alias(data, read, behind) or word_at(read, behind) in REQUESTS
    )


def _select_without_from(data: bytes, read: Sequence[Token], first: int) -> bool:
    """SELECT 1; SELECT NOW(): a number or a string with nothing of prose behind it, or a call."""
    token, following = token_at(read, first), token_at(read, first + 1)
    if token is None:
        return False
    if token.kind in ("number", "string"):
        return (
            in_capitals(data, read[0])
            or following is None
            or ((following.kind == "mark" and following.text != ".") or not following.text[0].isascii())
        )
    return token.kind == "word" and (
        token.text.startswith("@@") or (is_mark(following, "(") and token.end == read[first + 1].start)
    )


def _insert(data: bytes, read: Sequence[Token]) -> bool:
    index = 1
    while word_at(read, index) in (
        "IGNORE",
        "OR",
        "REPLACE",
        "LOW_PRIORITY",
        "DELAYED",
        "OVERWRITE",
        "ABORT",
        "ROLLBACK",
    ):
        index += 1
    if word_at(read, index) != "INTO":
        return False
    index += 1 + (word_at(read, index + 1) == "TABLE")
    behind = behind_name(read, index)
    if behind == index:
        return False
    following = word_at(read, behind)
    if following == "(":
        return True
    return following in ("VALUES", "VALUE", "SELECT", "SET", "DEFAULT", "AS", "WITH", "OUTPUT", "PARTITION") or word_at(
        read, behind + 1
    ) in ("VALUES", "(")


def _replace(data: bytes, read: Sequence[Token]) -> bool:
    return word_at(read, 1) == "INTO" and _insert(data, [read[0], *read[1:]])


def _update(data: bytes, read: Sequence[Token]) -> bool:
    index = 1 + (word_at(read, 1) in ("ONLY", "IGNORE", "LOW_PRIORITY"))
    if behind_name(read, index, False) == index:
        return False
    for at in range(index, min(len(read) - 2, index + 80)):
        if read[at].kind == "word" and read[at].text == "SET":
            behind = behind_name(read, at + 1, False)
            return (
                behind > at + 1
                and (word_at(read, behind) in ("=", "+", "-", "*") or word_at(read, at + 1).startswith("@"))
            ) or is_mark(token_at(read, at + 1), "(")
    return False


def _delete(data: bytes, read: Sequence[Token]) -> bool:
    index = 1
    if word_at(read, 1) != "FROM":
        index = behind_name(read, 1)
        while is_mark(token_at(read, index), ","):
            index = behind_name(read, index + 1)
        if index == 1 or word_at(read, index) != "FROM":
            return False
    index += 1 + (word_at(read, index + 1) == "ONLY")
    behind = behind_name(read, index)
    if behind == index:
        return False
    if in_capitals(data, read[0]) or word_at(read, behind) in AFTER_DELETE or is_alias(data, read, behind):
        return True
    return not follows_prose(data, read[0]) and ends(data, read, behind, AFTER_DELETE)


def _create(data: bytes, read: Sequence[Token]) -> bool:
    index = 1
    while word_at(read, index) in BEFORE_OBJECT:
        index += 1
    what = word_at(read, index)
    if what not in AFTER_CREATED:
        return False
    index += 1
    if what == "INDEX" and word_at(read, index) == "CONCURRENTLY":
        index += 1
    if word_at(read, index) == "IF" and word_at(read, index + 1) == "NOT" and word_at(read, index + 2) == "EXISTS":
        index += 3
    behind = behind_name(read, index)
    if what == "INDEX" and word_at(read, index) == "ON":
        return True
    if behind == index and word_at(read, index) != "string":
        return False
    behind = max(behind, index + 1)
    following = word_at(read, behind)
    return (
        following in AFTER_CREATED[what]
        or (following == "" and in_capitals(data, read[0]))
        or (
            in_capitals(data, read[0])
            and in_capitals(data, read[1])
            and what == "TABLE"
            and ends(data, read, behind, NO_CLAUSES)
        )
    )


def _alter(data: bytes, read: Sequence[Token]) -> bool:
    index = 2 if word_at(read, 1) in ("MATERIALIZED", "PUBLIC", "FOREIGN") else 1
    if word_at(read, index) not in OBJECTS and word_at(read, index) not in ("SYSTEM", "SESSION"):
        return False
    index += 1
    if word_at(read, index) == "IF" and word_at(read, index + 1) == "EXISTS":
        index += 2
    if word_at(read, index) == "ONLY":
        index += 1
    behind = max(behind_name(read, index), index + (word_at(read, index) == "string"))
    if is_mark(token_at(read, behind), "@"):
        behind += 2
    return (behind > index and word_at(read, behind) in ALTERS) or word_at(read, index) in ("SET", "KILL")


def _with(data: bytes, read: Sequence[Token]) -> bool:
    index = 1 + (word_at(read, 1) == "RECURSIVE")
    behind = behind_name(read, index, False)
    if behind == index:
        return False
    if is_mark(token_at(read, behind), "("):
        while behind < len(read) and not is_mark(read[behind], ")"):
            behind += 1
        behind += 1
    if word_at(read, behind) != "AS":
        return False
    behind += 1
    while word_at(read, behind) in ("NOT", "MATERIALIZED"):
        behind += 1
    return is_mark(token_at(read, behind), "(") and word_at(read, behind + 1) in (
        "SELECT",
        "VALUES",
        "INSERT",
        "UPDATE",
        "DELETE",
        "WITH",
        "(",
    )


def _grant(data: bytes, read: Sequence[Token]) -> bool:
    last = "TO" if read[0].text == "GRANT" else "FROM"
    known = word_at(read, 1) in PRIVILEGES
    on = next((n for n in range(1, min(len(read), 40)) if word_at(read, n) == "ON"), None)
    to = next((n for n in range(1, min(len(read), 60)) if word_at(read, n) == last), None)
    if to is None or to + 1 >= len(read):
        return False
    if known and (on is not None and on < to):
        return read[on + 1].text not in ARTICLES or read[on + 1].text == "ALL"
    return in_capitals(data, read[0]) and in_capitals(data, read[to]) and to <= 4


def _merge(data: bytes, read: Sequence[Token]) -> bool:
    index = 1 + (word_at(read, 1) == "INTO")
    behind = behind_name(read, index)
    return behind > index and any(word_at(read, n) == "USING" for n in range(behind, min(len(read), behind + 4)))


def _exec(data: bytes, read: Sequence[Token]) -> bool:
    if is_mark(token_at(read, 1), "(") and len(read) > 2:
        return read[2].kind == "string" or read[2].text.startswith("@")
    index = 3 if word_at(read, 1).startswith("@") and word_at(read, 2) == "=" else 1
    behind = behind_name(read, index)
    if behind == index or (
        read[0].text == "EXECUTE" and word_at(read, index) == "IMMEDIATE" and word_at(read, behind) == "string"
    ):
        return behind > index
    named = read[behind - 1].text
    if named.upper() == "XP_CMDSHELL":
        return True
    signed = (
        "_" in named
        or behind > index + 1
        or read[index].kind == "name"
        or named.upper().startswith(("SP", "XP", "USP"))
    )
    following = token_at(read, behind)
    argued = following is not None and (following.kind in ("string", "number") or following.text.startswith("@"))
    return (signed and (in_capitals(data, read[0]) or ends(data, read, behind, NO_CLAUSES) or argued)) or (
        argued and in_capitals(data, read[0])
    )


_BEGINNINGS = {
    "SELECT": _select,
    "INSERT": _insert,
    "REPLACE": _replace,
    "UPDATE": _update,
    "DELETE": _delete,
    "CREATE": _create,
    "ALTER": _alter,
    "DROP": begins_drop,
    "TRUNCATE": begins_truncate,
    "PRAGMA": begins_pragma,
    "WITH": _with,
    "GRANT": _grant,
    "REVOKE": _grant,
    "MERGE": _merge,
    "EXEC": _exec,
    "EXECUTE": _exec,
}
