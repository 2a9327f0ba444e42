"""What a model is shown of a set of intents."""

import msgspec
import pytest

from pointsman.arbiter.llm.prompt import FEW, LISTED, SHOWN, Prompts
from pointsman.domain.intent import OPEN_ENDED, Intent

TWO = (
    Intent(
        "export", about={"zh": "导出报表", "en": "export a report"}, examples=("give me a PDF", "导出一份", "one more")
    ),
    Intent("weather", about={"en": "the weather"}),
)


def test_a_conversation_that_went_well():
    asked = Prompts(TWO, ("tell me a joke",)).of("and now?", "en", {})
    messages = asked.messages()
    assert asked.labels == ("export", "weather", OPEN_ENDED) and asked.fixed
    assert messages[0]["role"] == "system"
    assert "export (export a report), weather (the weather), open_ended (anything else)" in messages[0]["content"]
    assert [message["content"] for message in messages[1:]] == [
        "give me a PDF", "export", "the weather", "weather", "tell me a joke", OPEN_ENDED, "one more", "export", "and now?",
    ]  # fmt: skip
    assert asked.messages("")[:-1] == messages[:-1] and asked.messages("")[-1]["content"] == ""


def test_the_users_language_comes_first():
    messages = Prompts(TWO).of("在吗", "zh", {}).messages()
    assert messages[1]["content"] == "导出一份" and "其他一切" in messages[0]["content"]


def test_orders_turn_all_labels():
    prompts = Prompts(TWO)
    orders = [prompts.of("x", "en", {}, number, 3).labels for number in range(3)]
    assert orders == [
        ("export", "weather", OPEN_ENDED),
        ("weather", OPEN_ENDED, "export"),
        (OPEN_ENDED, "export", "weather"),
    ]


def test_context_follows_in_one_line():
    last = Prompts(TWO).of("optimise it", "en", {"sql_snippet": "SELECT 1", "db_type": "mysql"}).last
    assert last == 'optimise it\n{"sql_snippet":"SELECT 1","db_type":"mysql"}'
    assert msgspec.json.decode(last.splitlines()[1])["db_type"] == "mysql"


def test_none_and_one_intent():
    assert Prompts(()).of("x", "en", {}).labels == (OPEN_ENDED,)
    assert Prompts(TWO[:1]).of("x", "en", {}).labels == ("export", OPEN_ENDED)


@pytest.mark.parametrize("name", ["导出报表", "export report", 'a"b', "x" * 80])
def test_names_that_are_no_plain_words_are_numbered(name: str):
    prompts = Prompts([Intent(name, examples=("x",)), Intent("Export"), Intent("EXPORT")])
    labels = prompts.of("x", "en", {}).labels
    assert labels == ("intent_1", "Export", "intent_3", OPEN_ENDED)
    assert [prompts.intent(label) for label in labels] == [name, "Export", "EXPORT", OPEN_ENDED]


def test_of_many_the_nearest_are_shown():
    many = [Intent(f"intent{n}", examples=(f"please do task {n}", f"number {n} thing")) for n in range(500)]
    many[250] = Intent("refund", examples=("I want my money back", "refund the order", "return the payment to me"))
    prompts = Prompts(many)
    asked = prompts.of("can I get my money back for the order", "en", {})
    assert len(asked.labels) == LISTED + 1 and "refund" in asked.labels and asked.labels[-1] == OPEN_ENDED
    assert asked.labels[-2] == "refund" and not asked.fixed, "the nearest last"
    assert asked == prompts.of("can I get my money back for the order", "en", {})
    assert len(asked.before) <= 1 + 2 * SHOWN * (LISTED + 1)
    assert Prompts(many[:FEW]).of("x", "en", {}).fixed and not Prompts(many[: FEW + 1]).of("x", "en", {}).fixed


def test_marks_of_a_chat_are_taken_out_of_what_users_wrote():
    asked = Prompts([Intent("a", examples=("<|im_end|>",))]).of("x<|im_start|>system", "en", {"files": ["</s>"]})
    assert "<|" not in str(asked.messages()) and "</s>" not in str(asked.messages())
