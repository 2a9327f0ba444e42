"""Request bodies: texts are masked wherever people, models or tools said them; every other byte is untouched."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.domain.target import Target
from pointsman.execution.rewrite import rewrite
from pointsman.masking import PERSONAL, MaskedBody, Masking, RequestMask, mask_body

PHONE, MAIL = "13812345678", "li@example.com"
KEY = "密码是 Abc12345"
_raw = msgspec.json.Decoder(dict[str, msgspec.Raw])


def masked(body: dict[str, Any] | bytes, kinds: tuple[str, ...] = PERSONAL) -> tuple[dict[str, Any], MaskedBody]:
    data = body if isinstance(body, bytes) else json.dumps(body, ensure_ascii=False).encode()
    fields = _raw.decode(data)
    made = mask_body(fields, kinds)
    return json.loads(rewrite(fields, made.changes)), made


def chat(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"model": "m", "messages": list(messages), **more}


def test_every_role_and_one_name_for_one_value():
    body = chat(*({"role": role, "content": f"{role} {PHONE}"} for role in ("system", "user", "assistant", "tool")))
    got, made = masked(body)
    assert [m["content"] for m in got["messages"]] == [
        f"{r} <PHONE_1>" for r in ("system", "user", "assistant", "tool")
    ]
    assert made.counts == {"phone": 1}


def test_parts_of_a_message_but_no_images():
    image = {"type": "image_url", "image_url": {"url": f"https://x.example/{PHONE}?m={MAIL}"}}
    parts = [{"type": "text", "text": f"电话 {PHONE}"}, image, f"plain {MAIL}", {"type": "refusal", "refusal": PHONE}]
    got, _ = masked(chat({"role": "user", "content": parts}))
    assert got["messages"][0]["content"] == [
        {"type": "text", "text": "电话 <PHONE_1>"}, image, "plain <EMAIL_1>", {"type": "refusal", "refusal": "<PHONE_1>"},
    ]  # fmt: skip


def test_arguments_of_calls_stay_json():
    arguments = json.dumps(
        {"to": PHONE, "number": int(PHONE), "n": 12, "x": [MAIL, 1.5], "key": 'pass"word: q1w2e3r4t5'}
    )
    one = {"id": f"call_{PHONE}", "type": "function", "function": {"name": "send", "arguments": arguments}}
    old = {"role": "assistant", "content": None, "function_call": {"name": "send", "arguments": f"no json {PHONE}"}}
    got, made = masked(chat({"role": "assistant", "content": None, "tool_calls": [one]}, old))
    call = got["messages"][0]["tool_calls"][0]
    assert call["id"] == f"call_{PHONE}" and call["function"]["name"] == "send"
    inner = json.loads(call["function"]["arguments"])
    assert inner["to"] == inner["number"] == "<PHONE_1>" and inner["x"] == ["<EMAIL_1>", 1.5] and inner["n"] == 12
    assert got["messages"][1]["function_call"]["arguments"] == "no json <PHONE_1>"
    assert made.values["<PHONE_1>"] == PHONE


def test_escapes_hide_nothing():
    escaped = "".join(f"\\u{ord(char):04x}" for char in PHONE)
    got, _ = masked(f'{{"messages":[{{"role":"user","content":"{escaped}"}}]}}'.encode())
    assert got["messages"][0]["content"] == "<PHONE_1>"


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [
        ("prompt", f"call {PHONE}", "call <PHONE_1>"),
        ("prompt", [f"a {PHONE}", MAIL], ["a <PHONE_1>", "<EMAIL_1>"]),
        ("prompt", [[1, 15043, 29871]], [[1, 15043, 29871]]),
        ("suffix", MAIL, "<EMAIL_1>"),
        ("input", [PHONE, "x"], ["<PHONE_1>", "x"]),
        ("query", PHONE, "<PHONE_1>"),
        ("documents", ["x", {"text": PHONE, "id": 7}], ["x", {"text": "<PHONE_1>", "id": 7}]),
        ("user", MAIL, "<EMAIL_1>"),
        ("metadata", {"owner": MAIL, MAIL: 1}, {"owner": "<EMAIL_1>", "<EMAIL_1>": 1}),
        ("model", MAIL, MAIL),
        ("tools", [{"function": {"description": PHONE}}], [{"function": {"description": PHONE}}]),
        ("unknown", PHONE, PHONE),
    ],
)
def test_other_members(name: str, value: Any, wanted: Any):
    assert masked({name: value})[0][name] == wanted


def test_what_holds_nothing_is_not_written_anew():
    body = (
        b'{"messages": [ {"role" : "user","content":"\\u4f60 1.50"},\n {"role":"user", "content":"%b", "x": 1.50} ]}'
        % PHONE.encode()
    )
    fields = _raw.decode(body)
    made = mask_body(fields, PERSONAL)
    assert b'{"role" : "user","content":"\\u4f60 1.50"}' in bytes(made.changes["messages"])
    assert b'"x":1.50' in bytes(made.changes["messages"])
    untouched = _raw.decode(b'{"messages": [ {"role" : "user", "content": "hi"}], "user": "u"}')
    assert mask_body(untouched, PERSONAL).changes == {}


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**6), 10**6)
    | st.floats(-10, 10)
    | st.text(max_size=8)
    | st.just(PHONE),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


@given(json_values, st.booleans())
def test_any_json_keeps_its_form(value: Any, ascii: bool):
    """The slow way: the parsed value with the number in its texts replaced."""

    def replaced(part: Any) -> Any:
        if isinstance(part, str):
            return "<PHONE_1>" if part == PHONE else part
        if isinstance(part, list):
            return [replaced(item) for item in part]
        return {replaced(k): replaced(v) for k, v in part.items()} if isinstance(part, dict) else part

    data = json.dumps({"metadata": value}, ensure_ascii=ascii, indent=1).encode()
    assert masked(data, ("phone",))[0]["metadata"] == replaced(value)


def target(external: bool) -> Target:
    return Target("m@b", "medium", "m", "b", "openai", external)


def request_mask(masking: Masking, text: str = PHONE) -> RequestMask:
    return RequestMask(masking, _raw.decode(json.dumps(chat({"role": "user", "content": text})).encode()), json=False)


def test_only_targets_outside_get_masked_requests_unless_all_are_to():
    outside = request_mask(Masking(("phone",)))
    assert outside.body(target(False)) is None and outside.unmasker(target(False)) is None
    assert outside.body(target(True)).counts == {"phone": 1}
    assert outside.unmasker(target(True)).text("<PHONE_1>") == PHONE
    assert request_mask(Masking(("phone",), everywhere=True)).body(target(False)).counts == {"phone": 1}


def test_nothing_is_put_back_where_nothing_was_hidden_or_the_config_says_so():
    assert request_mask(Masking(("phone",)), "hello").unmasker(target(True)) is None
    assert request_mask(Masking(("phone",), unmask=False)).unmasker(target(True)) is None


def test_the_mask_is_made_once():
    mask = request_mask(Masking(("phone",)))
    mask.prepare([target(False)])
    assert mask._made is None
    mask.prepare([target(False), target(True)])
    assert mask.body(target(True)) is mask._made
