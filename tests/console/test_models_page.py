"""The page *Models & nodes*: who takes what of memory, and an operator's word on it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from console.house import House, place_of, text_of
from console.test_entrance import READER
from pointsman.console.gauges import Room
from pointsman.console.models.failures import Failure
from pointsman.console.models.fleet import FleetSeen, ModelSeen, Verb, map_of
from pointsman.console.models.page import ModelsPage
from pointsman.console.templates import Templates
from pointsman.console.visit import Route
from pointsman.console.words import Words
from pointsman.domain.errors import PointsmanError
from pointsman.domain.node import NodeStatus
from pointsman.domain.residence import Residence, Stage
from pointsman.domain.said import Said, said
from pointsman.domain.target import BackendState, Load, Target

GIB = 1 << 30


def model(name: str, residence: Residence | None = None, memory: int | None = None, **state: object) -> ModelSeen:
    target = Target(name, "light", name.partition("@")[0], "here", "llamacpp")
    return ModelSeen(target, BackendState(name, **state), Load(2, 1.5), residence, memory, 4)  # type: ignore[arg-type]


SEEN = FleetSeen(
    [
        model("big@a", Residence("big@a", "ready", load_seconds=4.0, loads=3, evictions=1, pinned=True), 4 * GIB),
        model("coming@a", Residence("coming@a", "loading", 1.0, progress=Said("40 %", "40 %，第二层")), 2 * GIB),
        model("gone@a", Residence("gone@a", "failed", problem=Said("no room", "放不下")), 8 * GIB),
        model("<b>@a", None, None, health="up", breaker="open", cause="5 of 6 failed"),
        model("pool@n", None, None, health="up", nodes=(NodeStatus("one", "ejected", 4, "too many failures"),)),
    ],
    waiting=3,
    budget=10 * GIB,
    rooms=[Room("", "node", 5.0 * GIB, 16.0 * GIB)],
)


class Fleet:
    def __init__(self, seen: FleetSeen = SEEN) -> None:
        self.told: list[tuple[Verb, str]] = []
        self._seen = seen

    async def seen(self) -> FleetSeen:
        return self._seen

    async def manage(self, verb: Verb, target: str) -> None:
        if target == "nobody":
            raise PointsmanError(said("there is no model", "没有这个模型"), status=404)
        self.told.append((verb, target))


def house(fleet: Fleet, *, here: bool = True) -> House:
    def pages(templates: Templates) -> Iterator[Route]:
        yield from ModelsPage(templates, fleet).routes()

    return House(pages, here=here)


@pytest.mark.parametrize("tongue", ["en", "zh"])
def test_it_shows_who_takes_what_and_how_each_is(tongue: str) -> None:
    page = text_of(house(Fleet()).get("/ui/models", tongue))  # type: ignore[arg-type]
    for part in ("4.0 GiB", "10 GiB", "40 %", "&lt;b&gt;@a", "5 of 6 failed", "too many failures", "every 2s", "2 / 4"):
        assert part in page, part
    assert ("made room" in page, "让位" in page) == ((True, False) if tongue == "en" else (False, True))
    assert ("no room" in page) == (tongue == "en") and ("放不下" in page) == (tongue == "zh")
    assert 'href="/ui/requests?target=big%40a"' in page and "<b>@a" not in page
    assert '<div class="tile"' not in page and 'href="/ui/requests?outcome=under_way"' in page


def test_what_came_to_nothing_is_said_once() -> None:
    failure = Failure(100.0, Words("no room", "放不下"))

    def unsaid(stage: Stage, since: float, problem: Said | None = None) -> Failure | None:
        residence = Residence("a", stage, since, problem)
        target = Target("a", "light", "a", "here", "llamacpp")
        return ModelSeen(target, BackendState("a"), Load(), residence, failed=failure).unsaid

    assert (
        unsaid("unloaded", 50.0)
        == unsaid("ready", 50.0)
        == unsaid("failed", 100.0, Said("it ended", "退出"))
        == failure
    )
    assert unsaid("failed", 100.0, Said("no room", "放不下")) is None and unsaid("ready", 101.0) is None


def test_the_map_is_of_the_budget() -> None:
    found = map_of(SEEN)
    assert [(each.name, each.start, each.width, each.look) for each in found.slices] == [
        ("big@a", 0.0, 0.4, "model"),
        ("coming@a", 0.4, 0.2, "warn"),
    ]
    assert (found.taken, found.most, found.unknown) == (6 * GIB, 10 * GIB, 1)
    assert map_of(FleetSeen([], 0, None, [])).most == 0


def test_it_is_loaded_and_unloaded() -> None:
    fleet = Fleet()
    served = house(fleet)
    page = text_of(served.get("/ui/models"))
    assert page.count('value="unload"') == 2 and page.count('value="load"') == 1 and page.count('value="unpin"') == 1
    assert place_of(served.post("/ui/models", {"verb": "load", "target": "gone@a"})) == "/ui/models"
    assert fleet.told == [("load", "gone@a")]
    assert served.post("/ui/models", {"verb": "load", "target": "nobody"}).status == 404
    wrong = served.post("/ui/models", {"verb": "eat", "target": "gone@a"})
    assert wrong.status == 400 and "load, unload, pin, unpin" in text_of(wrong)


def test_the_part_that_changes_is_a_piece() -> None:
    piece = text_of(house(Fleet()).get("/ui/models", hx_request="true"))
    assert "<html" not in piece and 'id="models-now"' in piece


def test_a_reader_sees_and_changes_nothing() -> None:
    fleet = Fleet()
    served = house(fleet, here=False)
    served.sign_in(READER)
    page = text_of(served.get("/ui/models"))
    assert "big@a" in page and 'name="verb"' not in page and "admin key" in page
    assert served.post("/ui/models", {"verb": "load", "target": "gone@a"}).status == 403 and not fleet.told


def test_without_models_it_says_how_to_have_some() -> None:
    page = text_of(house(Fleet(FleetSeen([], 0, None, []))).get("/ui/models"))
    assert "pointsman init" in page and "every 8s" in page
