"""What an audit means: ranks, the bottom, who is doubted, trials, and what is advised."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.rule import Conditions, Rule
from pointsman.domain.said import told
from pointsman.offline.audit.outcome import (
    Arm,
    Audit,
    Known,
    Moved,
    RuleAudit,
    ShadowAudit,
    Suspected,
    Trial,
    Wrong,
)
from pointsman.offline.review.ranking import ranked
from pointsman.offline.review.report import Review, review
from pointsman.offline.review.trials import MARGIN, compare

NOW = 100 * 86_400.0


def known(rule: str, **changes: Any) -> Known:
    fields = {"kind": "answer", "guard": False, "first": 0.0, "last": NOW, "in_force": True}
    made = Rule(rule, "pack", 50, (), (), Conditions(), "answer", mode=changes.pop("mode", "enforce"))
    return Known(made, **{**fields, **changes})


def took(rule: str, hits: int, seconds: float | None, any: int = 0, kind: str = "target", **more: Any) -> RuleAudit:
    moved = (Moved(kind, "other", hits, seconds, 0.0),) if hits else ()
    texts = (Wrong("text", "asked_again", "id"),) if any else ()
    return RuleAudit(rule, hits, 0.0, 0.1, 0.2, {"ok": hits}, moved, Suspected(any=any, of=hits, texts=texts, **more))


def audit_of(*rules: RuleAudit, others: dict[str, Known] | None = None, **changes: Any) -> Audit:
    names = {each.rule: known(each.rule) for each in rules}
    whole = Audit(
        since=0.0, until=NOW, requests=0, reached=0, unread=0, sessions=0, costs={}, rules=rules, shadows=(), marks={},
        trials=(), near=(), sampled=0, sampled_share=1.0, known={**names, **(others or {})},
    )  # fmt: skip
    return msgspec.structs.replace(whole, **changes)


def told_of(judged: Review) -> dict[str, str]:
    return {each.rule: each.what for each in judged.advice}


class TestRanking:
    def test_value_is_seconds_less_the_price_of_doubts(self) -> None:
        rules = ranked(audit_of(took("a", 100, 500.0, 2, abandoned=5), took("b", 10, 450.0)), price=60.0)
        assert [(each.rule, each.value, each.rank) for each in rules] == [("b", 450.0, 1), ("a", 350.0, 2)]
        assert ranked(audit_of(took("a", 9, 5.0, 1)), price=1.0)[0].value == 4.0

    def test_the_lowest_fifteen_percent_of_those_old_enough(self) -> None:
        audits = [took(f"r{number:02}", 10, 100.0 + number) for number in range(20)]
        rules = ranked(audit_of(*audits))
        assert [each.rule for each in rules if each.bottom] == ["r02", "r01", "r00"]
        young = {"r00": known("r00", first=NOW - 86_400)}
        assert [e.rule for e in ranked(audit_of(*audits, others=young)) if e.bottom] == ["r03", "r02", "r01"]

    def test_rules_for_safety_and_those_gone_are_not_ranked(self) -> None:
        others = {
            "refusal": known("refusal", kind="refuse"),
            "guard": known("guard", guard=True),
            "gone": known("gone", in_force=False),
            "idle": known("idle"),
            "off": known("off", mode="shadow"),
        }
        audits = [took(name, 10, 1.0) for name in ("refusal", "guard", "gone", "good")]
        rules = ranked(audit_of(*audits, others=others))
        ranks = {each.rule: each.rank for each in rules}
        assert ranks == {"good": 1, "idle": 2, "refusal": None, "guard": None, "gone": None}

    @pytest.mark.parametrize(
        ("any", "of", "doubted", "maybe"),
        [
            (1, 3, True, False),
            (1, 4, False, True),
            (0, 50, False, False),
            (10, 100, True, False),
            (8, 100, False, True),
            (2, 100, False, False),
        ],
    )
    def test_surely_over_five_percent(self, any: int, of: int, doubted: bool, maybe: bool) -> None:
        [each] = ranked(audit_of(took("a", of, 1e6, any)))
        assert (each.doubted, each.maybe) == (doubted, maybe)


class TestAdvice:
    def test_each_kind(self) -> None:
        judged = review(
            audit_of(
                took("narrow", 200, 1e5, 30),
                took("wrong", 100, 1e5, 60),
                took("double", 100, 0.0, kind="rule"),
                took("dear", 1000, 60.0, 2),
                took("good", 1000, 1e5),
                took("guard", 100, 0.0, 60),
                others={
                    "never": known("never"),
                    "fresh": known("fresh", first=NOW - 3600),
                    "guard": known("guard", guard=True),
                    "shade": known("shade", mode="shadow"),
                    "dark": known("dark", mode="shadow"),
                },
                shadows=(ShadowAudit("shade", 50, {"big": 50}, 80.0),),
            )
        )
        assert told_of(judged) == {
            "narrow": "narrow", "wrong": "shadow", "double": "drop", "dear": "narrow", "never": "drop", "guard": "narrow",
            "shade": "raise", "dark": "drop",
        }  # fmt: skip
        narrow = next(each for each in judged.advice if each.rule == "narrow")
        assert narrow.texts == (Wrong("text", "asked_again", "id"),)
        for each in judged.advice:
            assert told(each.why, "zh") != told(each.why, "en")
        assert {each.rule for each in judged.doubted} == {"narrow", "wrong", "guard"}

    def test_an_empty_audit_advises_nothing(self) -> None:
        judged = review(audit_of())
        assert (judged.rules, judged.advice, judged.trials) == ((), (), ())


def arm(people: int, requests: int, suspected: int, seconds: float = 0.0) -> Arm:
    """Of people with as many requests each; those suspected are spread evenly."""
    each, rest = divmod(suspected, people)
    return Arm(tuple((requests, each + (place < rest), 0, seconds * requests) for place in range(people)))


class TestTrials:
    def test_better(self) -> None:
        found = compare(Trial("r", 50, arm(100, 20, 20), arm(100, 20, 200, 3.0)))
        assert found.verdict == "better" and found.more is None
        assert found.suspected == pytest.approx(0.01 - 0.1)
        low, high = found.suspected_interval
        assert low < -0.09 < high < 0
        assert found.seconds == -3.0 and found.seconds_interval == pytest.approx((-3.0, -3.0))
        assert "Better" in found.sentence and "更好" in found.sentence.zh

    def test_worse_and_the_same(self) -> None:
        assert compare(Trial("r", 50, arm(100, 20, 200), arm(100, 20, 20))).verdict == "worse"
        assert compare(Trial("r", 50, arm(500, 20, 200), arm(500, 20, 200))).verdict == "same"

    def test_too_little_says_how_many_more(self) -> None:
        found = compare(Trial("r", 50, arm(20, 5, 5), arm(20, 5, 5)))
        assert found.verdict == "too_little" and found.more is not None and found.more > 100
        more = (200 + found.more) / 200
        later = compare(
            Trial("r", 50, arm(round(20 * more), 5, round(5 * more)), arm(round(20 * more), 5, round(5 * more)))
        )
        low, high = later.suspected_interval
        assert high - low < 2.6 * MARGIN
        assert str(found.more) in found.sentence

    def test_few_people_settle_nothing_however_much_they_ask(self) -> None:
        found = compare(Trial("r", 50, arm(2, 10_000, 0), arm(2, 10_000, 9_000)))
        assert found.verdict == "too_little" and found.more is None
        assert "people" in found.sentence
        alone = compare(Trial("r", 50, Arm(((5, 0, 0, 1.0),)), Arm(())))
        assert alone.verdict == "too_little" and alone.seconds_interval is None

    def test_people_who_differ_widen_the_interval(self) -> None:
        """The same sums: spread over all, or all of a fifth of the people."""
        even = compare(Trial("r", 50, arm(50, 10, 100), arm(50, 10, 100)))
        lumps = Arm(tuple((10, 10 if place < 10 else 0, 0, 0.0) for place in range(50)))
        lumped = compare(Trial("r", 50, lumps, lumps))
        assert even.suspected == lumped.suspected == 0
        assert lumped.suspected_interval[1] > 2 * even.suspected_interval[1]

    @given(st.lists(st.tuples(st.integers(1, 9), st.booleans()), max_size=30), st.data())
    def test_whatever_comes_it_speaks(self, people: list[tuple[int, bool]], data: st.DataObject) -> None:
        sums = [(of, data.draw(st.integers(0, of)), 0, float(of)) for of, _ in people]
        taken = Arm(tuple(each for each, (_, side) in zip(sums, people, strict=True) if side))
        left = Arm(tuple(each for each, (_, side) in zip(sums, people, strict=True) if not side))
        found = compare(Trial("r", 50, taken, left))
        low, high = found.suspected_interval
        assert low <= found.suspected + 1e-9 and found.suspected - 1e-9 <= high
        assert found.sentence and found.sentence.zh and (found.more is None or found.more > 0)
