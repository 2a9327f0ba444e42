"""Whose SQL a statement is: a fingerprint of tokens and vocabulary."""

from __future__ import annotations

from typing import Literal

from pointsman.extractors.sql_tokens import alone_on_line, opened, tokens

Dialect = Literal["mysql", "postgres", "sqlite", "tsql", "oracle"]

_WORDS_OF: dict[Dialect, str] = {  # only what no other of the five has
    "mysql": """
        AUTO_INCREMENT ENGINE UNSIGNED TINYINT MEDIUMINT MEDIUMTEXT LONGTEXT LONGBLOB MEDIUMBLOB GROUP_CONCAT
        STR_TO_DATE DATE_FORMAT CURDATE UNIX_TIMESTAMP FROM_UNIXTIME DATE_SUB DATE_ADD UTF8MB4 STRAIGHT_JOIN
        ZEROFILL SQL_CALC_FOUND_ROWS FIND_IN_SET LAST_INSERT_ID INNODB
    """,
    "postgres": """
        ILIKE SERIAL BIGSERIAL SMALLSERIAL JSONB TIMESTAMPTZ BYTEA ARRAY_AGG GENERATE_SERIES DATE_TRUNC
        TO_TSVECTOR TO_TSQUERY PLPGSQL UNNEST JSONB_BUILD_OBJECT GEN_RANDOM_UUID REGEXP_MATCHES PG_SLEEP
        CONCURRENTLY TSVECTOR UNLOGGED
    """,
    "sqlite": "PRAGMA AUTOINCREMENT ROWID SQLITE_MASTER SQLITE_SCHEMA STRFTIME GLOB JULIANDAY RANDOMBLOB",
    "tsql": """
        NVARCHAR GETDATE GETUTCDATE NOLOCK NEWID UNIQUEIDENTIFIER DATETIME2 XP_CMDSHELL SP_EXECUTESQL NTEXT
        SCOPE_IDENTITY CHARINDEX SYSDATETIME OUTPUT DATEPART IDENTITY_INSERT TRY_CONVERT SMALLDATETIME TRAN GO
    """,
    "oracle": """
        ROWNUM DUAL VARCHAR2 NVL SYSDATE NVARCHAR2 NVL2 SYSTIMESTAMP ADD_MONTHS MONTHS_BETWEEN PLS_INTEGER
        DBMS_OUTPUT LISTAGG PRIOR NOCYCLE USER_TABLES ALL_TABLES MINUS
    """,
}
_PAIRS_OF: dict[Dialect, str] = {
    "mysql": "DUPLICATE_KEY REPLACE_INTO INSERT_IGNORE SHOW_TABLES SHOW_CREATE CHARACTER_SET",
    "postgres": "DISTINCT_ON ON_CONFLICT",
    "sqlite": "WITHOUT_ROWID INSERT_OR",
    "tsql": "CROSS_APPLY OUTER_APPLY",
    "oracle": "CONNECT_BY START_WITH FETCH_FIRST",
}
_WORDS = {word: name for name, words in _WORDS_OF.items() for word in words.split()}
_PAIRS = {tuple(pair.split("_")): name for name, pairs in _PAIRS_OF.items() for pair in pairs.split()}
_SHARED = frozenset(
    (("FETCH", "FIRST"), ("ON", "CONFLICT"), ("REPLACE", "INTO"), ("START", "WITH"))
)  # these count half


def dialect(statement: str) -> Dialect | None:
    """The one that more of its signs speak for than for any other; None where none does, or two as strongly."""
    data = opened(statement)
    votes: dict[Dialect, int] = {}

    def vote(name: Dialect, weight: int = 2) -> None:
        votes[name] = votes.get(name, 0) + weight

    if b"/*!" in statement.encode("utf-8", "replace"):
        vote("mysql")
    previous, before_that = "", ""
    read = list(tokens(data))
    words = {token.text for token in read if token.kind == "word"}
    for index, token in enumerate(read):
        text = token.text if token.kind in ("word", "mark", "number") else ""
        if token.kind == "name":
            quote = data[token.start : token.start + 1]
            if quote == b"`":
                vote("mysql")
            elif quote == b"[" and previous not in ("ARRAY", "]", ")") and not token.text.isdigit():
                vote("tsql")
        elif token.kind == "word":
            known = _WORDS.get(text)
            if known and (
                alone_on_line(data, token)
                if text == "GO"
                else text != "XP_CMDSHELL"
                or previous in ("EXEC", "EXECUTE", ".")  # alone it is a word that one asks about
            ):
                vote(known)
            pair = _PAIRS.get((previous, text))
            if pair:
                vote(pair, 1 if (previous, text) in _SHARED else 2)
            if text == "RETURNING":
                vote("postgres")
            elif text.startswith("@@") or (text.startswith("@") and previous in ("DECLARE", "EXEC", "EXECUTE")):
                vote("tsql")
        elif text == "::" or text == "$$":
            vote("postgres")
        elif text == "," and before_that == "LIMIT":
            vote("mysql")
        elif (text == "(" and previous == "IDENTITY") or (
            text == ","
            and before_that == "("
            and index > 2
            and read[index - 3].text in ("ISNULL", "DATEADD", "DATEDIFF")
        ):
            vote("tsql")
        if previous == "INTERVAL" and token.kind in ("string", "number"):
            vote("postgres" if token.kind == "string" else "mysql", 1)
        if token.kind == "number" and (previous == "TOP" or (previous == "(" and before_that == "TOP")):
            vote("tsql")
        if text == "+" and 0 < index < len(read) - 1 and read[index - 1].text == "(" and read[index + 1].text == ")":
            vote("oracle", 1)
        before_that, previous = previous, text
    if "ENGINE" in words and b"=" not in data:
        votes["mysql"] = votes.get("mysql", 0) - 2
    ranked = sorted(votes.items(), key=lambda item: -item[1])
    if not ranked or ranked[0][1] < 1 or (len(ranked) > 1 and ranked[1][1] == ranked[0][1]):
        return None
    return ranked[0][0]
