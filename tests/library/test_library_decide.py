"""`Rules.decide`: each kind of outcome, and that it is the gateway's own decision."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from library.office import OFFICE, WORDS, office
from pipeline.policies import ask, policy_of
from pointsman import Outcome, Rules
from pointsman.domain.request import Turn
from pointsman.domain.target import Snapshot
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy

RULES = office()
TEXTS = st.lists(st.sampled_from(WORDS), max_size=7).map(" ".join)


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    folder = tmp_path_factory.mktemp("gateway")
    rules = {"packs": ["builtin:smalltalk"], "files": ["office.yaml"]}
    return policy_of(folder, {"rules": rules}, {"office.yaml": OFFICE})


@pytest.fixture(scope="module")
def same(tmp_path_factory: pytest.TempPathFactory) -> Rules:
    path = tmp_path_factory.mktemp("library") / "office.yaml"
    path.write_text(OFFICE, encoding="utf-8")
    return Rules.load("builtin:smalltalk", path)


def test_an_answer_is_filled_in_the_language_of_the_question() -> None:
    found = RULES.decide("My vpn is broken!")
    assert found.taken and (found.rule, found.action) == ("vpn", "answer")
    assert found.text == "Restart the vpn (broken); you wrote: My vpn is broken!"
    assert found.language == "en" and found.parameters == {} and found.risk == "low"
    assert [(match.group, match.text, match.start, match.end) for match in found.matched] == [
        ("what", "vpn", 3, 6),
        ("how", "broken", 10, 16),
    ]
    assert found.slots == {"what": "vpn", "how": "broken", "question": "My vpn is broken!"}
    assert RULES.decide("VPN坏了").text == "VPN 坏了：请重启。"
    assert RULES.decide("broken vpn, 坏了").slots["how"] == "broken", "the first of a group"


def test_a_refusal_says_why_and_what_instead() -> None:
    found = RULES.decide("what is her salary?")
    assert found.taken and found.action == "refuse" and found.text == "Salaries are private. Ask HR."
    assert RULES.decide("他的工资").text == "工资保密。请问人事。"


def test_the_language_can_be_set() -> None:
    assert RULES.decide("her salary", language="zh").text == "工资保密。请问人事。"
    assert RULES.decide("her salary", language="zh").reason == "规则 salary 命中：salary"
    assert RULES.decide("1 + 1", language="zh").reason == "没有规则命中"
    french = "mon salaire, mon vpn: broken, bonjour, merci, s'il vous plaît"
    assert office(language="zh").decide(french).language == "zh" and RULES.decide(french).language == "en"


def test_a_named_action_comes_with_its_parameters_and_no_text() -> None:
    found = RULES.decide("please open a ticket")
    assert found.taken and found.action == "open_ticket" and found.text is None
    assert found.parameters == {"queue": "it", "tags": ["a", "b"]}
    assert found.reason == "rule ticket took it: open, ticket"


def test_parameters_are_the_callers_own() -> None:
    RULES.decide("open a ticket").parameters["tags"].append("c")
    assert RULES.decide("open a ticket").parameters == {"queue": "it", "tags": ["a", "b"]}
    RULES.decide("python").parameters["task"] = "x"  # type: ignore[index]
    assert RULES.decide("python").parameters == {"task": "code_completion"}


def test_a_steering_rule_takes_nothing() -> None:
    found = RULES.decide("python")
    assert not found.taken and (found.rule, found.action, found.text) == ("code", "route", None)
    assert found.parameters == {"task": "code_completion"} and found.reason == "rule code took it: python"


def test_marks_pass_and_shadow_only_notes() -> None:
    found = RULES.decide("my password in the canteen")
    assert not found.taken and found.rule is None and found.risk == "high" and found.shadow == ("later",)
    [mark] = found.marks
    assert (mark.rule, mark.label, mark.matched[0].text, mark.matched[0].start) == ("secret", "secret", "password", 3)
    both = RULES.decide("the password of my broken vpn")
    assert both.taken and both.rule == "vpn" and both.risk == "high"


@pytest.mark.parametrize("text", ["", " \n", "\u200b", "what is a mutex?"])
def test_what_no_rule_takes(text: str) -> None:
    found = RULES.decide(text)
    assert (found.taken, found.rule, found.action, found.text) == (False, None, None, None)
    assert found.reason == "no rule took it" and found.rules == RULES.hash


@pytest.mark.parametrize("text", [None, b"hi", 3])
def test_a_text_is_a_text(text: Any) -> None:
    with pytest.raises(TypeError, match="must be str"):
        RULES.decide(text)


def test_circumstances() -> None:
    assert not RULES.decide("the menu").taken
    assert RULES.decide("the menu", role="staff").text == "Noodles today."
    chat = Rules.load("builtin:smalltalk")
    assert chat.decide("hi").taken and not chat.decide("hi", tools=True).taken
    assert not chat.decide("hi", images=1).taken and not chat.decide("hi", structured=True).taken
    asked = [("user", "clean up"), ("assistant", "Shall I delete all of it?")]
    assert chat.decide("ok").taken and not chat.decide("ok", history=asked).taken
    as_openai = [{"role": role, "content": text} for role, text in asked]
    assert not chat.decide("ok", history=as_openai).taken
    with pytest.raises(ValueError, match="history"):
        chat.decide("ok", history=[{"role": "nobody", "content": "x"}])
    with pytest.raises(TypeError, match="rol"):
        chat.decide("hi", rol="staff")  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("about", "error", "told"),
    [
        ({"language": "fr"}, ValueError, "language must be one of zh, en or None, not 'fr'"),
        ({"language": 5}, TypeError, "language must be str or None, not int (5)"),
        ({"language": ["zh"]}, TypeError, "language must be str or None, not list (['zh'])"),
        ({"entry": ["a"]}, TypeError, "entry must be str or None, not list (['a'])"),
        ({"role": 5}, TypeError, "role must be str or None, not int (5)"),
        ({"key": b"k"}, TypeError, "key must be str or None, not bytes (b'k')"),
        ({"group": ["it"]}, TypeError, "group must be str or None, not list (['it'])"),
        ({"source": 1.5}, TypeError, "source must be str or None, not float (1.5)"),
        ({"tools": "no"}, TypeError, "tools must be bool, not str ('no')"),
        ({"structured": 1}, TypeError, "structured must be bool, not int (1)"),
        ({"images": "2"}, TypeError, "images must be int, how many there are, not str ('2')"),
        ({"images": -1}, ValueError, "images must be 0 or more, not -1"),
        ({"rol": "x"}, TypeError, "no circumstance 'rol', did you mean \"role\"? (valid: history, role, key, group, "),
        ({"history": "hi"}, TypeError, 'history must be a sequence of messages, not str; valid: ("user", "…") or'),
        ({"history": {"role": "user"}}, TypeError, "history must be a sequence of messages, not dict"),
        ({"history": 5}, TypeError, "history must be a sequence of messages, not int"),
        ({"history": [("a", "b"), ("user", 5)]}, TypeError, "history[1]: role and text must be str, not ('user', 5)"),
        ({"history": [(5, "x")]}, TypeError, "history[0]: role and text must be str, not (5, 'x'); valid: ("),
        ({"history": [("user",)]}, ValueError, "history[0]: ('user',) is no message; valid: ("),
        ({"history": ["ab"]}, ValueError, "history[0]: 'ab' is no message; valid: ("),
        ({"history": [{"role": "nobody", "content": "x"}]}, ValueError, "history[0]: messages"),
    ],
)
def test_a_circumstance_that_is_none_is_told_with_what_is_valid(
    about: dict[str, Any], error: type[Exception], told: str
) -> None:
    for ask_it in (RULES.decide, RULES.explain, RULES.run):
        with pytest.raises((TypeError, ValueError)) as raised:
            ask_it("hi", **about)
        assert raised.type is error and str(raised.value).startswith(told)
    assert not RULES.decide(
        "hi", role=None, key=None, group=None, source=None, language=None, entry=None, history=[["user", "x"]]
    ).taken


def test_a_language_of_rules_is_one() -> None:
    for make in (lambda: office(language="fr"), lambda: Rules.load("builtin:smalltalk", language="fr")):  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="one of zh, en"):
            make()


def test_a_request_has_a_language_that_is_one() -> None:
    with pytest.raises(ValueError, match="one of zh, en"):
        RULES.decide_request(ask("her salary"), "fr")  # type: ignore[arg-type]
    assert RULES.decide_request(ask("her salary"), "zh").text == "工资保密。请问人事。"


def test_conditions_on_who_asks() -> None:
    for key in ("key", "group", "source", "entry"):
        rules = Rules.parse([{"id": "a", "when": {"any": ["x"], key: ["it"]}, "answer": "A"}], cases="skip")
        assert rules.decide("x", **{key: "it"}).taken  # type: ignore[typeddict-item]
        assert not rules.decide("x").taken and not rules.decide("x", **{key: "other"}).taken  # type: ignore[typeddict-item]


def test_canned_answers_are_no_json_unless_their_rule_says_so() -> None:
    assert not RULES.decide("vpn broken", structured=True).taken
    assert RULES.decide("salary", structured=True).taken, "a refusal holds whatever was asked for"
    json = {"id": "a", "when": {"any": ["x"], "structured": True}, "answer": "{{}}"}
    assert Rules.parse([json], cases="skip").decide("x", structured=True).text == "{}"


def test_the_question_within_a_products_template_is_what_counts(same: Rules) -> None:
    wrapped = "Known information: her salary\nQuestion: VPN坏了\nResponse requirements: short"
    found = same.decide(wrapped)
    assert found.rule == "vpn" and found.slots["question"] == "VPN坏了"
    assert [wrapped[match.start : match.end] for match in found.matched] == ["VPN", "坏了"]


@given(TEXTS, st.sampled_from([None, "staff"]), st.booleans(), st.booleans())
def test_it_is_what_the_gateway_decides(
    same: Rules, gateway: Policy, text: str, role: str | None, tools: bool, asked: bool
) -> None:
    history = (Turn("user", "?"), Turn("assistant", "Shall I go on?")) if asked else ()
    request = ask(text, caller_role=role, tools=tools)
    request = type(request)(**{**_fields(request), "turns": (*history, *request.turns)})
    theirs = decide(request, gateway, Snapshot.of(()))
    ours = same.decide(text, role=role, tools=tools, history=history)
    if theirs.rule == "guard.empty":
        assert not ours.taken and ours.rule is None
        return
    assert (ours.rule, ours.taken) == (theirs.rule, theirs.stage == "l0")
    assert (ours.matched, ours.marks, ours.risk, ours.shadow) == (
        theirs.matched, theirs.marks, theirs.risk, theirs.shadow,
    )  # fmt: skip
    if ours.action in ("answer", "refuse"):
        assert (ours.action, ours.text, ours.reason) == (theirs.action, theirs.parameters["text"], theirs.reason)


def _fields(request: Any) -> dict[str, Any]:
    return {name: getattr(request, name) for name in request.__struct_fields__}


@given(st.text() | st.text(st.characters(categories=["Cs", "Cf", "Mn", "Lo", "Zs"])))
def test_no_text_makes_it_fail(text: str) -> None:
    found = RULES.decide(f"vpn broken {text}")
    assert isinstance(found, Outcome) and (not found.taken or found.text)
    for match in found.matched:
        assert 0 <= match.start < match.end <= len(text) + 11
    RULES.decide(text).reason.encode()


def test_outcomes_are_frozen_and_hold_no_state() -> None:
    found = RULES.decide("salary")
    with pytest.raises(AttributeError):
        found.text = "x"  # type: ignore[misc]
    assert found == RULES.decide("salary")
