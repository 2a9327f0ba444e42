"""From a day of traffic to the rules that it suggests."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from offline_mining.traffic import (
    a_day,
    export_requests,
    near_misses,
    other_requests,
    random_sentences,
    shuffled_words,
)
from pipeline.policies import policy_of
from pointsman.config.yaml_source import parse_yaml
from pointsman.offline.mining.corpus import places_of
from pointsman.offline.mining.engine import Engine, parsed_rule
from pointsman.offline.mining.mine import mine
from pointsman.offline.mining.proposal import Mined, Proposal
from pointsman.offline.question import Question, Questions
from pointsman.pipeline.book_cases import features_of
from pointsman.rules import compile_rules, failed_cases, missing_cases, parse_rules
from thorough import tries


def asked(texts: list[str], **fields: object) -> Questions:
    return Questions(tuple(Question(text, **fields) for text in texts))  # type: ignore[arg-type]


@cache
def mined(seed: int) -> tuple[Mined, list[str], set[str]]:
    texts, wanted = a_day(seed)
    return mine(asked(texts)), texts, wanted


def taken(proposal: Proposal, texts: list[str]) -> set[str]:
    bits = Engine(texts).taken(parsed_rule(proposal.rule), (1 << len(texts)) - 1)
    return {texts[place] for place in places_of(bits)}


def test_one_export_rule_comes_of_127_requests_among_2000_others() -> None:
    result, texts, wanted = mined(0)
    assert (result.questions, len(wanted)) == (2127, 127)
    [proposal] = [each for each in result.proposals if each.rule.get("action") == "export_report"]
    found = taken(proposal, texts)
    assert len(found & wanted) >= 0.85 * len(wanted)
    assert len(found & wanted) >= 0.99 * len(found)
    assert proposal.low <= proposal.precision <= proposal.high
    assert proposal.questions == sum(text in found for text in texts)
    assert proposal.share == proposal.questions / 2127


@pytest.mark.slow
@pytest.mark.parametrize("seed", [11, 22, 33, 44, 55, 66])
def test_on_other_days_too(seed: int) -> None:
    result, texts, wanted = mined(seed)
    [proposal] = [each for each in result.proposals if each.rule.get("action") == "export_report"]
    found = taken(proposal, texts)
    assert len(found & wanted) >= 0.85 * len(wanted)
    assert len(found & wanted) >= 0.99 * len(found)


def test_the_estimate_is_near_the_truth_where_it_can_be_known() -> None:
    result, texts, wanted = mined(0)
    [proposal] = result.proposals
    found = taken(proposal, texts)
    truth = len(found & wanted) / len(found)
    assert proposal.low <= truth + 0.02 and proposal.precision >= 0.9
    assert proposal.tried > 80


def test_a_proposal_is_a_rule_that_holds_its_cases() -> None:
    [proposal] = mined(0)[0].proposals
    data = parse_yaml(proposal.yaml, "mined.yaml").data
    assert data == [proposal.rule]
    rules = parse_rules(data, pack="mined")
    assert missing_cases(rules[0]) is None
    assert not failed_cases(compile_rules(rules), rules, features_of)
    assert len(proposal.examples) >= 3 and len(proposal.counter_examples) >= 3
    assert {edge["takes"] for edge in proposal.rule["boundary"]} == {True, False}


def test_cases_come_from_the_traffic() -> None:
    [proposal] = mined(0)[0].proposals
    texts, wanted = mined(0)[1:]
    assert set(proposal.examples) <= wanted
    assert set(proposal.counter_examples) <= set(texts) - wanted
    assert any(text in near_misses() for text in proposal.counter_examples)


@pytest.mark.parametrize(
    "texts",
    [
        random_sentences(2000),
        shuffled_words(a_day()[0]),
        other_requests(1500, 9),
        ["你好"] * 500,
        [],
    ],
    ids=["random", "shuffled", "diverse", "greetings", "nothing"],
)
def test_nothing_is_worth_a_rule_in_noise(texts: list[str]) -> None:
    assert mine(asked(texts)).proposals == ()


def test_shuffling_destroys_what_was_there() -> None:
    """The very words of the day from which a rule came, dealt anew."""
    assert mined(0)[0].proposals
    texts = [" ".join(random.Random(number).sample(text, len(text))) for number, text in enumerate(mined(0)[1])]
    pieces = " ".join(texts).split(" ")
    random.Random(1).shuffle(pieces)
    assert mine(asked(["".join(pieces[place : place + 9]) for place in range(0, 9000, 9)])).proposals == ()


WIFI = [
    f"{place}{net}{what}"
    for place in ("公司", "访客", "三楼", "")
    for net in ("wifi", "无线网", "WiFi")
    for what in ("密码是多少", "密码", "密码是啥", "的密码告诉我一下")
]


def test_a_question_with_one_answer_becomes_a_rule_with_an_answer() -> None:
    texts = WIFI + other_requests(900, 4) + ["忘记邮箱密码了", "wifi信号很差", "数据库密码怎么改"] * 2
    random.Random(1).shuffle(texts)
    [proposal] = mine(asked(texts)).proposals
    assert proposal.rule["answer"].startswith("<") and "action" not in proposal.rule
    assert proposal.rule["when"]["tools"] is False
    found = taken(proposal, texts)
    assert len(found & set(WIFI)) >= 0.85 * len(set(WIFI))
    assert found <= set(WIFI)


def test_what_rules_took_already_is_not_proposed() -> None:
    exports = Questions(tuple(Question(text, untaken=False) for text in export_requests(127)))
    others = asked(other_requests(900))
    result = mine(Questions(exports.found + others.found))
    assert result.proposals == ()
    assert result.taken == 127


def test_labels_are_what_counts() -> None:
    texts, wanted = a_day()
    blind = {text for text in wanted if "PDF" in text or "pdf" in text}
    labelled = Questions(tuple(Question(text, label="a" if text in blind else "b") for text in texts))
    for proposal in mine(labelled).proposals:
        found = taken(proposal, texts)
        right = len(found & blind) / len(found)
        assert max(right, 1 - right) > 0.9  # one label or the other, never a mixture of both


def test_whatever_names_a_person_is_not_quoted() -> None:
    texts = [text.replace("发我", "发到zhang.san@corp.cn") for text in export_requests(127)] + other_requests(900)
    [proposal] = mine(asked(texts)).proposals
    assert "zhang.san" in str(sorted(taken(proposal, texts)))
    assert "zhang.san" not in proposal.yaml


def test_ids_times_and_repetitions_count() -> None:
    exports = [Question(text, id=f"req_{number}", seconds=2.0) for number, text in enumerate(export_requests(60))]
    twice = [msgspec.structs.replace(each, id=each.id + "b", seconds=None) for each in exports]
    others = [Question(text, id=f"o{number}", seconds=9.0) for number, text in enumerate(other_requests(900))]
    result = mine(Questions((*exports, *twice, *others), unread=7))
    [proposal] = result.proposals
    found = taken(proposal, [each.text for each in exports])
    assert proposal.questions == 2 * len(found) == len(proposal.ids)
    assert set(proposal.ids) == {each.id for each in (*exports, *twice) if each.text in found}
    assert (proposal.timed, proposal.seconds) == (len(found), 2.0 * len(found))
    assert (result.questions, result.unread, result.different < result.questions) == (1020, 7, True)


def test_conflicts_with_the_rules_in_force(tmp_path: Path) -> None:
    rules = """
- id: mined_export_report
  when: {any: [导出]}
  answer: no
  examples: [导出]
  counter_examples: [x]
  boundary: [{text: y, takes: false}]
"""
    backend = {"engine": "ollama", "model": "m"}
    config = {
        "models": {"light": {"backends": [backend]}},
        "fallback": {"target": "light"},
        "rules": {"files": ["r.yaml"], "packs": []},
    }
    policy = policy_of(tmp_path, config, {"r.yaml": rules})
    texts = export_requests(80) + other_requests(600)
    [proposal] = mine(asked(texts), policy=policy).proposals
    assert proposal.id == "mined_export_report_2" and "mined_export_report_2" in proposal.yaml
    kinds = {conflict.kind: conflict for conflict in proposal.conflicts}
    with_word = sum("导出" in text for text in taken(proposal, texts))
    assert kinds["takes"].count == with_word and kinds["takes"].rule == "mined_export_report"
    assert kinds["overlap"].rule == "mined_export_report"
    assert str(with_word) in kinds["takes"].message.zh


def test_both_languages() -> None:
    texts = export_requests(80) + other_requests(600) + near_misses()
    [zh] = mine(asked(texts), tongue="zh").proposals
    [en] = mine(asked(texts), tongue="en").proposals
    whys = [{edge["why"] for edge in each.rule["boundary"]} for each in (zh, en)]
    assert any("的" in why for why in whys[0]) and all(why.isascii() for why in whys[1])


def test_the_same_questions_give_the_same_proposals() -> None:
    texts = export_requests(60) + other_requests(400)
    assert mine(asked(texts)) == mine(asked(texts))


def test_limits() -> None:
    texts = export_requests(60) + WIFI + other_requests(700)
    assert {each.id.split("_")[1] for each in mine(asked(texts)).proposals} == {"export", "wifi"}
    assert len(mine(asked(texts), limit=1).proposals) == 1
    [larger] = mine(asked(texts), min_share=0.0605).proposals
    assert larger.rule["action"] == "export_report"
    few = mine(asked(texts), most=100)
    assert few.different == 100 and few.left_out + few.questions == len(texts)


@settings(max_examples=tries(18, 60), deadline=None)
@example(["导出报表\ud800"])
@example(["导出 上周 /b/ 报表\n", "$c{x}PDF导出"])
@given(
    st.lists(
        st.lists(
            st.sampled_from(
                [
                    "导出",
                    "上周",
                    "报表",
                    "PDF",
                    "\ud800",
                    "\x00",
                    "😀",
                    "'\": #",
                    "\n",
                    "{x}",
                    "wi-fi",
                    "，",
                    "a",
                    "/b/",
                    "$c",
                ]
            ),
            min_size=1,
            max_size=5,
        ).map("".join),
        min_size=1,
        max_size=4,
    )
)
def test_any_text_at_all_gives_rules_that_load_or_none(parts: list[str]) -> None:
    texts = [f"{part}{end}" for part in parts for end in ("", "吧", "？", "1", "2", "啊")] * 3
    result = mine(asked(texts + other_requests(60)), most=80)
    for proposal in result.proposals:
        [rule] = parse_rules(parse_yaml(proposal.yaml, "mined.yaml").data, pack="mined")
        assert not failed_cases(compile_rules([rule]), [rule], features_of)
