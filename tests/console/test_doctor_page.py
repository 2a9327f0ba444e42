"""The page *Doctor*: begun by who may, looked at by all; and the process that looks."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from console.house import House, place_of, text_of
from console.test_entrance import READER
from pointsman.app.console_doctor import ConsoleDoctor
from pointsman.app.doctor.order import PARTS
from pointsman.config.load import load
from pointsman.console.doctor.page import DoctorPage, Examined, Found
from pointsman.console.doctor.where import WHERE
from pointsman.console.history import SPANS
from pointsman.console.kinds import KINDS
from pointsman.console.pages.requests import OUTCOMES
from pointsman.console.shared_run import RunSeen
from pointsman.console.templates import Templates
from pointsman.console.visit import Reply, Route
from pointsman.console.words import Words
from pointsman.domain.said import Said

PART = Words("Memory", "内存")
FOUND = Examined(
    1_796_000_000.0,
    3.5,
    [
        Found("a", PART, Words("weights", "权重"), "ok", Words("2 GiB", "占 2 GiB")),
        Found(
            "b", PART, Words("ports", "端口"), "wrong", Words("<b>", "占用"), Words("m", "说"), Words("free it", "让出")
        ),
    ],
)
PRINTED = (
    '{"ok": true, "checks": [{"check": "a", "part": {"en": "M", "zh": "内"}, "title": {"en": "T", "zh": "标"}, '
    '"level": "ok", "saw": {"en": "S", "zh": "看"}, "means": null, "do": null}]}'
)


class Doctor:
    now: RunSeen[Examined] = RunSeen()
    begun = 0

    async def seen(self) -> RunSeen[Examined]:
        return self.now

    def begin(self) -> None:
        self.begun += 1


def house(doctor: Doctor, *, here: bool = True) -> House:
    def pages(templates: Templates) -> Iterator[Route]:
        yield from DoctorPage(templates, doctor).routes()

    return House(pages, here=here)


@pytest.mark.parametrize("tongue", ["en", "zh"])
def test_what_is_wrong_comes_first_with_what_to_do(tongue: Any) -> None:
    doctor = Doctor()
    doctor.now = RunSeen(found=FOUND)
    page = text_of(house(doctor).get("/ui/doctor", tongue))
    wrong, well = ("free it", "2 GiB") if tongue == "en" else ("让出", "占 2 GiB")
    assert page.index(wrong) < page.index(well) and "every 1s" not in page and "<dd><b>" in page
    assert ("&lt;b&gt;" in page) == (tongue == "en")


def test_what_was_counted_can_be_looked_at() -> None:
    """Every check leads somewhere, but for what is of the machine alone."""
    names = {check.name for part in PARTS for check in part.checks}
    assert set(WHERE) <= names and names - set(WHERE) == {"ports", "data_folder", "extras"}
    kinds = set(KINDS)
    for where in WHERE.values():
        query = dict(parse_qsl(urlsplit(where.path).query))
        assert set(query) <= {"kind", "outcome", "since"} and query.get("since", "7d") in SPANS
        assert query.get("kind", "l0") in kinds and query.get("outcome", "failed") in OUTCOMES
    doctor = Doctor()
    counted = Found("l0_hits", PART, Words("hits", "命中"), "note", Words("3 of 9", "9 个中的 3 个"))
    doctor.now = RunSeen(found=Examined(1.0, 1.0, [counted]))

    def pages(templates: Templates) -> Iterator[Route]:
        yield from DoctorPage(templates, doctor).routes()
        yield Route("GET", "/ui/requests", lambda visit: Reply())

    page = text_of(House(pages).get("/ui/doctor"))
    assert (
        'href="/ui/requests?kind=l0&amp;since=7d"' in page
        and 'href="#first-note"' in page
        and 'id="first-note"' in page
    )


def test_it_is_begun_and_followed() -> None:
    doctor = Doctor()
    served = house(doctor)
    assert "pointsman doctor" in text_of(served.get("/ui/doctor"))
    assert place_of(served.post("/ui/doctor", {})) == "/ui/doctor" and doctor.begun == 1
    doctor.now = RunSeen(1.0)
    piece = text_of(served.get("/ui/doctor", hx_request="true"))
    assert "every 1s" in piece and "<html" not in piece and 'id="look"' not in piece
    doctor.now = RunSeen(failed=Said("it broke off", "中断"))
    assert "it broke off" in text_of(served.get("/ui/doctor"))


def test_a_reader_sees_and_begins_nothing() -> None:
    doctor = Doctor()
    doctor.now = RunSeen(found=FOUND)
    served = house(doctor, here=False)
    served.sign_in(READER)
    page = text_of(served.get("/ui/doctor"))
    assert "free it" in page and 'id="look"' not in page
    assert served.post("/ui/doctor", {}).status == 403 and not doctor.begun


@pytest.mark.parametrize(
    ("program", "found", "failed"),
    [(f"print('''{PRINTED}''')", 1, False), ("print('broken')", 0, True), ("raise SystemExit(3)", 0, True)],
)
def test_a_process_beside_the_gateway_looks(tmp_path: Path, program: str, found: int, failed: bool) -> None:
    setup: Any = SimpleNamespace(config=load(None, {"server.data_dir": str(tmp_path)}, {}).draft, file=None)

    async def look() -> tuple[RunSeen[Examined], RunSeen[Examined]]:
        doctor, other = (ConsoleDoctor(lambda: setup, tmp_path, (sys.executable, "-c", program)) for _ in range(2))
        doctor.begin()
        other.begin()
        assert (await other.seen()).since is not None
        while (await doctor.seen()).since is not None:
            await asyncio.sleep(0.02)
        await doctor.close()
        return await doctor.seen(), await other.seen()

    here, there = asyncio.run(look())
    assert here == there
    assert (0 if here.found is None else len(here.found.checks)) == found
    assert (here.failed is not None) == failed


def test_who_leaves_takes_the_process_along(tmp_path: Path) -> None:
    setup: Any = SimpleNamespace(config=load(None, {"server.data_dir": str(tmp_path)}, {}).draft, file=None)

    async def leave() -> None:
        doctor = ConsoleDoctor(lambda: setup, tmp_path, (sys.executable, "-c", "import time; time.sleep(600)"))
        doctor.begin()
        await asyncio.sleep(0.1)
        await doctor.close()
        assert (await doctor.seen()) == RunSeen()

    asyncio.run(leave())
