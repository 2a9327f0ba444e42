"""Walk through examples in the terminal: what rules answer, what becomes a report, what goes to a model, and how fast.
Uses the gateway that answers at --url, else starts one of its own and ends it afterwards."""

from __future__ import annotations

import argparse
import re
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from pointsman.cli.demo_gateway import NotStarted, OwnGateway
from pointsman.cli.demo_screen import Screen
from pointsman.cli.demo_steps import STEPS, Step, say, too_long
from pointsman.cli.gateway_client import ChatReply, Unreachable, chat, get, readiness
from pointsman.cli.output import print_json
from pointsman.cli.tongue import declare_tongue, lenient_output, tongue_of
from pointsman.config.load import load
from pointsman.config.others_words import all_of, message_of, why
from pointsman.config.paths import data_dir, find_config
from pointsman.domain.errors import PointsmanError, Problems
from pointsman.domain.said import Said, Tongue, told
from pointsman.domain.wording import INSTALL
from pointsman.store.log_reader import LogError, LogReader

URL = "http://127.0.0.1:8900"
_LINK = re.compile(r"https?://\S+/files/\S+")
_LOG_LINES = 5


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--url", default=URL, help=f"a gateway that runs; default: {URL}")
    parser.add_argument(
        "--own", action="store_true", help="start a gateway of its own, also where one answers at --url"
    )
    parser.add_argument("--save", metavar="DIR", type=Path, help="keep the reports that are made in this folder")
    parser.add_argument("--json", action="store_true", help="print one JSON object at the end, and nothing else")
    declare_tongue(parser)


def run(options: argparse.Namespace) -> int:
    lenient_output()
    tongue = tongue_of(options)
    screen = Screen(quiet=options.json)
    _check_options(options, tongue)
    with _gateway(options, screen, tongue) as (base, data):
        walk = Walk(base, screen, tongue, options.save)
        for number, step in enumerate(STEPS, 1):
            walk.take(number, step)
        walk.sum_up()
        walk.show_log(data)
    if options.json:
        print_json(walk.result())
    else:
        walk.end(own=base != options.url)
    return 1 if walk.problems else 0


def _check_options(options: argparse.Namespace, tongue: Tongue) -> None:
    """Raises PointsmanError."""
    if not re.fullmatch(r"https?://[^/\s]+/?", options.url):
        raise PointsmanError(say("bad_url", tongue, url=options.url))
    options.url = options.url.rstrip("/")
    if options.save:
        try:
            options.save.mkdir(parents=True, exist_ok=True)
        except (OSError, ValueError) as error:
            raise PointsmanError(say("no_save", tongue, path=options.save, why=told(why(error), tongue))) from None


@contextmanager
def _gateway(options: argparse.Namespace, screen: Screen, tongue: Tongue) -> Iterator[tuple[str, Path | None]]:
    """The base URL, and the data folder where it is known. Raises PointsmanError."""
    if not options.own and readiness(options.url):
        screen.line(say("uses", tongue, url=options.url), "dim")
        yield options.url, _usual_data()
        return
    screen.line(say("starts", tongue), "dim")
    before = signal.signal(signal.SIGTERM, _interrupt)  # so that what was started ends with us
    try:
        with tempfile.TemporaryDirectory(prefix="pointsman-demo-", ignore_cleanup_errors=True) as folder:
            own = OwnGateway(Path(folder), tongue)
            try:
                begun = time.perf_counter()
                own.wait()
                screen.line(say("started", tongue, url=own.base, seconds=time.perf_counter() - begun), "dim")
                yield own.base, own.data
            except NotStarted as error:
                raise PointsmanError(say("not_started", tongue, why=told(message_of(error), tongue))) from None
            finally:
                own.stop()
    finally:
        signal.signal(signal.SIGTERM, before)


def _interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def _usual_data() -> Path | None:
    """Where a gateway that was started here keeps its log."""
    try:
        return data_dir(load(find_config(None)).config)
    except (Problems, OSError, RuntimeError):
        return None


class Walk:
    """One walk through the steps, and what came of it."""

    def __init__(self, base: str, screen: Screen, tongue: Tongue, save: Path | None) -> None:
        self.problems: list[str] = []
        self._base = base
        self._screen = screen
        self._tongue = tongue
        self._save = save
        self._replies: list[tuple[Step, ChatReply]] = []
        self._steps: list[dict[str, Any]] = []
        targets = (readiness(base) or {}).get("targets", ())
        self._has_model = bool(targets)
        contexts = [(target.get("facts") or {}).get("context_length") for target in targets]
        self._context = max((c for c in contexts if c), default=None) if all(contexts) else None
        if not self._has_model:
            screen.line(say("no_model", tongue, install=INSTALL), "warn")

    def take(self, number: int, step: Step) -> None:
        screen = self._screen
        screen.head(f"{number:>2}/{len(STEPS)}", step.title[self._tongue])
        messages = [{"role": role, "content": text} for role, text in step.messages]
        if step.wants == "advice":
            if self._context is None:
                why = "context_unknown" if self._has_model else "context_none"
                screen.line("   " + say(why, self._tongue), "dim")
                self._steps.append({"step": number, "skipped": True})
                return
            messages = [{"role": "user", "content": too_long(self._context, self._tongue)}]
        wants = "question" if step.then else step.wants
        for again in (False, True) if step.then else (False,):
            if again:
                messages = [*messages, {"role": "assistant", "content": self._replies[-1][1].text}]
                messages.append({"role": "user", "content": step.then or ""})
                wants = step.wants
            screen.conversation(messages[-1:] if again else messages)
            if not self._once(number, step, messages, wants):
                return

    def _once(self, number: int, step: Step, messages: list[dict[str, str]], wants: str) -> bool:
        try:
            reply = chat(self._base, messages, max_tokens=step.max_tokens, stream=step.stream)
        except Unreachable as error:
            self._fail(number, told(message_of(error), self._tongue))
            return False
        self._replies.append((step, reply))
        self._screen.reply(reply, self._tongue)
        problem = self._wrong(reply, wants)
        record = {"step": number, **msgspec.structs.asdict(reply), "problem": problem}
        if problem is None and wants == "file":
            try:
                size = self._download(number, step, reply)
                record["file_bytes"] = size
            except (Unreachable, OSError, ValueError) as error:
                problem = record["problem"] = told(all_of(error), self._tongue)
        self._steps.append(record)
        if problem:
            self._fail(number, problem)
        return problem is None

    def _wrong(self, reply: ChatReply, wants: str) -> str | None:
        """Why this is not what the step shows; None where it is."""
        tongue = self._tongue
        if wants == "model" and not self._has_model and reply.status == 503:
            return None
        if reply.status != 200:
            return say("wrong.status", tongue, status=reply.status, text=reply.text[:200])
        stage = "model" if wants == "model" else "l0"
        if reply.stage != stage:
            return say("wrong.stage", tongue, wanted=stage, stage=reply.stage or "?", reason=reply.reason)
        if not reply.text:
            return say("wrong.empty", tongue)
        if wants == "file" and not _LINK.search(reply.text):
            return say("wrong.no_link", tongue, text=" ".join(reply.text.split())[:200])
        if wants == "question" and "1. " not in reply.text:
            return say("wrong.no_question", tongue)
        return None

    def _download(self, number: int, step: Step, reply: ChatReply) -> int:
        """Bytes of the report behind the link. Raises Unreachable, ValueError, OSError."""
        link = _LINK.search(reply.text)
        assert link
        begun = time.perf_counter()
        status, body = get(link[0])
        took = time.perf_counter() - begun
        if status != 200 or not body.startswith(step.magic):
            wrong = say("wrong.file", self._tongue, status=status, ending=step.ending)
            raise ValueError(Said(wrong, wrong))
        where = ""
        if self._save:
            path = self._save / f"pointsman-demo-{number}.{step.ending}"
            path.write_bytes(body)
            where = f" → {path}"
        self._screen.file(say("file", self._tongue, ending=step.ending.upper(), size=len(body)) + where, took)
        return len(body)

    def _fail(self, number: int, problem: str) -> None:
        self.problems.append(say("step", self._tongue, number=number) + problem)
        self._screen.line(f"   ✗ {problem}", "bad")

    # What came of it

    def sum_up(self) -> None:
        if not self._replies:
            return
        by_rule = [reply for _, reply in self._replies if reply.stage == "l0"]
        self._screen.head("", say("summary", self._tongue))
        self._screen.share(len(by_rule), len(self._replies), say("share", self._tongue))
        for key, times in self._times().items():
            if times:
                self._screen.time(say(key, self._tongue), len(times), statistics.median(times))

    def _times(self) -> dict[str, list[float]]:
        files = [reply.took for _, reply in self._replies if reply.stage == "l0" and _LINK.search(reply.text)]
        rules = [reply.took for _, reply in self._replies if reply.stage == "l0" and not _LINK.search(reply.text)]
        models = [reply.took for _, reply in self._replies if reply.stage == "model" and reply.status == 200]
        return {"by.rules": rules, "by.reports": files, "by.models": models}

    def show_log(self, folder: Path | None) -> None:
        rows = self._log_rows(folder) if folder and self._replies else []
        self._screen.head("", say("log", self._tongue))
        if not rows:
            self._screen.line("   " + say("log.elsewhere", self._tongue), "dim")
        for row in rows[:_LOG_LINES]:
            self._screen.log(row)

    def _log_rows(self, folder: Path) -> list[dict[str, Any]]:
        """Rows of this walk, newest first. The log is written behind the traffic, so the last may take a moment."""
        ids = {reply.request_id for _, reply in self._replies}
        last = self._replies[-1][1].request_id
        rows: list[dict[str, Any]] = []
        for _ in range(20):
            try:
                reader = LogReader(folder)
                rows = [row for row in reader.rows({}, None, 2 * len(ids)) if row["id"] in ids and not row["under_way"]]
                reader.close()
            except (OSError, LogError):
                rows = []
            if rows and rows[0]["id"] == last:
                break
            time.sleep(0.1)
        return rows

    def result(self) -> dict[str, Any]:
        by_rule = sum(reply.stage == "l0" for _, reply in self._replies)
        return {
            "ok": not self.problems,
            "problems": self.problems,
            "requests": len(self._replies),
            "l0": by_rule,
            "steps": self._steps,
        }

    def end(self, *, own: bool) -> None:
        if self.problems:
            sys.stdout.flush()
            for problem in self.problems:
                print(problem, file=sys.stderr)
            if not own:
                print(say("try_own", self._tongue, url=self._base), file=sys.stderr)
            return
        self._screen.line("")
        self._screen.line(say("next", self._tongue))
