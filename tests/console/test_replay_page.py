"""The page *Replay*: what is asked for, what is told of it; and the process that replays."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

from console.house import House, place_of, text_of
from console.test_entrance import READER
from console.test_requests_page import row
from pointsman.app.console_replay import ConsoleReplays
from pointsman.config.load import load
from pointsman.console.replay.page import ReplayPage
from pointsman.console.replay.runs import Behind, Part, Replayed, ReplayWish
from pointsman.console.rows import Requests, Row
from pointsman.console.shared_run import RunSeen
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
        rows=[
            [Words("<b>", "规则"), Words("7", "7")],
            *([Words(f"req_{n}a: en", f"req_{n}a：en")] for n in range(1, 6)),
            [Words("small", "small"), Words("9", "9")],
        ],
        numbers=[1],
        behind=[Behind(0, 1, ids=["req_1a", "req_2a", "req_gone"]), Behind(6, 1, fields={"target": "small@a"})],
    ),
]
PRINTED = (
    '{"since": 1.0, "until": 2.0, "requests": 60, "compared": 60, "moved": 7, "moved_share": 0.1, "more": 1, '
    '"report": [{"title": null, "lines": '
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
    stopped = False

    def __init__(self, **seen: Any) -> None:
        self.begun: list[ReplayWish] = []
        self.now: RunSeen[Replayed] = RunSeen(**seen)

    async def seen(self) -> RunSeen[Replayed]:
        return self.now

    def files(self) -> Sequence[str]:
        return ["new.yaml"]

    def begin(self, wish: ReplayWish) -> None:
        self.begun.append(wish)

    async def stop(self) -> None:
        self.stopped = True


class Log:
    """Has every request but one."""

    def some(self, ids: Sequence[str]) -> Sequence[Row]:
        return [row(id=name) for name in ids if name != "req_gone"]


def replayed(**changes: Any) -> Replayed:
    found = Replayed(
        wish=ReplayWish("7d", "new.yaml"),
        at=1_796_000_000.0,
        since=1_795_395_200.0,
        until=1_796_000_000.0,
        took=2.5,
        requests=60,
        compared=54,
        moved=7,
        moved_share=0.1167,
        report=REPORT,
    )
    return msgspec.structs.replace(found, **changes)


def house(runs: Runs, *, here: bool = True) -> House:
    def pages(templates: Templates) -> Iterator[Route]:
        yield from ReplayPage(templates, runs, cast(Requests, Log())).routes()

    return House(pages, here=here)


@pytest.mark.parametrize("tongue", ["en", "zh"])
def test_what_moves_is_told_with_its_requests(tongue: Any) -> None:
    page = text_of(house(Runs(found=replayed())).get("/ui/replay", tongue))
    for part in (
        'href="/ui/requests/req_1a"',
        "new.yaml",
        "12 %",
        "90 %",
        "60 requests" if tongue == "en" else "60 个请求",
        'href="/ui/requests?since=1795395200&amp;until=1796000000"',
        'href="/ui/requests?target=small%40a&amp;since=1795395200&amp;until=1796000000"',
        'href="/ui/replay/requests?part=1&amp;row=0&amp;column=1"',
    ):
        assert part in page, part
    assert "<td><b></td>" not in page and "every 1s" not in page
    shown = [number for number in range(1, 6) if f"/ui/requests/req_{number}a" in page]
    assert shown == [1, 3, 5], "as many samples as stand below a row, from all over"


@pytest.mark.parametrize("tongue", ["en", "zh"])
def test_a_figure_leads_to_its_requests(tongue: Any) -> None:
    served = house(Runs(found=replayed()))
    page = text_of(served.get("/ui/replay/requests?part=1&row=0&column=1", tongue))
    for part in ("&lt;b&gt;" if tongue == "en" else "规则", 'href="/ui/requests/req_1a"', 'href="/ui/requests/req_2a"'):
        assert part in page, part
    assert "/req_gone" not in page and ("1 are gone" if tongue == "en" else "1 个已不在") in page
    for query in ("", "part=1&row=6&column=1", "part=9&row=0&column=1", "part=1&row=0", "part=-1&row=x&column=1"):
        assert served.get(f"/ui/replay/requests?{query}", tongue).status == 404
    assert house(Runs()).get("/ui/replay/requests?part=1&row=0&column=1", tongue).status == 404


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
    runs = Runs(since=1.0, share=0.42)
    served = house(runs)
    piece = text_of(served.get("/ui/replay", hx_request="true"))
    assert "<html" not in piece and "every 1s" in piece and 'id="stop"' in piece and "42 %" in piece
    runs.now = RunSeen(since=1.0)
    assert "Under way since" in text_of(served.get("/ui/replay"))
    assert place_of(served.post("/ui/replay/stop", {})) == "/ui/replay" and runs.stopped
    runs.now, runs.scored = RunSeen(failed=Said("no room", "放不下")), ()
    page = text_of(served.get("/ui/replay"))
    assert "no room" in page and "policy: interactive" in page


def test_a_reader_sees_and_begins_nothing() -> None:
    runs = Runs(found=replayed())
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


def runs_in(folder: Path, *command: str) -> ConsoleReplays:
    return ConsoleReplays(lambda: setup_in(folder), folder / "console", command or ("false",))


def run(folder: Path, program: str, wish: ReplayWish) -> RunSeen[Replayed]:
    async def go() -> RunSeen[Replayed]:
        runs = runs_in(folder, sys.executable, "-c", program)
        runs.begin(wish)
        with pytest.raises(PointsmanError, match="under way"):
            runs.begin(wish)
        while (seen := await runs.seen()).since is not None:
            await asyncio.sleep(0.02)
        return seen

    return asyncio.run(go())


def test_it_is_asked_with_the_gateways_own_log_and_the_weights(tmp_path: Path) -> None:
    seen = tmp_path / "seen.txt"
    program = (
        "import sys, pathlib; a = sys.argv[1:]; w = a[a.index('--against-weights') + 1]; "
        f"pathlib.Path({str(seen)!r}).write_text(' '.join(a) + chr(10) + pathlib.Path(w).read_text()); "
        f"print('''{PRINTED}''')"
    )
    seen_then = run(tmp_path, program, ReplayWish("1d", "new.yaml", {"mine": (3.0, 0.0, 0.0)}))
    assert seen_then.found is not None and seen_then.failed is None and seen_then.found.moved == 7
    line, _, weights = seen.read_text(encoding="utf-8").partition("\n")
    assert f"--data-dir {tmp_path} --since 1d --against {tmp_path}/new.yaml" in line
    assert "quality: 3.0" in weights and "stay: 0.5" in weights and not list(tmp_path.glob("weights.*"))
    runs = runs_in(tmp_path)
    assert runs.weights["mine"] == (2.0, 0.0, 0.0) and runs.files() == ["new.yaml"]
    assert asyncio.run(runs.seen()) == seen_then, "another process of the gateway sees it, too"


def test_what_the_command_says_is_told(tmp_path: Path) -> None:
    program = (
        "import sys; print('40 %', 'error: policy.mine: wrong', sep=chr(10), file=sys.stderr); raise SystemExit(2)"
    )
    seen = run(tmp_path, program, ReplayWish("1d", "new.yaml"))
    assert seen.found is None and "policy.mine: wrong" in str(seen.failed) and "40 %" not in str(seen.failed)


def test_how_far_it_is_is_seen(tmp_path: Path) -> None:
    async def go() -> None:
        program = "import sys, time; print('7 %', '42 %', sep=chr(10), file=sys.stderr, flush=True); time.sleep(600)"
        runs = runs_in(tmp_path, sys.executable, "-c", program)
        runs.begin(ReplayWish("1d", "new.yaml"))
        while (await runs.seen()).share != 0.42:
            await asyncio.sleep(0.02)
        await runs.close()

    asyncio.run(go())


def test_only_files_beside_the_config_are_taken(tmp_path: Path) -> None:
    async def go() -> None:
        runs = runs_in(tmp_path)
        for name in ("../secret.yaml", "/etc/passwd", "pointsman.yaml"):
            with pytest.raises(PointsmanError, match="no config"):
                runs.begin(ReplayWish("1d", name))
        assert (await runs.seen()).since is None

    asyncio.run(go())


def test_who_stops_it_takes_the_process_along(tmp_path: Path) -> None:
    async def go() -> None:
        runs = runs_in(tmp_path, sys.executable, "-c", "import time; time.sleep(600)")
        runs.begin(ReplayWish("1d", None, {"mine": (3.0, 0.0, 0.0)}))
        await asyncio.sleep(0.1)
        await runs.stop()
        await asyncio.sleep(0)
        seen = await runs.seen()
        assert seen.since is None and seen.found is None and not list(tmp_path.glob("weights.*"))

    asyncio.run(go())
