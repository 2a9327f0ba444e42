"""In what two policy documents differ, and documents of parts of both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from offline.replay.scored_log import RULES, policy
from pointsman.domain.policy import PolicyDocument, Weights
from pointsman.domain.quality import Quality
from pointsman.offline.replay.parts import (
    FIELDS,
    GROUP_OF,
    Part,
    exchanged,
    only_scores,
    parts_that_differ,
    spares_rules,
    with_rule,
)  # fmt: skip

OTHER = RULES.replace("holiday", "leave").replace("年假", "事假")


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> PolicyDocument:
    return policy(tmp_path_factory.mktemp("own")).document


def changed(document: PolicyDocument, **fields: Any) -> PolicyDocument:
    return msgspec.structs.replace(document, **fields)


def as_read(document: PolicyDocument) -> PolicyDocument:
    return msgspec.msgpack.decode(document.encode(), type=PolicyDocument)


def test_nothing_differs_from_what_a_log_gives_back(document: PolicyDocument) -> None:
    assert parts_that_differ(as_read(document), as_read(changed(document, version="0.0"))) == ()


def test_each_part_is_named(document: PolicyDocument, tmp_path: Path) -> None:
    def also(config: dict[str, Any]) -> None:
        config["routes"] = [{"name": "short", "match": {"max_tokens": 9}, "target": "light", "priority": 1}]
        config["policy"] = {"cheap": {"quality": 0.1, "latency": 0.1, "cost": 1.0}}
        config["entries"] = {"auto": {"policy": "cheap"}}
        config["quality"] = {"explore": 0.1}
        config["server"] = {"timezone": "Asia/Shanghai"}

    other = as_read(policy(tmp_path, also, OTHER).document)
    found = parts_that_differ(as_read(document), other)
    assert set(found) == {
        Part("rule", "holiday", "removed"),
        Part("rule", "leave", "added"),
        Part("route", "short", "added"),
        Part("weights", "good", "removed"),
        Part("weights", "cheap", "added"),
        Part("entry", "auto", "changed"),
        Part("explore", "0.1", "changed"),
        Part("time", "Asia/Shanghai", "changed"),
    }
    back = {(part.kind, part.name): part.how for part in parts_that_differ(other, as_read(document))}
    assert back["rule", "holiday"] == "added" and back["weights", "cheap"] == "removed"


def test_notes_of_authors_are_no_difference_but_order_is(document: PolicyDocument) -> None:
    [rule] = document.rules
    noted = msgspec.structs.replace(rule, owner="ops", since="2030-01-01", cases=(), source="elsewhere")
    assert parts_that_differ(document, changed(document, rules=(noted,))) == ()
    second = msgspec.structs.replace(rule, id="second")
    one, two = (changed(document, rules=order) for order in ((rule, second), (second, rule)))
    assert parts_that_differ(one, two) == (Part("rule", "(order)", "moved"),)


def test_what_touches_scores_alone_and_what_spares_rules(document: PolicyDocument) -> None:
    other = changed(document, weights={"good": Weights(1.0, 0.5, 0.2)}, explore=0.1)
    assert only_scores(parts_that_differ(document, other)) and spares_rules(parts_that_differ(document, other))
    table = changed(document, quality=(Quality("qwen2.5:3b", None, 0.5, 10),))
    assert not only_scores(parts_that_differ(document, table)) and spares_rules(parts_that_differ(document, table))
    assert not spares_rules(parts_that_differ(document, changed(document, rules=())))


def test_every_field_that_decides_can_be_exchanged(document: PolicyDocument, tmp_path: Path) -> None:
    fields = [name for names in FIELDS.values() for name in names]
    assert sorted([*fields, "version"]) == sorted(PolicyDocument.__struct_fields__)
    assert set(GROUP_OF.values()) <= set(FIELDS)
    other = policy(tmp_path, rules=OTHER).document
    both = exchanged(document, other, "rules")
    assert [rule.id for rule in both.rules] == ["leave"] and both.routes == document.routes
    assert [rule.id for rule in with_rule(document, other, "leave").rules] == ["holiday", "leave"]
    assert with_rule(document, other, "holiday").rules == ()
