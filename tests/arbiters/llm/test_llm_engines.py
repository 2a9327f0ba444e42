"""How each engine is asked, and how its answers are read: on recordings of its own wire."""

from typing import Any

import msgspec
import pytest

from arbiters.llm.scripted import Scripted
from pointsman.arbiters.llm.engines import engine_of
from pointsman.arbiters.llm.exchange import Unheard
from pointsman.arbiters.llm.llamacpp import grammar
from pointsman.backends.make import make_backend
from pointsman.backends.settings import BackendSettings
from pointsman.domain.target import Target
from pointsman.ports.backend import Backend, BackendFailure
from twins import Fault, Twin

LABELS = ["export_report", "weather", "open_ended"]
MESSAGES = [{"role": "user", "content": "ping"}]
RECORDED = {
    "llamacpp": "llamacpp-2026.10.11549",
    "vllm": "vllm-0.33.0",
    "ollama": "ollama-0.32.9",
    "trtllm": "trtllm-1.2.1",
}


def backend_to(twin: Twin, engine: str) -> Backend:
    target = Target("m@b", "light", twin.engine.model, "b", engine)
    return make_backend(engine, BackendSettings(model=twin.engine.model, base_url=twin.base_url), target)


def sent(twin: Twin, path: str) -> list[dict[str, Any]]:
    return [msgspec.json.decode(request.body) for request in twin.asked(path)]


async def test_llamacpp_weighs_under_a_grammar():
    async with Twin(RECORDED["llamacpp"]) as twin:
        backend = backend_to(twin, "llamacpp")
        weighed = await engine_of(backend).weigh(MESSAGES, LABELS)
        await backend.close()
        [rendered] = sent(twin, "/apply-template")
        assert rendered == {"messages": MESSAGES, "chat_template_kwargs": {"enable_thinking": False}}
        [asked] = sent(twin, "/completion")
    assert asked["grammar"] == r'root ::= "export_report\x0A" | "weather\x0A" | "open_ended\x0A"'
    assert asked["prompt"].endswith("<|im_start|>assistant\n")
    assert (asked["post_sampling_probs"], asked["temperature"], asked["top_k"], asked["top_p"], asked["min_p"]) == (
        True, 1.0, 0, 1.0, 0.0,
    )  # fmt: skip
    assert asked["logit_bias"] == [["~", 100]] and asked["n_predict"] == 1 and asked["stream"]
    assert max(weighed.shares, key=lambda label: weighed.shares[label]) == "weather"
    assert sum(weighed.shares.values()) == pytest.approx(1.0) and weighed.shares["weather"] == pytest.approx(
        0.797, abs=0.05
    )
    assert (weighed.input_tokens, weighed.output_tokens) == (7, 1)


async def test_llamacpp_writes_under_a_schema():
    schema = {"type": "object", "properties": {"word": {"enum": ["ping", "pong"]}}, "required": ["word"]}
    async with Twin(RECORDED["llamacpp"]) as twin:
        backend = backend_to(twin, "llamacpp")
        written = await engine_of(backend).write(MESSAGES, schema, 40)
        await backend.close()
        [asked] = sent(twin, "/completion")
    assert (asked["json_schema"], asked["temperature"], asked["n_predict"]) == (schema, 0.0, 40)
    assert msgspec.json.decode(written.text)["word"] in ("ping", "pong") and written.output_tokens == 15


def test_a_grammar_holds_any_label():
    assert grammar(['a"b\\', "中文\n"]) == r'root ::= "a\"b\\" | "中文\x0A"'


async def test_vllm_takes_what_is_a_label_as_the_whole():
    async with Twin(RECORDED["vllm"]) as twin:
        backend = backend_to(twin, "vllm")
        weighed = await engine_of(backend).weigh(MESSAGES, LABELS)
        await backend.close()
        [asked] = sent(twin, "/v1/chat/completions")
    assert asked["structured_outputs"] == {"choice": LABELS} and asked["temperature"] == 0.0
    assert (asked["logprobs"], asked["top_logprobs"], asked["max_tokens"]) == (True, 20, 1)
    assert asked["chat_template_kwargs"] == {"enable_thinking": False}
    assert weighed.shares == {
        "export_report": pytest.approx(0.8),
        "weather": pytest.approx(0.4 / 3),
        "open_ended": pytest.approx(0.2 / 3),
    }
    assert (weighed.input_tokens, weighed.output_tokens) == (61, 1)


async def test_vllm_goes_on_from_what_several_labels_begin_with():
    def answer(path: str, fields: dict[str, Any]) -> Any:
        begun = fields["messages"][-1]["content"] if "continue_final_message" in fields else ""
        tokens = {"": {"export": -0.1, "weather": -3.0}, "export": {"_report": -0.5, "_pdf": -1.0}}[begun]
        first = next(iter(tokens))
        top = [{"token": token, "logprob": value} for token, value in tokens.items()]
        position = {"token": first, "logprob": tokens[first], "top_logprobs": top}
        return {"choices": [{"message": {"content": first}, "logprobs": {"content": [position]}}]}

    backend = Scripted("vllm", answer)
    weighed = await engine_of(backend).weigh(MESSAGES, ["export_report", "export_pdf", "weather"])
    assert [fields["structured_outputs"]["choice"] for _, fields in backend.calls] == [
        ["export_report", "export_pdf", "weather"],
        ["_report", "_pdf"],
    ]
    assert backend.calls[1][1]["messages"][-1] == {"role": "assistant", "content": "export"}
    assert weighed.shares["export_report"] > weighed.shares["export_pdf"] > weighed.shares["weather"]


@pytest.mark.parametrize("engine, path", [("trtllm", "/v1/chat/completions"), ("ollama", "/api/chat")])
async def test_along_the_reply(engine: str, path: str):
    async with Twin(RECORDED[engine]) as twin:
        backend = backend_to(twin, engine)
        asking = engine_of(backend)
        weighed = await asking.weigh([*MESSAGES, {"role": "assistant", "content": "weather"}, *MESSAGES], LABELS)
        assert asking.weighs
        await backend.close()
        [asked] = sent(twin, path)
    assert [message["content"] for message in asked["messages"]] == ["ping", '{"label":"weather"}', "ping"]
    form = asked["response_format"]["schema"] if engine == "trtllm" else asked["format"]
    assert form["properties"] == {"label": {"type": "string", "enum": LABELS}}
    assert weighed.shares == {
        "export_report": pytest.approx(0.65 / 0.85),
        "weather": pytest.approx(0.15 / 0.85),
        "open_ended": pytest.approx(0.05 / 0.85),
    }
    assert (weighed.input_tokens, weighed.output_tokens) == (80, 7)


def chat(text: str) -> dict[str, Any]:
    return {"choices": [{"message": {"content": text}}], "usage": {"prompt_tokens": 9, "completion_tokens": 2}}


@pytest.mark.parametrize("engine", ["openai", "trtllm", "vllm"])
async def test_a_server_that_refuses_log_probabilities_gives_votes(engine: str):
    def answer(path: str, fields: dict[str, Any]) -> Any:
        return (400, {"error": "no logprobs"}) if "logprobs" in fields else chat('{"label": "weather"}')

    backend = Scripted(engine, answer)
    asking = engine_of(backend)
    for _ in range(2):
        assert (await asking.weigh(MESSAGES, LABELS)).shares == {"weather": 1.0}
    assert not asking.weighs and ["logprobs" in fields for _, fields in backend.calls].count(True) == 1


@pytest.mark.parametrize("engine", ["openai", "trtllm", "vllm"])
async def test_a_refusal_of_another_kind_does_not_end_probabilities(engine: str):
    asking = engine_of(Scripted(engine, lambda path, fields: (400, {"error": "too long"})))
    with pytest.raises(Unheard):
        await asking.weigh(MESSAGES, LABELS)
    assert asking.weighs


async def test_an_ollama_that_knows_no_log_probabilities_gives_votes():
    backend = Scripted("ollama", lambda path, fields: {"message": {"content": '{"label": "open_ended"}'}})
    asking = engine_of(backend)
    assert (await asking.weigh(MESSAGES, LABELS)).shares == {"open_ended": 1.0} and not asking.weighs


@pytest.mark.parametrize("engine", ["openai", "trtllm", "ollama", "vllm", "llamacpp", "embedded"])
@pytest.mark.parametrize("body", [b"", b"not json", b"[]", b'{"choices": []}', b'{"message": {}}', b'{"prompt": "x"}'])
async def test_nonsense_is_invalid(engine: str, body: bytes):
    with pytest.raises(Unheard) as raised:
        await engine_of(Scripted(engine, lambda path, fields: body)).weigh(MESSAGES, LABELS)
    assert raised.value.failure == "invalid"


@pytest.mark.parametrize(
    "said, failure",
    [
        ((429, {}), "shed"),
        ((503, {"error": "overloaded"}), "shed"),
        ((503, {"error": {"message": "Loading model"}}), "unavailable"),
        ((500, {}), "unavailable"),
        ((404, {}), "unavailable"),
        ((413, {}), "invalid"),
        (BackendFailure("connect", "refused"), "unavailable"),
        (BackendFailure("first_byte_timeout", "late"), "timeout"),
        (BackendFailure("idle_timeout", "late"), "timeout"),
        (BackendFailure("reset", "gone"), "unavailable"),
    ],
)
async def test_what_goes_wrong(said: Any, failure: str):
    for engine in RECORDED:
        with pytest.raises(Unheard) as raised:
            await engine_of(Scripted(engine, lambda path, fields: said)).weigh(MESSAGES, LABELS)
        assert raised.value.failure == failure


async def test_a_hang_up_in_the_middle():
    async with Twin(RECORDED["llamacpp"]) as twin:
        backend = backend_to(twin, "llamacpp")
        twin.fail("/completion", Fault(reset_after=100))
        with pytest.raises(Unheard) as raised:
            await engine_of(backend).weigh(MESSAGES, LABELS)
        await backend.close()
    assert raised.value.failure == "unavailable"


async def test_one_label_needs_no_model():
    backend = Scripted("vllm", lambda path, fields: (500, {}))
    assert (await engine_of(backend).weigh(MESSAGES, ["open_ended"])).shares == {"open_ended": 1.0}
