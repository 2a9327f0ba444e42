"""The page *Evaluate*: how true confidences are, what is confused, what models are worth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from console.house import House, text_of
from console.test_entrance import READER
from console.test_replay_page import Log
from pointsman.arbiter.evaluation import Evaluation
from pointsman.arbiter.reliability import Bin
from pointsman.arbiters.calibrations import keep_evaluation, kept_evaluations
from pointsman.console.evaluate.figures import (
    EDGE,
    HEIGHT,
    SIDE,
    WIDTH,
    Field,
    ModelWorth,
    dots_of,
    points_of,
    square_of,
)
from pointsman.console.evaluate.page import EvaluatePage
from pointsman.console.rows import Requests
from pointsman.console.templates import Templates
from pointsman.console.visit import Route

BINS = (Bin(0.4, 0.5, 4.0, 0.45, 0.25), Bin(0.9, 1.0, 16.0, 0.95, 1.0))


def evaluation(heads: str = "m/abc", at: float = 2.0, **more: Any) -> Evaluation:
    usual: dict[str, Any] = {
        "texts": 20, "before": BINS, "after": BINS, "ece_before": 0.2, "ece_after": 0.05, "accuracy": 0.85,
        "confusion": (("refund", "refund", 16), ("bill", "<refund>", 3), ("open_ended", "bill", 1)),
    }  # fmt: skip
    return Evaluation(heads=heads, at=at, **{**usual, **more})


MODELS = [ModelWorth("big@a", "big", 0.8, 400, -0.02, 8.0), ModelWorth("small@a", "small", 0.4, 0, 0.0, None)]


class Evaluations:
    def __init__(self, arbiters: Sequence[Evaluation], models: Sequence[ModelWorth]) -> None:
        self._arbiters, self._models = arbiters, models

    def arbiters(self) -> Sequence[Evaluation]:
        return self._arbiters

    def models(self) -> Sequence[ModelWorth]:
        return self._models


def house(arbiters: Sequence[Evaluation], models: Sequence[ModelWorth], *, here: bool = True) -> House:
    def pages(templates: Templates) -> Iterator[Route]:
        yield from EvaluatePage(templates, Evaluations(arbiters, models), cast(Requests, Log())).routes()

    return House(pages, here=here)


@pytest.mark.parametrize("tongue", ["en", "zh"])
def test_it_shows_what_was_measured(tongue: Any) -> None:
    page = text_of(house([evaluation()], MODELS).get("/ui/evaluate", tongue))
    for part in (
        "m/abc",
        "0.200",
        "0.050",
        "85 %",
        "0.76–0.84",
        "-0.02",
        "&lt;refund&gt;",
        'href="/ui/requests?intent=bill"',
    ):
        assert part in page, part
    assert page.count('class="after"') == 2 and ("a guess by its size" if tongue == "en" else "按规模猜测") in page


@pytest.mark.parametrize("tongue", ["en", "zh"])
def test_many_intents_are_listed(tongue: Any) -> None:
    many = tuple((f"intent{n}", f"intent{n + 1}", 2) for n in range(20))
    page = text_of(house([evaluation(confusion=many)], []).get("/ui/evaluate", tongue))
    assert 'class="square"' not in page and ("Heard as" if tongue == "en" else "听成") in page
    assert page.count('href="/ui/requests?intent=intent0"') == 1


@pytest.mark.parametrize("tongue", ["en", "zh"])
def test_a_figure_leads_to_its_texts(tongue: Any) -> None:
    of_file = evaluation("m/file", labels="mine.csv", confused=(("1", "7"), ("2", "u-3")), binned=(("1",), ("2", "7")))
    of_log = evaluation("m/log", 1.0, confused=(("req_1a", "req_gone"),), binned=(("req_1a",),))
    served = house([of_file, of_log], [])
    page = text_of(served.get("/ui/evaluate", tongue))
    for place in ("of=m/file&amp;pair=1", "of=m/file&amp;bin=1", "of=m/log&amp;pair=0", "of=m/log&amp;bin=0"):
        assert f'href="/ui/evaluate/texts?{place}"' in page, place
    assert "pair=2" not in page, "nothing is known of these"
    page = text_of(served.get("/ui/evaluate/texts?of=m/file&pair=1", tongue))
    assert "mine.csv" in page and "<code>u-3</code>" in page and "&lt;refund&gt;" in page
    assert "93 %" not in (page := text_of(served.get("/ui/evaluate/texts?of=m/file&bin=1", tongue))) and "90 %" in page
    page = text_of(served.get("/ui/evaluate/texts?of=m/log&pair=0", tongue))
    assert (
        'href="/ui/requests/req_1a"' in page
        and "/req_gone" not in page
        and ("1 are gone" if tongue == "en" else "1 个已") in page
    )
    for query in ("", "of=m/none&pair=0", "of=m/log&pair=1", "of=m/log&pair=-1", "of=m/log&bin=x"):
        assert served.get(f"/ui/evaluate/texts?{query}", tongue).status == 404, query


def test_without_any_it_says_which_commands_fill_it() -> None:
    served = house([], MODELS[1:], here=False)
    served.sign_in(READER)
    page = text_of(served.get("/ui/evaluate"))
    assert "pointsman calibrate" in page and "pointsman bench quality" in page and "No speed" in page


def test_the_drawings_are_within_their_edges() -> None:
    dots, ticks = dots_of([*MODELS, ModelWorth("c@a", "c", 1.0, 1, 0.0, 0.004)])
    assert [dot.number for dot in dots] == [1, 3]
    assert [round(seconds, 3) for _, seconds in ticks] == [0.002, 0.01, 0.05, 0.2, 1.0, 5.0]
    for dot in dots:
        assert EDGE <= dot.x <= WIDTH - EDGE and EDGE <= dot.y <= HEIGHT - EDGE
        assert dot.low is not None and dot.high is not None and dot.low >= dot.y >= dot.high
    assert dots_of(MODELS[1:]) == ([], [])
    assert [at for _, at in dots_of([ModelWorth("a", "a", 0.5, 0, 0, 1.0)])[1]] == [0.2, 0.5, 1.0, 2.0, 5.0]
    assert points_of(BINS) == [(0.45 * SIDE, 0.75 * SIDE, 7.5), (0.95 * SIDE, 0.0, 12.0)] and points_of(()) == []
    square = square_of(evaluation())
    assert square is not None and sum(field.texts for _, counts in square.rows for field in counts) == 20
    assert square.rows[0] == ("<refund>", [Field(), Field(), Field(), Field()])


def test_what_calibrate_keeps_is_found_again(tmp_path: Path) -> None:
    old, new = evaluation("m/old", 1.0), evaluation("m/new", 3.0)
    for each in (old, new):
        keep_evaluation(tmp_path / "arbiter", each)
    (tmp_path / "arbiter" / "evaluation-broken.json").write_text("{", encoding="utf-8")
    assert kept_evaluations(tmp_path / "arbiter") == [new, old] and kept_evaluations(tmp_path / "none") == []
