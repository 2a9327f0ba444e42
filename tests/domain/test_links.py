"""Signed links: only what was signed opens, and only until it expires."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.links import Linked, LinkError, Links

LINKS = Links(b"k" * 32)
TOKEN = LINKS.sign(Linked("a.pdf", "销售报表.pdf", 1000))


def test_what_was_signed_opens_until_it_expires() -> None:
    assert LINKS.open(TOKEN, 1000.0) == Linked("a.pdf", "销售报表.pdf", 1000)
    with pytest.raises(LinkError) as error:
        LINKS.open(TOKEN, 1000.5)
    assert error.value.expired


def test_another_key_opens_nothing() -> None:
    with pytest.raises(LinkError) as error:
        Links(b"x" * 32).open(TOKEN, 0.0)
    assert not error.value.expired


@given(st.integers(0, len(TOKEN) - 1), st.characters(codec="ascii"))
def test_a_changed_character_opens_nothing_else(at: int, character: str) -> None:
    try:
        assert LINKS.open(TOKEN[:at] + character + TOKEN[at + 1 :], 0.0) == Linked("a.pdf", "销售报表.pdf", 1000)
    except LinkError as error:
        assert not error.expired


@given(st.text(max_size=80))
def test_any_text_is_refused(token: str) -> None:
    with pytest.raises(LinkError):
        LINKS.open(token, 0.0)
