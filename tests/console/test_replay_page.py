"""The page *Replay*: what is asked for, what is told of it; and the process that replays."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from console.house import House, place_of, text_of
from console.test_entrance import READER
from pointsman.app.console_replay import ConsoleReplays
from pointsman.config.load import load
from pointsman.console.replay.page import ReplayPage
from pointsman.console.replay.runs import Part, Replayed, ReplayWish
from pointsman.console.templates import Templates
from pointsman.console.visit import Route
from pointsman.console.words import Words
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said

REPORT = [
    Part(lines=[Words("60 requests", "60 个请求")]),
    Part(
        Words("Moves", "移动"),
        heads=[Words("From", "从"), Words("Many", "数量")],
        rows=[[Words("<b>", "规则"), Words("7", "7")], [Words("req_1a: en", "req_1a：en")]],
        numbers=[1],
    ),
]
PRINTED = (
    '{"requests": 60, "compared": 60, "moved": 7, "moved_share": 0.1, "more": 1, "report": [{"title": null, "lines": '
    '[{"en": "L", "zh": "行"}], "heads": [], "rows": [], "numbers": []}]}'
)
PRESENT = {"interactive": (1.0, 0.3, 0.1), "my own": (1.0, 0.0, 0.0)}
FORM = {
    f"{name}.{kind}": str(value)
    for name, each in PRESENT.items()
    for kind, value in zip(("quality", "latency", "cost"), each, strict=True)
}


class Runs:
    weights: Mapping[str, tuple[float, float, float]] = PRESENT
    scored: Sequence[str] = ("auto",)
    since: float | None = None
    found: Replayed | None = None
    failed: Said | None = None
    stopped = False

    def __init__(self) -> None:
        self.begun: list[ReplayWish] = []

    def files(self) -> Sequence[str]:
        return ["new.yaml"]

    def begin(self, wish: ReplayWish) -> None:
        self.begun.append(wish)

    async def stop(self) -> None:
        self.stopped = True


def house(runs: Runs, *, here: bool = True) -> House:
    def pages(templates: Templates) -> Iterator[Route]:
        yield from ReplayPage(templates, runs).routes()

    return House(pages, here=here)


@pytest.mark.parametrize("tongue", ["en", "zh"])
def test_what_moves_is_told_with_its_requests(tongue: Any) -> None:
    runs = Runs()
    runs.found = Replayed(ReplayWish("7d", "new.yaml"), 1_796_000_000.0, 2.5, 60, 60, 7, 0.1167, REPORT)
    page = text_of(house(runs).get("/ui/replay", tongue))
    for part in ('href="/ui/requests/req_1a"', "new.yaml", "12 %", "60 requests" if tongue == "en" else "60 个请求"):
        assert part in page, part
    assert "<td><b></td>" not in page and "every 1s" not in page


def test_other_weights_or_another_config_are_replayed() -> None:
    runs = Runs()
    served = house(runs)
    assert 'value="0.3"' in text_of(served.get("/ui/replay"))
    assert place_of(served.post("/ui/replay", {**FORM, "interactive.cost": "2.5", "span": "1d"})) == "/ui/replay"
    assert place_of(served.post("/ui/replay", {**FORM, "file": "new.yaml", "span": "99y"})) == "/ui/replay"
    assert runs.begun == [
        ReplayWish("1d", None, {**PRESENT, "interactive": (1.0, 0.3, 2.5)}),
        ReplayWish("7d", "new.yaml"),
    ]


def test_what_makes_no_sense_is_refused() -> None:
    runs = Runs()
    served = house(runs)
    same, wrong = served.post("/ui/replay", FORM), served.post("/ui/replay", {**FORM, "interactive.cost": "-1"})
    assert same.status == wrong.status == 400 and not runs.begun
    assert "nothing differs" in text_of(same) and "0 to 1000" in text_of(wrong)


def test_it_is_followed_and_stopped() -> None:
    runs = Runs()
    runs.since = 1.0
    served = house(runs)
    piece = text_of(served.get("/ui/replay", hx_request="true"))
    assert "<html" not in piece and "every 1s" in piece and 'id="stop"' in piece
    assert place_of(served.post("/ui/replay/stop", {})) == "/ui/replay" and runs.stopped
    runs.since, runs.failed, runs.scored = None, Said("no room", "放不下"), ()
    page = text_of(served.get("/ui/replay"))
    assert "no room" in page and "policy: interactive" in page


def test_a_reader_sees_and_begins_nothing() -> None:
    runs = Runs()
    runs.found = Replayed(ReplayWish("7d", "new.yaml"), 1.0, 2.5, 60, 60, 7, 0.1, REPORT)
    served = house(runs, here=False)
    served.sign_in(READER)
    page = text_of(served.get("/ui/replay"))
    assert "60 requests" in page and 'id="begin"' not in page
    assert served.post("/ui/replay", FORM).status == served.post("/ui/replay/stop", {}).status == 403 and not runs.begun


# The process


def setup_in(folder: Path) -> Any:
    (folder / "pointsman.yaml").write_text("policy: {mine: {quality: 2, stay: 0.5}}\n", encoding="utf-8")
    (folder / "new.yaml").write_text("models: {}\n", encoding="utf-8")
    config = load(folder / "pointsman.yaml", {"server.data_dir": str(folder)}, {}).draft
    return SimpleNamespace(config=config, file=str(folder / "pointsman.yaml"), base=str(folder))


def run(folder: Path, program: str, wish: ReplayWish) -> ConsoleReplays:
    async def go() -> ConsoleReplays:
        runs = ConsoleReplays(lambda: setup_in(folder), (sys.executable, "-c", program))
        runs.begin(wish)
        with pytest.raises(PointsmanError, match="under way"):
            runs.begin(wish)
        while runs.since is not None:
            await asyncio.sleep(0.02)
        return runs

    return asyncio.run(go())


def test_it_is_asked_with_the_gateways_own_log_and_the_weights(tmp_path: Path) -> None:
    seen = tmp_path / "seen.txt"
    program = (
        "import sys, pathlib; a = sys.argv[1:]; w = a[a.index('--against-weights') + 1]; "
        f"pathlib.Path({str(seen)!r}).write_text(' '.join(a) + chr(10) + pathlib.Path(w).read_text()); "
        f"print('''{PRINTED}''')"
    )
    runs = run(tmp_path, program, ReplayWish("1d", "new.yaml", {"mine": (3.0, 0.0, 0.0)}))
    assert runs.found is not None and runs.failed is None and runs.found.moved == 7
    line, _, weights = seen.read_text(encoding="utf-8").partition("\n")
    assert f"--data-dir {tmp_path} --since 1d --against {tmp_path}/new.yaml" in line
    assert "quality: 3.0" in weights and "stay: 0.5" in weights and not list(tmp_path.glob("weights.*"))
    assert runs.weights["mine"] == (2.0, 0.0, 0.0) and runs.files() == ["new.yaml"]


def test_what_the_command_says_is_told(tmp_path: Path) -> None:
    program = "import sys; print('error: policy.mine: wrong', file=sys.stderr); raise SystemExit(2)"
    runs = run(tmp_path, program, ReplayWish("1d", "new.yaml"))
    assert runs.found is None and "policy.mine: wrong" in str(runs.failed)


def test_only_files_beside_the_config_are_taken(tmp_path: Path) -> None:
    async def go() -> None:
        runs = ConsoleReplays(lambda: setup_in(tmp_path))
        for name in ("../secret.yaml", "/etc/passwd", "pointsman.yaml"):
            with pytest.raises(PointsmanError, match="no config"):
                runs.begin(ReplayWish("1d", name))
        assert runs.since is None

    asyncio.run(go())


def test_who_stops_it_takes_the_process_along(tmp_path: Path) -> None:
    async def go() -> None:
        runs = ConsoleReplays(lambda: setup_in(tmp_path), (sys.executable, "-c", "import time; time.sleep(600)"))
        runs.begin(ReplayWish("1d", None, {"mine": (3.0, 0.0, 0.0)}))
        await asyncio.sleep(0.1)
        await runs.stop()
        await asyncio.sleep(0)
        assert runs.since is None and runs.found is None and not list(tmp_path.glob("weights.*"))

    asyncio.run(go())
