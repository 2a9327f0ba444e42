"""Labels along a reply's own way."""

import json
import math

import pytest

from pointsman.arbiter.llm.along import Likely, Position, along, chosen

LABELS = ["account", "account_unlock", "export_report"]


def way(*steps: dict[str, float]) -> list[Position]:
    """Each step: the token that was drawn first, then what could have stood there."""
    positions = []
    for step in steps:
        likely = tuple(Likely(token, math.log(share)) for token, share in step.items())
        positions.append(Position(likely[0].token, likely[0].logprob, likely))
    return positions


HEAD = ({'{"': 1.0}, {"label": 0.9}, {'":': 1.0}, {' "': 1.0})


def test_alternatives_count_and_what_leads_nowhere_does_not():
    steps = [*HEAD, {"account": 0.6, "export": 0.2, "Please": 0.2}, {"_unlock": 0.5, '"': 0.5}, {'"}': 1.0}]
    shares = along(way(*steps), LABELS, "label")
    assert shares == {
        "export_report": pytest.approx(0.25),
        "account_unlock": pytest.approx(0.375),
        "account": pytest.approx(0.375),
    }


def test_a_token_that_opens_the_string_and_begins_the_label():
    shares = along(way({'{"label":"exp': 0.7, '{"label":"acc': 0.3}, {"ort_report": 1.0}), LABELS, "label")
    assert shares == {
        "export_report": pytest.approx(0.7),
        "account": pytest.approx(0.15),
        "account_unlock": pytest.approx(0.15),
    }


def test_only_the_tokens_drawn():
    assert along(way(*HEAD, {"export": 0.4}, {"_report": 1.0}, {'"}': 1.0}), LABELS, "label") == {"export_report": 1.0}


def test_no_label():
    assert along([], LABELS, "label") is None
    assert along(way({"I": 1.0}, {" think": 1.0}), LABELS, "label") is None
    assert along(way(*HEAD, {"rm": 1.0}), LABELS, "label") is None


@pytest.mark.parametrize(
    "text, label",
    [
        (json.dumps({"label": "account"}), "account"),
        ('Here: {"label": "account_unlock",}', "account_unlock"),
        (" export_report\n", "export_report"),
        ('{"label": "rm -rf"}', None),
        ('{"name": "account"}', None),
        ("the account", None),
        ('{"label": ["account"]}', None),
    ],
)
def test_a_vote(text: str, label: str | None):
    assert chosen(text, LABELS, "label") == label
