"""Does the conversation wait for the message? Then "ok" is an answer, and no rule may take it for small talk."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.request import Request, Turn
from pointsman.features.conversation import asks, is_awaited, matter

AWAITS = [
    "您希望我用表格还是列表展示结果？",
    "这样可以吗",
    "要不要我顺便检查一下第三章？",
    "请问您的订单号是多少？",
    "找到两个同名文件，要删除哪一个？",
    "如果没有问题，我就按这个方案执行了，您看行吗？",
    "以上是初稿。需要我再精简一些吗？",
    "你更喜欢哪种风格：简约，还是复古？",
    "请回复“确认”以继续。",
    "把报错信息发给我，我来看看。",
    "想先学语法，还是先背单词？",
    "我可以帮你写一封回信，如果你愿意的话。",
    "准备好了就告诉我。",
    "请先选择一个选项：\n1. 退款\n2. 换货\n3. 维修",
    "需要的话我可以把它翻译成英文。",
    "输入“下一步”继续。",
    "接下来我会删除这些旧日志，确认请回复好的。",
    "你今天过得怎么样？",
    "明白了。还有别的要改的吗？",
    "我猜一个数字，你来猜大小，开始吧！",
    "这道题你选 A 还是 B？",
    "请提供收件人的姓名和电话。",
    "是否需要同时导出 Excel 版本？",
    "说“停”我就停下来。",
    "这一段写完了，要继续写下一章吗？",
    "Would you like me to book the earlier flight?",
    "Shall I go on?",
    "Do you want the short or the long version?",
    "Let me know if that works for you.",
    "Please confirm the delivery address before I place the order.",
    "Reply YES to proceed.",
    "Which of these two colours do you prefer?",
    "I can also draft the follow-up email if you'd like.",
    "Should I delete the temporary files as well?",
    "Here is the first paragraph. Ready for the next one?",
    "Tell me when you are ready.",
    "To continue, type 'next'.",
    "Could you share the stack trace?",
    "Pick one:\n1. Tea\n2. Coffee\n3. Water",
    "That is the outline. Want me to expand the second section?",
    "Are you sure you want to cancel your subscription?",
    "Your turn! Guess a letter.",
    "Say when.",
    "Is that okay with you?",
    "What size do you wear?",
    "I'll send it to legal once you approve.",
    "How does that sound?",
    "Before I run this migration, have you taken a backup?",
]
DONE = [
    "水的沸点是一百摄氏度。",
    "《红楼梦》的作者是曹雪芹。",
    "二加二等于四。",
    "北京是中国的首都，人口约两千一百万。",
    "会议纪要已经整理完毕，全文如上。",
    "光在真空中的速度约为每秒三十万公里。",
    "The capital of France is Paris.",
    "5 miles is about 8.05 km.",
    "Water boils at 100 degrees Celsius at sea level.",
    "The function returns the sum of its arguments.",
    "Shakespeare wrote Hamlet around 1600.",
    "Your files were compressed to 12 MB.",
]


def talk(*turns: tuple[str, str]) -> Request:
    return Request("i", "chat", "auto", tuple(Turn(role, text) for role, text in turns))


def test_there_are_sixty_endings() -> None:
    assert len({*AWAITS, *DONE}) == 60


@pytest.mark.parametrize("ending", AWAITS)
def test_the_assistant_waits(ending: str) -> None:
    assert asks(ending)
    assert is_awaited(talk(("user", "x"), ("assistant", ending), ("user", "ok")))


@pytest.mark.parametrize("ending", DONE)
def test_the_assistant_is_done(ending: str) -> None:
    assert not asks(ending)
    assert not is_awaited(talk(("user", "x"), ("assistant", ending), ("user", "ok")))


@pytest.mark.parametrize("ending", AWAITS)
def test_a_question_after_a_long_answer_is_seen(ending: str) -> None:
    assert asks("The pipeline has three stages. " * 200 + "\n\n" + ending)


def test_a_question_long_before_the_end_is_forgotten() -> None:
    assert not asks("Is it true? " + "The stages run in order on one machine. " * 40)


def test_nothing_was_said_yet() -> None:
    assert not asks(None)
    assert not asks("")
    assert not is_awaited(talk(("user", "ok")))
    assert not is_awaited(talk(("system", "You are a helpful assistant."), ("user", "ok")))


def test_an_unanswered_message_waits() -> None:
    assert is_awaited(talk(("user", "Is my order on its way?"), ("user", "hello")))
    assert is_awaited(talk(("user", "在吗"), ("system", "time: 10:00"), ("user", "你好")))


@pytest.mark.parametrize(
    "instruction",
    [
        "Translate everything I write into French.",
        "你是翻译器，把我说的每句话翻译成英文。",
        "You are a pirate. Always stay in character.",
        "Reply only in JSON.",
        "无论我说什么，你都用一句诗回答。",
        "Whatever I say, answer with one word.",
        "从现在开始我们玩成语接龙。",
        "When I say ok, give me the next question.",
        "扮演一位严厉的面试官。",
    ],
)
@pytest.mark.parametrize("role", ["system", "developer", "user"])
def test_standing_instructions_wait_for_every_message(role: str, instruction: str) -> None:
    assert is_awaited(talk((role, instruction), ("assistant", "Bien."), ("user", "hi")))


def test_only_the_last_answer_counts() -> None:
    turns = [("user", "x"), ("assistant", "Shall I?"), ("user", "no"), ("assistant", "The sum is 4."), ("user", "ok")]
    assert not is_awaited(talk(*turns))


roles = st.sampled_from(["system", "developer", "user", "assistant", "tool", "function", "prompt"])


@given(st.lists(st.tuples(roles, st.text(max_size=30)), max_size=6))
def test_any_conversation_has_an_answer(turns: list[tuple[str, str]]) -> None:
    request = talk(*turns)
    assert is_awaited(request) in (True, False)
    assert is_awaited(request) == is_awaited(request)


class TestMatter:
    """What a conversation is about, for telling the kind of work and how hard it is."""

    def of(self, *texts: str) -> str:
        turns = [Turn("assistant" if number % 2 else "user", text) for number, text in enumerate(texts)]
        request = Request("r", "chat", "auto", tuple(turns))
        return matter(request, request.question or "")

    def test_a_short_message_stands_with_those_before_it(self) -> None:
        assert (
            self.of("Write a parser for dates.", "Here it is.", "commit it") == "Write a parser for dates.\ncommit it"
        )

    def test_one_that_speaks_for_itself_stands_alone(self) -> None:
        long = "Translate this letter to French, please: " + "dear colleague, " * 10
        assert self.of("Write a parser.", "Done.", long) == long

    def test_enough_is_enough(self) -> None:
        assert self.of("a" * 5000, "ok", "go on") == "a" * 1200 + "\ngo on"
        assert self.of("one", "1", "two", "2", "three", "3", "four", "4", "five") == "two\nthree\nfour\nfive"

    def test_a_first_message_is_all_there_is(self) -> None:
        assert self.of("hi") == "hi"
        assert self.of("", "What?", "hi") == "hi"
