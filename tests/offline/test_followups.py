"""What people do after a reply: who asks again, who says that it was not meant, and who does neither."""

from __future__ import annotations

import pytest

from pointsman.features.similar import alike, grams, objects
from pointsman.offline.audit.followups import Followups, Next, Reply

WHO = ("session", "key", "s1")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("vpn怎么连", "vpn 怎么连不上"),
        ("年假有几天", "我今年的年假有几天？"),
        ("導出報表", "導出報表!"),
        ("How do I connect to the VPN?", "how can I connect the vpn"),
        ("打印机在哪", "打印机在哪里啊"),
        ("hi", "Hi!"),
        ("ＶＰＮ坏了", "vpn坏了"),
        ("?", "？"),
    ],
)
def test_asks_again(first: str, second: str) -> None:
    assert alike(grams(first), grams(second)) and alike(grams(second), grams(first))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("vpn怎么连", "今天天气怎么样"),
        ("年假有几天", "打印机在哪里"),
        ("How do I connect to the VPN?", "How do I bake a cake for my mother?"),
        ("please summarize this text about the sea", "please translate this letter for my boss"),
        ("导出报表", "谢谢"),
        ("hi", "what time is it"),
    ],
)
def test_asks_something_else(first: str, second: str) -> None:
    assert not alike(grams(first), grams(second))


@pytest.mark.parametrize(
    "text",
    [
        "不是这个", "不是这个，我要的是日报", "我不是要导出，我是问怎么看", "我的意思是删除",
        "答非所问", "不对", "不对，是上周的", "错了！",
        "No, I meant the other one", "no i meant x", "That's not what I asked", "That’s wrong", "I didn't ask for that",
        "you misunderstood", "这不是我要的", "nope, the other",
    ],
)  # fmt: skip
def test_says_that_it_was_not_meant(text: str) -> None:
    assert objects(text)


@pytest.mark.parametrize(
    "text",
    [
        "不对称加密是什么", "错了一个字怎么改", "不是说有年假吗", "谢谢", "是这个", "对",
        "meaning of life", "no problem", "not sure yet",
        "what did he mean", "不要紧", "我要的", "", "nopeless", "这个不错",
    ],
)  # fmt: skip
def test_says_nothing_of_the_kind(text: str) -> None:
    assert not objects(text)


def reply(question: str = "vpn broken again", at: float = 0.0, rule: str = "vpn") -> Reply:
    return Reply(rule, rule, f"r{at}", at, question, WHO)


def coming(question: str, at: float, rule: str | None = None, earlier: tuple[str, ...] = ()) -> Next:
    return Next(f"n{at}", at, rule, question, list(earlier))


def test_within_ten_minutes_and_three_requests() -> None:
    for at, expected in ((599.0, ["asked_again"]), (601.0, [])):
        followups = Followups()
        followups.wait(reply())
        assert [reason for _, reason in followups.judge(WHO, coming("is the vpn broken", at))] == expected
    followups = Followups()
    followups.wait(reply())
    for number in range(3):
        assert followups.judge(WHO, coming("the weather of tomorrow", number)) == []
    assert not followups.anyone(WHO)
    assert followups.judge(WHO, coming("is the vpn broken", 5)) == []


def test_only_where_a_model_or_the_same_rule_takes_it() -> None:
    for rule, expected in ((None, 1), ("vpn", 1), ("other", 0)):
        followups = Followups()
        followups.wait(reply())
        assert len(followups.judge(WHO, coming("is the vpn broken", 5, rule))) == expected


def test_of_a_rule_on_trial_who_replied_instead_counts() -> None:
    """Without the rule, another one or a model replies, and is asked again."""
    for by, rule, expected in ((None, None, 1), ("other", "other", 1), ("other", "vpn", 0), ("other", None, 1)):
        followups = Followups()
        followups.wait(Reply("vpn", by, "r", 0.0, "vpn broken again", WHO))
        found = followups.judge(WHO, coming("is the vpn broken", 5, rule))
        assert len(found) == expected and not any(reply.taken for reply, _ in found)


def test_an_objection_counts_at_once_only() -> None:
    followups = Followups()
    followups.wait(reply())
    [(doubted, reason)] = followups.judge(WHO, coming("不是这个", 5))
    assert (reason, doubted.reasons) == ("said_so", {"said_so": "n5"})
    assert not followups.anyone(WHO)
    followups.wait(reply())
    followups.judge(WHO, coming("the weather of tomorrow", 5))
    assert followups.judge(WHO, coming("不是这个", 6)) == []


def test_another_conversation_says_nothing() -> None:
    followups = Followups()
    followups.wait(reply())
    assert followups.judge(WHO, coming("不是这个", 5, earlier=("a poem please",))) == []
    assert len(followups.judge(WHO, coming("不是这个", 6, earlier=("hello", "vpn broken again")))) == 1


def test_another_person_says_nothing_and_old_ones_are_forgotten() -> None:
    followups = Followups()
    followups.wait(reply())
    other = ("session", "key", "s2")
    assert followups.judge(other, coming("is the vpn broken", 5)) == []
    for number in range(1000):
        followups.wait(Reply("vpn", "vpn", "x", number * 100.0, "q", ("caller", str(number))))
    assert len(followups._waiting) < 20
