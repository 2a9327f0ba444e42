"""The work in the child process: a tree in, the result with its steps and its picture out."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path

from ziamath.zmath import Latex

from pointsman.actions.child import Room
from pointsman.actions.child.deeper import deeper
from pointsman.actions.maths import trouble
from pointsman.actions.maths.evaluate import evaluated
from pointsman.actions.maths.job import MathsResult, MathsTask
from pointsman.actions.maths.outcome import Outcome
from pointsman.actions.maths.picture import drawn
from pointsman.actions.maths.quantities import registry
from pointsman.calculation.tree import Node, Problem, apply, num, sym
from pointsman.calculation.words import NOTES
from pointsman.calculation.written import latex, plain
from pointsman.domain.said import told

_DEEP = 3000  # calls


@contextlib.contextmanager
def _long_integers() -> Iterator[None]:
    """Of any length, since sizes are checked before."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(before)


@deeper(_DEEP)
def _ready() -> None:
    """What SymPy, pint and the font make at their first use is made before a task comes: a process waits for it anyway."""
    x = sym("x")
    quadratic = apply("sub", apply("pow", x, num(2)), apply("mul", num(5), x))
    registry().Quantity(1, "meter").to("mile")
    Latex("x^2").svgxml()
    for problem in (
        Problem("solve", (apply("eq", quadratic, num(-6)),), ("x",)),
        Problem("value", (apply("derivative", apply("mul", x, apply("sin", x)), x, num(1)),)),
        Problem("value", (apply("integral", quadratic, x, num(0), num(1)),)),
        Problem("value", (apply("sqrt", num(8)),)),
    ):
        evaluated(problem, "en", Room(Path(), 30.0))


_ready()


@deeper(_DEEP)
@_long_integers()
def calculate(task: MathsTask, room: Room) -> MathsResult:
    """Raises ActionFailed."""
    try:
        outcome = evaluated(task.problem, task.tongue, room)
    except trouble.TimeUp:
        raise trouble.unsolved() from None
    except (NotImplementedError, RecursionError):
        raise trouble.unsolved() from None
    question = _question(task.problem)
    tex = _formula(task.problem, outcome)
    picture = None
    if task.picture and room.left > 0.8:
        with contextlib.suppress(OSError):
            picture = drawn(tex, room.folder)
    return MathsResult(
        kind=task.problem.kind,
        expression=question,
        latex=_latex(task.problem),
        result=outcome.line,
        code=outcome.code,
        result_latex=outcome.latex,
        approximate=outcome.approximate,
        answers=outcome.answers,
        steps=tuple(outcome.steps) if task.steps else (),
        notes=tuple(told(NOTES[name], task.tongue) for name in task.problem.notes),
        partial=outcome.partial,
        picture=picture,
        extra=outcome.extra,
    )


def _question(problem: Problem) -> str:
    nodes = problem.nodes[:1] if problem.kind == "convert" else problem.nodes
    return ", ".join(plain(node) for node in nodes)


def _latex(problem: Problem) -> str:
    nodes = problem.nodes
    match problem.kind:
        case "solve" if len(nodes) > 1:
            return latex(Node("and", nodes))
        case "change":
            a, b = nodes
            return rf"\frac{{{latex(b)}-{latex(a)}}}{{{latex(a)}}}"
        case "share" | "whole":
            return latex(Node("div", nodes))
        case "raise" | "lower":
            return latex(Node(problem.kind, nodes))
        case "discount":
            return latex(Node("mul", (nodes[0], Node("num", text=_tenths(nodes[1])))))
        case "convert" | "compare":
            return latex(nodes[0])
        case _:
            return latex(nodes[0])


def _tenths(node: Node) -> str:
    digits = node.args[0].text.replace(".", "")
    return f"0.{digits}"


def _formula(problem: Problem, outcome: Outcome) -> str:
    """Question = answer."""
    if problem.kind == "compare":
        return outcome.latex
    if not outcome.relation:
        return _latex(problem)
    return f"{_latex(problem)} {outcome.relation} {outcome.latex}"
