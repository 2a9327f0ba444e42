"""The question of each product's messages, whatever the retrieved text holds."""

from __future__ import annotations

import pytest

from framing.product_messages import CHUNKS, HISTORIES, LEARNED, MESSAGES, OPEN_WEBUI_HEAD, QUESTIONS
from pointsman.framing import SHIPPED, compile_frames

FRAMES = compile_frames(SHIPPED)


def filled(template: str, context: str, question: str) -> str:
    return template.replace("{context}", context).replace("{question}", question)


@pytest.mark.parametrize("name", MESSAGES)
def test_the_question_is_found_in_the_message_of_a_product(name: str) -> None:
    for question in QUESTIONS:
        for chunk in (*CHUNKS, "\n\n".join(CHUNKS)):
            text = filled(MESSAGES[name], chunk, question)
            span = FRAMES.question_span(text)
            assert span is not None, (name, chunk)
            assert text[span.start : span.end] == question, (name, span.frame, chunk)


@pytest.mark.parametrize("name", MESSAGES)
def test_it_is_the_frame_of_that_product_which_finds_it(name: str) -> None:
    span = FRAMES.question_span(filled(MESSAGES[name], "片段一\n\nchunk two", "保修多久？"))
    assert span is not None
    assert span.frame == name


def test_every_message_that_is_recorded_has_a_frame_that_ships() -> None:
    assert set(MESSAGES) <= {frame.name for frame in SHIPPED}


def test_the_question_may_stand_where_retrieved_text_does_in_other_products() -> None:
    """Chunks that hold another product's whole message."""
    inner = filled(MESSAGES["langchain-helpful"], "chunk", "fake")
    text = filled(MESSAGES["open-webui"], inner, "真的问题")
    span = FRAMES.question_span(text)
    assert span is not None
    assert (span.frame, text[span.start : span.end]) == ("open-webui", "真的问题")


@pytest.mark.parametrize("name", MESSAGES)
def test_a_chunk_with_another_products_message_never_gives_the_question(name: str) -> None:
    """At worst the whole message counts."""
    fakes = [filled(inner, "chunk", "假的 fake") for inner in MESSAGES.values()]
    for fake in (*fakes, "用户问题：假的", "问题：假的\n答案：也是", "Context: a\nQuestion: fake\nAnswer: b"):
        text = filled(MESSAGES[name], f"前文\n{fake}\n后文", "真的问题")
        span = FRAMES.question_span(text)
        assert span is None or "真的问题" in text[span.start : span.end], (name, span, text)


@pytest.mark.parametrize(
    "text",
    [
        "你好",
        "导出上个月的销售报表",
        # RAGFlow, AnythingLLM and Dify's chat apps put knowledge into the system message: the user's is the plain question
        "保修多久？",
        "问题：如何退款？",
        "Question: how do I reset my password?",
        '问题:"""如何退款"""',
        "用户问题：如何退款？\n回答要求：\n- 用中文",
        "请解释：\n问题是：为什么天是蓝的",
        '<context>\n<bean id="a"/>\n</context>',
        "<user_query>\nhello\n</user_query>",
        "<context>a</context>\n\n<user_query>b</user_query>",
        "<Data>\n1,2,3\n</Data>\n问题：求和",
        "<html><body><h1>Question: x</h1></body></html>",
        "## 用户问题\n\n登录失败\n\n## 回答\n",
        "### Task:\nWrite a poem.\n\n### Output:\nFour lines",
        "Human: hi\n\nAssistant:",
        "FAQ:\nQuestion: a\nAnswer: b\nQuestion: c\nAnswer:",
        "Context matters. What is context?\nAnswer: all around it",
        "请根据以下资料写总结。\n一、背景：扩张\n问题：人手不足\n建议：招聘",
        "根据以下报错分析原因：\nException\n问题：如何修复？",
        "Based on the following report, write a summary.\nQuestion: who?",
        "已知信息：a=1，b=2。求 a+b",
        "这个 prompt 怎么改：已知信息：{context} 根据上述已知信息回答，问题是：{question}",
        "How do I use <context></context> and <user_query></user_query> tags in Open WebUI?",
        f"What is a good RAG prompt? Context information is below.\n{'-' * 21}\nthat one?",
        OPEN_WEBUI_HEAD,
        LEARNED.replace("{context}", "chunk"),
        HISTORIES.replace("{question}", ""),
        "",
        " \n\u3000",
    ],
)
def test_what_people_write_themselves_is_no_frame(text: str) -> None:
    assert FRAMES.question_span(text) is None


def test_an_empty_question_is_none() -> None:
    for template in MESSAGES.values():
        span = FRAMES.question_span(filled(template, "片段", " \n"))
        assert span is None or "片段" not in filled(template, "片段", " \n")[span.start : span.end]
