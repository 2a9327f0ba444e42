"""From wishes to an ordered list of targets: who is left out says why, who is down comes last, nobody comes twice."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pipeline.policies import up
from pointsman.domain.target import BackendState, Snapshot, Target
from pointsman.routing.choose import Choice, Wanted, choose

NAMES = ["a", "b", "c", "d", "e"]


def targets(external: str = "") -> dict[str, Target]:
    return {name: Target(name, "light", name, name, "vllm", external=name in external) for name in NAMES}


def pick(
    wanted: list[Wanted],
    states: list[BackendState] | None = None,
    *,
    external: str = "",
    tokens: int = 100,
    keep_local: bool = True,
) -> Choice:
    snapshot = Snapshot.of(states or [])
    return choose(wanted, targets(external), snapshot, input_tokens=tokens, reserve=16, keep_local=keep_local)


def names(choice: Choice) -> list[str]:
    return [target.target for target in choice.targets]


def test_in_the_order_of_wishes() -> None:
    choice = pick([Wanted("route x", ("c", "a")), Wanted("fallback", ("b",))])
    assert [(target.target, target.why) for target in choice.targets] == [
        ("c", "route x"),
        ("a", "route x"),
        ("b", "fallback"),
    ]
    assert choice.left_out == ()
    assert choice.context_length is None


def test_nobody_comes_twice_and_the_first_reason_stays() -> None:
    choice = pick([Wanted("route x", ("a", "a", "b")), Wanted("fallback", ("b", "a", "c"))])
    assert [(target.target, target.why) for target in choice.targets] == [
        ("a", "route x"),
        ("b", "route x"),
        ("c", "fallback"),
    ]


def test_external_ones_are_left_out_where_requests_stay_here() -> None:
    wanted = [Wanted("route x", ("a", "b")), Wanted("fallback", ("a", "c"))]
    kept = pick(wanted, external="ac")
    assert names(kept) == ["b"]
    assert [target.target for target in kept.left_out] == ["a", "c"]
    assert all("external" in target.why and "local" in target.why for target in kept.left_out)
    assert names(pick(wanted, external="ac", keep_local=False)) == ["a", "b", "c"]


def test_a_prompt_that_does_not_fit_says_the_numbers() -> None:
    states = [up("a", 115), up("b", 116), up("c", 50), up("d", None)]
    choice = pick([Wanted("x", ("a", "b", "c", "d", "e"))], states)
    assert names(choice) == ["b", "d", "e"]
    assert [target.target for target in choice.left_out] == ["a", "c"]
    assert "115" in choice.left_out[0].why
    assert "100" in choice.left_out[0].why
    assert "50" in choice.left_out[1].why
    assert choice.context_length == 115


def test_an_external_target_tells_nothing_of_its_length() -> None:
    choice = pick([Wanted("x", ("a", "b"))], [up("a", 90), up("b", 60)], external="a")
    assert names(choice) == []
    assert choice.context_length == 60


def test_what_is_down_comes_last_and_says_so() -> None:
    states = [up("a", health="down"), up("b", health="loading"), up("c"), up("d", health="unknown")]
    choice = pick([Wanted("x", ("a", "b", "c", "d", "e"))], states)
    assert names(choice) == ["c", "d", "e", "b", "a"]
    why = {target.target: target.why for target in choice.targets}
    assert why["a"] == "x; down: a is down"
    assert why["b"] == "x; loading: b is loading"
    assert why["c"] == why["d"] == why["e"] == "x"


def test_what_is_down_and_gives_no_reason() -> None:
    choice = pick([Wanted("x", ("a",))], [BackendState("a", "down")])
    assert choice.targets[0].why.startswith("x; down: ")


def test_nobody_wanted() -> None:
    assert pick([]) == Choice((), ())
    assert pick([Wanted("x", ())]) == Choice((), ())


states = st.builds(
    up,
    st.sampled_from(NAMES),
    st.none() | st.integers(90, 130),
    st.sampled_from(["up", "unknown", "loading", "down"]),
)
fleets = st.lists(states, unique_by=lambda state: state.target, max_size=5)
wishes = st.lists(
    st.builds(Wanted, st.sampled_from(["r", "fallback"]), st.lists(st.sampled_from(NAMES), max_size=4).map(tuple)),
    max_size=3,
)


@given(wishes, fleets, st.sets(st.sampled_from(NAMES)), st.booleans())
def test_against_an_obvious_reading(
    wanted: list[Wanted], fleet: list[BackendState], external: set[str], keep_local: bool
) -> None:
    known = {state.target: state for state in fleet}
    asked = list(dict.fromkeys(name for group in wanted for name in group.targets))

    def context(name: str) -> int | None:
        return known[name].facts.context_length if name in known else None

    barred = [name for name in asked if keep_local and name in external]
    short = [name for name in asked if name not in barred and (limit := context(name)) is not None and limit < 116]
    left = [name for name in asked if name not in barred and name not in short]
    health = {name: known[name].health if name in known else "unknown" for name in left}
    expected = [name for name in left if health[name] in ("up", "unknown")]
    expected += [name for name in left if health[name] == "loading"]
    expected += [name for name in left if health[name] == "down"]
    choice = pick(wanted, fleet, external="".join(external), keep_local=keep_local)
    assert names(choice) == expected
    assert {target.target for target in choice.left_out} == {*barred, *short}
    assert choice.context_length == (max(context(name) or 0 for name in short) if short else None)
    assert choice == pick(wanted, list(reversed(fleet)), external="".join(external), keep_local=keep_local)
