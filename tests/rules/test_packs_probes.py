"""client-probes before the defaults of products, each as it would arrive: what a chat holds must not be answered, and the
question must not be cut out of a prompt that is not the user's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from pointsman.app.build import build
from pointsman.config.load import load
from pointsman.domain.decision import Decision
from pointsman.domain.request import Request, Turn
from pointsman.domain.target import Snapshot
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy

CHAT = "USER: 忘记密码了怎么办\nASSISTANT: 打开登录页，点“忘记密码”。\nUSER: 画一只猫\nASSISTANT: 这里不能画图。"
PROMPTS = {
    "open-webui title": (
        "### Task:\nGenerate a concise title summarizing the chat history.\n### Guidelines:\n- Keep it short: "
        "2-4 words is best.\n"
        f'### Output:\nJSON format: {{ "title": "your concise title here" }}\n### Chat '
        f"History:\n<chat_history>\n{CHAT}\n</chat_history>",
        "probe_title",
    ),
    "open-webui title 0.5": (
        "### Task:\nGenerate a concise, 3-5 word title with an emoji summarizing the chat history.\n### Guidelines:\n"
        f"- Prioritize accuracy over excessive creativity.\n### Chat History:\n<chat_history>\n{CHAT}\n</chat_history>",
        "probe_title",
    ),
    "open-webui tags": (
        "### Task:\nGenerate 1-3 broad tags categorizing the main themes of the chat history, along with 1-3 "
        "more specific subtopic "
        f"tags.\n\n### Chat History:\n<chat_history>\n{CHAT}\n</chat_history>",
        "probe_tags",
    ),
    "open-webui follow-up": (
        "### Task:\nSuggest 3-5 relevant follow-up questions or prompts that the user might naturally ask next "
        "in this conversation "
        f"as a **user**, based on the chat history.\n### Chat History:\n<chat_history>\n{CHAT}\n</chat_history>",
        "probe_follow_up",
    ),
    "open-webui query": (
        "### Task:\nAnalyze the chat history to determine the necessity of generating search queries, in the "
        "given language.\n"
        f"### Chat History:\n<chat_history>\n{CHAT}\n</chat_history>",
        "probe_query",
    ),
    "open-webui autocomplete": (
        "### Task:\nYou are an autocompletion system. Continue the text in `<text>` based on the **completion "
        "type** in `<type>` and "
        f"the given language.  "
        f"\n<chat_history>\n{CHAT}\n</chat_history>\n<type>General</type>\n<text>忘记</text>\n#### Output:",
        "probe_autocomplete",
    ),
    "open-webui emoji": (
        "Your task is to reflect the speaker's likely facial expression through a fitting emoji. Interpret "
        "emotions from the "
        "message.\n\nMessage: ```忘记密码了```",
        "probe_emoji",
    ),
    "dify title": (
        'You need to decompose the user\'s input into "subject" and "intention" in order to accurately figure '
        "out what the user's "
        "input language actually is. \nMAKE SURE your output is the SAME language as the user's input!\n\nUser "
        "Input: \n忘记密码了\n",
        "probe_title",
    ),
    "dify follow-up": (
        f"{CHAT}\nPlease help me predict the three most likely questions that human would ask, and keeping each "
        f"question under 20 "
        "characters.\nThe output must be an array in JSON format following the specified "
        'schema:\n["question1","question2"]\n',
        "probe_follow_up",
    ),
    "dify follow-up in its frame": (
        f"Here are the chat histories between human and assistant, inside <histories></histories> XML "
        f"tags.\n\n<histories>\n{CHAT}\n"
        "</histories>\n\n\nHuman: Please help me predict the three most likely questions that human would ask, "
        "and keep each "
        "question under 20 characters.\n\nAssistant:",
        "probe_follow_up",
    ),
    "fastgpt guide zh": (
        "你是一个AI智能助手，你的任务是结合对话记录，推测我下一步的问题。\n你需要生成 3 个可能的问题，引导我继续提问",
        "probe_follow_up",
    ),
    "fastgpt guide en": (
        "You are an AI assistant tasked with predicting the user's next question based on the conversation "
        "history. Your goal is to "
        "generate 3 potential questions that will guide the user to continue the conversation.",
        "probe_follow_up",
    ),
    "fastgpt query": (
        "作为一个向量检索助手，你的任务是结合历史记录，从不同角度，为“原问题”生成个不同版本的“检索词”",
        "probe_query",
    ),
    "ragflow full question": (
        f"Role: A helpful assistant\n\nTask and steps: \n    1. Generate a full user question that would follow "
        f"the conversation.\n{CHAT}",
        "probe_query",
    ),
    "ragflow, instruction in the system message": ("Output: ", "probe_query"),
    "lobechat title": (
        f"{CHAT}\n\n请总结上述对话为10个字以内的标题，不需要包含标点符号，输出语言语种为：zh-CN",
        "probe_title",
    ),
    "nextchat title": (
        "使用四到五个字直接返回这句话的简要主题，不要解释、不要标点、不要语气词、不要多余文本，不要加粗，"
        "如果没有主题，请直接返回“闲聊”",
        "probe_title",
    ),
    "librechat title": (
        "Provide a concise, 5-word-or-less title for the conversation, using title case conventions. Only "
        "return the title itself."
        "\n\nConversation:\nUser: I forgot my password\nAI: Open the login page.",
        "probe_title",
    ),
    "librechat title 0.8": (
        "Analyze this conversation and provide:\n1. The detected language of the conversation\n2. A concise "
        "title in the detected "
        f"language (5 words or less, no punctuation or quotation)\n\n{CHAT}",
        "probe_title",
    ),
}


def _policy(folder: Path, *tiers: str) -> Policy:
    config: dict[str, Any] = {
        "models": {
            tier: {"backends": [{"engine": "vllm", "base_url": "http://127.0.0.1:1/v1", "model": f"m-{tier}"}]}
            for tier in tiers
        },
        "fallback": {"target": "medium"},
        "rules": {"packs": [f"builtin:{name}" for name in ("smalltalk", "ops-faq", "no-drawing", "client-probes")]},
    }
    path = folder / "pointsman.yaml"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    return build(load(path, None, {})).policy


@pytest.fixture(scope="module")
def with_light(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    return _policy(tmp_path_factory.mktemp("with"), "light", "medium")


@pytest.fixture(scope="module")
def without_light(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    return _policy(tmp_path_factory.mktemp("without"), "medium")


def _decide(text: str, policy: Policy, model: str = "auto") -> Decision:
    return decide(Request("r", "chat", model, (Turn("user", text),)), policy, Snapshot.of(()))


@pytest.mark.parametrize(("text", "rule"), PROMPTS.values(), ids=PROMPTS)
def test_prompts_of_products_go_to_the_light_tier(text: str, rule: str, with_light: Policy) -> None:
    decision = _decide(text, with_light)
    assert (decision.rule, decision.action, decision.stage) == (rule, "route", "model")
    assert decision.targets[0].target.startswith("m-light")


@pytest.mark.parametrize(("text", "rule"), PROMPTS.values(), ids=PROMPTS)
def test_where_there_is_no_light_tier_only_the_task_is_said(text: str, rule: str, without_light: Policy) -> None:
    decision = _decide(text, without_light)
    assert decision.rule == rule
    assert [choice.target.partition("@")[0] for choice in decision.targets] == ["m-medium"]
    assert decision.parameters["task"] in ("summarization", "classification", "rewriting", "other")


@pytest.mark.parametrize(("text", "answer"), [("ping", "pong"), ("Hello! How are you doing!", "I am fine, thank you.")])
def test_connection_tests_are_answered(text: str, answer: str, with_light: Policy) -> None:
    decision = _decide(text, with_light)
    assert (decision.stage, decision.parameters["text"]) == ("l0", answer)


def test_a_model_that_is_named_is_really_tested(with_light: Policy) -> None:
    decision = _decide("ping", with_light, model="medium")
    assert (decision.stage, decision.rule) == ("model", None)


def test_the_same_chat_without_a_prompt_around_it_is_the_users(with_light: Policy) -> None:
    assert _decide("忘记密码了怎么办", with_light).rule == "ops_forgot_password"
    assert _decide("给上面的对话起个标题", with_light).rule is None
