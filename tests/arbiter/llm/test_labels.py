"""All spellings of a label count for it."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.arbiter.llm.labels import candidates, settle, split

LABELS = ["account", "account_unlock", "export_report", "open_ended"]


@pytest.mark.parametrize(
    "text, left",
    [
        ("", LABELS),
        ("a", ["account", "account_unlock"]),
        ("Acc", ["account", "account_unlock"]),
        (' "exp', ["export_report"]),
        ("account", ["account", "account_unlock"]),
        ("account_", ["account_unlock"]),
        ("account\n", ["account"]),
        ('account"}', ["account"]),
        ("account<|im_end|>", ["account"]),
        ("accounts", []),
        ("Please", []),
    ],
)
def test_what_a_reply_can_still_be(text: str, left: list[str]):
    assert candidates(text, LABELS) == left


def test_spellings_are_summed_and_the_rest_is_taken_as_the_whole():
    tokens = [("export", 0.2), (" ex", 0.1), ('"e', 0.1), ("acc", 0.3), ("a", 0.1), ("Please", 0.2)]
    decided, longer = settle("", tokens, LABELS)
    assert decided == {"export_report": pytest.approx(0.5)}
    assert longer == {"acc": pytest.approx(0.375), "a": pytest.approx(0.125)}
    decided, longer = settle("account", [("_", 0.5), ("\n", 0.25), ("s", 0.25)], LABELS)
    assert decided == {"account_unlock": pytest.approx(2 / 3), "account": pytest.approx(1 / 3)} and not longer


def test_a_reply_that_ends_is_the_label_that_it_is():
    assert settle("account", [("", 1.0)], LABELS) == ({"account": 1.0}, {})
    assert settle("acc", [("", 1.0)], LABELS) == ({}, {})


def test_no_label_at_all():
    assert settle("", [("Sure", 1.0)], LABELS) == ({}, {}) == settle("", [], LABELS)
    assert split("a", 0.5, LABELS) == {"account": 0.25, "account_unlock": 0.25}


names = st.text("ab_", min_size=1, max_size=6)


@given(st.lists(names, min_size=1, max_size=6, unique=True), st.integers(0, 9999))
def test_shares_are_those_of_the_labels_whatever_the_tokens(labels: list[str], seed: int):
    """A model that writes each label with a known probability, now in letters, now in one piece."""
    weights = [1 + (seed * 7 + place * 13) % 10 for place in range(len(labels))]
    wanted = {label: weight / sum(weights) for label, weight in zip(labels, weights, strict=True)}

    def next_tokens(begun: str) -> list[tuple[str, float]]:
        rest = {label + "\n": share for label, share in wanted.items() if (label + "\n").startswith(begun)}
        letters = random.Random(f"{seed} {begun}").random()
        found: dict[str, float] = {}
        for text, share in rest.items():
            left = text[len(begun) :]
            for token, part in ((left[0], letters), (left, 1.0 - letters)):
                found[token] = found.get(token, 0.0) + share * part
        return list(found.items())

    shares, waiting = dict.fromkeys(labels, 0.0), {"": 1.0}
    while waiting:
        text, share = waiting.popitem()
        decided, longer = settle(text, next_tokens(text), labels)
        assert sum(decided.values()) + sum(longer.values()) == pytest.approx(1.0)
        for label, part in decided.items():
            shares[label] += share * part
        for more, part in longer.items():
            waiting[more] = waiting.get(more, 0.0) + share * part
    assert shares == {label: pytest.approx(wanted[label]) for label in labels}
