"""Questions of mathematics with their answers, written by somebody who had not seen the code: `tests/sets/maths/
questions.jsonl` with {"text", "language", "answer"}, the answer null where nothing is to be computed. `-s` prints what was
wrong, and the figures."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sympy")
pytest.importorskip("pint")

import sympy as sp

from pointsman.actions.child import Room
from pointsman.actions.maths.action import understood
from pointsman.actions.maths.quantities import registry
from pointsman.calculation import Problem
from pointsman.ports.action import ActionFailed

SET = Path(__file__).parents[1] / "sets" / "maths" / "questions.jsonl"
pytestmark = [
    pytest.mark.skipif(not SET.exists(), reason="no set of questions of mathematics"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of libraries, as in the child
]
FLOORS = {"zh": 0.87, "en": 0.90}
"""Of the questions with an answer, how many get it."""
MOST_WRONG = 2
"""Answers that are not the right one, of all."""
MOST_TAKEN = 0
"""Questions that are answered where there is nothing to compute."""
_UNIT = re.compile(r"^(?P<value>.+?) (?P<unit>[A-Za-z%][A-Za-z0-9*/]*)$")


def rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in SET.read_text(encoding="utf-8").splitlines() if line]


def answered(row: dict[str, Any]) -> Any | None:
    """What the child gives; None where the question is not taken."""
    from pointsman.actions.maths.child import calculate
    from pointsman.actions.maths.job import MathsTask

    try:
        problem: Problem = understood(row["text"])
        task = MathsTask(problem, row["language"], steps=False, picture=False)
        return calculate(task, Room(Path(), 20.0))
    except ActionFailed:
        return None


def same(got: Any, wanted: str) -> bool:
    """Numbers within what the set was rounded to; expressions by their difference, antiderivatives by their derivative;
    solutions as sets."""
    if wanted.startswith(("{", "[{")):
        wanted_ones = _solutions(wanted)
        return solutions_of(got, next(iter(wanted_ones[0]))) == {frozenset(one.items()) for one in wanted_ones}
    if any(sign in wanted for sign in "<>"):
        return bool(sp.simplify(sp.Equivalent(_relation(got), _parsed(wanted))) == True)  # noqa: E712
    code = got.code.replace("²", "^2").replace("^", "**").replace("°C", "degC").replace("°F", "degF")
    if match := _UNIT.match(wanted):
        found = _UNIT.match(code)
        if match["unit"] == "%":
            value = found["value"] if found else code
            number = _parsed(value.removesuffix("%")) * (1 if "%" in code else 100)
            return _near(abs(number), abs(_parsed(match["value"])))  # "fell by 28 %" and "-28 %" say the same
        if match["unit"] in ("rad", "deg") and found is None:
            return _near(_parsed(code), _parsed(match["value"]))
        units = registry()
        there = units.Quantity(1, found["unit"]) if found else units.Quantity(1, "")
        asked = units.Quantity(1, match["unit"])
        return there.units == asked.units and _near(_parsed(found["value"]) if found else code, _parsed(match["value"]))
    if wanted.startswith("[["):
        return bool(sp.Matrix(_parsed(wanted)) == sp.Matrix(_parsed(code)))
    if wanted.startswith("["):
        return sorted(map(str, _parsed(wanted))) == sorted(map(str, _parsed(code)))
    value, right = _parsed(code.removesuffix("+ C").removesuffix(" + C")), _parsed(wanted)
    difference = sp.simplify(value - right)
    return difference == 0 or ("C" in code and difference.is_number) or _near(value, right)


def _near(value: Any, right: Any) -> bool:
    value, right = sp.sympify(value), sp.sympify(right)
    if not (value.is_number and right.is_number):
        return False
    if value.is_infinite or right.is_infinite:
        return bool(value == right)
    digits = max(len(str(right).partition(".")[2]), 2)
    return bool(abs(sp.N(value - right)) <= max(sp.Rational(6, 10 ** (digits + 1)), abs(sp.N(right)) * 1e-6))


def _parsed(text: str) -> Any:
    return sp.sympify(text.replace("^", "**"), locals={"oo": sp.oo})


def _solutions(text: str) -> list[dict[str, str]]:
    found = re.findall(r"\{([^}]*)\}", text)
    return [
        {key.strip(): str(_parsed(value)) for key, value in (part.split(":") for part in one.split(","))}
        for one in found
    ]


def solutions_of(got: Any, unknown: str) -> set[frozenset[tuple[str, str]]]:
    """{x: 2} and {x: 3} of `2, 3`, or of `x = 2, y = 3`."""
    found = set()
    for one in got.answers:
        if "=" in one:
            pairs = (part.split("=") for part in re.split(r",\s*(?=[a-z]\w*\s*=)", one))
            found.add(frozenset((name.strip(), str(_parsed(value))) for name, value in pairs))
        else:
            found.add(frozenset({(unknown, str(_parsed(one)))}))
    return found


def _relation(got: Any) -> Any:
    """The set of numbers (4, oo) as a relation of x."""
    solved = sp.sympify(
        re.sub(r"([\[(])([^,()\[\]]+), ?([^,()\[\]]+)([\])])", _interval, got.code.replace("^", "**")).replace("∪", "|")
    )
    return solved.as_relational(sp.Symbol("x", real=True)).subs(sp.Symbol("x", real=True), sp.Symbol("x"))


def _interval(match: re.Match[str]) -> str:
    opens, low, high, closes = match.groups()
    return f"Interval({low}, {high}, {opens == '('}, {closes == ')'})"


def test_answers() -> None:
    figures: dict[str, list[int]] = {}
    wrong, taken = [], []
    for row in rows():
        got = answered(row)
        if row["answer"] is None:
            if got is not None:
                taken.append((row["text"], got.code))
            continue
        right = got is not None and same(got, row["answer"])
        count = figures.setdefault(row["language"], [0, 0])
        count[0] += right
        count[1] += 1
        if got is None:
            print("not taken:", row["text"])
        elif not right:
            wrong.append((row["text"], row["answer"], got.code, got.answers))
            print("WRONG:", *wrong[-1])
    shares = {language: right / of for language, (right, of) in figures.items()}
    print(
        {language: f"{right} of {of} ({right / of:.3f})" for language, (right, of) in figures.items()},
        "wrong",
        len(wrong),
    )
    assert not taken[MOST_TAKEN:], taken
    assert len(wrong) <= MOST_WRONG, wrong
    assert all(shares[language] >= floor for language, floor in FLOORS.items()), shares
