from __future__ import annotations

from pointsman.domain.rule import Term
from pointsman.rules.fold import fold
from pointsman.rules.index import Index
from pointsman.rules.terms import compile_term


def seen(terms: list[Term], text: str) -> set[str]:
    finders = [compile_term(term) for term in terms]
    folded = fold(text)
    found, possible = Index(finders).scan(folded)
    return {terms[number].value for number in found | {number for number in possible if finders[number].occurs(folded)}}


def words(*values: str) -> list[Term]:
    return [Term("word", value) for value in values]


def test_words_stand_free() -> None:
    terms = words("hi", "PDF", "c++", "报表", "no way", "a_b")
    assert seen(terms, "this is c++") == {"c++"}
    assert seen(terms, "导出PDF报表 hi") == {"hi", "PDF", "报表"}
    assert seen(terms, "no wayward; no way") == {"no way"}
    assert seen(terms, "pdf_1 a_b_") == set()
    assert seen(terms, "ＰＤＦ") == {"PDF"}


def test_extensions_end_there() -> None:
    terms = [Term("extension", ".py"), Term("extension", ".js")]
    assert seen(terms, "a.pyc b.json") == set()
    assert seen(terms, "main.PY，和b.js里") == {".py", ".js"}


def test_very_long_and_deeply_nested_words() -> None:
    nested = words(*("哈" * size for size in range(1, 30)), "长" * 200)
    assert seen(nested, "哈" * 12) == {"哈" * size for size in range(1, 13)}
    assert seen(nested, "长" * 199) == set()
    assert seen(nested, "x" + "长" * 201) == {"长" * 200}


def test_a_long_repetitive_text_is_exact_past_the_budget() -> None:
    terms = words(*("哈" * size for size in range(1, 9)), "末", "😀尾", "哈哈 b", "b c")
    text = "哈" * 30_000 + "末😀尾" + "哈哈 bb" + "哈哈 b" + " bb cc"
    assert seen(terms, text) == {*("哈" * size for size in range(1, 9)), "末", "😀尾", "哈哈 b"}
