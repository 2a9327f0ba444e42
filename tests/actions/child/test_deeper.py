"""What work of an action changes of the interpreter is as before afterwards: hostile JSON would end a process in which
Python may call itself 20,000 times."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pointsman.actions.child import Room
from pointsman.actions.child.deeper import deeper
from pointsman.actions.maths.job import MathsTask
from pointsman.actions.sql.child import examine
from pointsman.actions.sql.job import Task
from pointsman.calculation import read


def test_the_limit_is_as_before_also_after_a_failure() -> None:
    before = sys.getrecursionlimit()
    with pytest.raises(KeyError), deeper(before + 7):
        assert sys.getrecursionlimit() == before + 7
        raise KeyError
    assert sys.getrecursionlimit() == before


def test_work_leaves_the_interpreter_as_it_was(tmp_path: Path) -> None:
    pytest.importorskip("ziamath")  # which warns as it is imported
    from pointsman.actions.maths.child import calculate

    before = sys.getrecursionlimit(), sys.get_int_max_str_digits()
    examine(Task(sql="select 1"), Room(tmp_path, 20))
    calculate(MathsTask(read("2+2"), "en", True, False), Room(tmp_path, 20))
    assert (sys.getrecursionlimit(), sys.get_int_max_str_digits()) == before
