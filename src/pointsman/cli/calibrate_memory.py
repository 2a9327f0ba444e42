"""Measure a backend's memory under stepped load, fit memory = a + b x tokens x sequences, and check declared figures."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import msgspec

from pointsman.cli.calibrate_memory_words import lines_of
from pointsman.cli.declared_memory import declared_figures
from pointsman.cli.fit_asked import checked
from pointsman.cli.gateway_client import Client, Unreachable
from pointsman.cli.output import print_error, print_json, print_line
from pointsman.cli.source import declare_config
from pointsman.cli.stepped_load import first_model, send_load
from pointsman.cli.tongue import declare_tongue
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, said
from pointsman.fleet.engine_steps import Loaded, loaded_at
from pointsman.fleet.gpu import NoGpu, gpus
from pointsman.fleet.memory_watch import ProcessGone, resident, watching
from pointsman.fleet.port_owner import owner_of
from pointsman.memory.line import Held, Line, Point, fit_line, hold
from pointsman.memory.network import Unreadable

TOKENS = "128,256,512"
SEQUENCES = "1,2,4"
CONTEXTS = "1024,2048,4096"

Read = Callable[[], int]


class Measured(msgspec.Struct, frozen=True):
    """What was seen. `source` says of what: "gpu" (all that is in use on the cards) or "process". `loads` are those of an
    engine that was started for each point, in their order."""

    source: str
    points: tuple[Point, ...]
    loads: tuple[Loaded, ...] = ()


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "model",
        metavar="MODEL",
        nargs="?",
        help="a .gguf file or builtin:…: started here, once for each context and number of sequences",
    )
    parser.add_argument("--url", metavar="URL", help="a running backend instead: it is sent requests")
    parser.add_argument("--pid", type=int, help="with --url: the engine's process; default: what listens there")
    parser.add_argument("--name", metavar="MODEL", help="with --url: the model's name there; default: the first listed")
    parser.add_argument("--key", metavar="KEY", help="with --url: its API key")
    parser.add_argument(
        "--tokens",
        metavar="LIST",
        help=f"of each request ({TOKENS}); with MODEL of each sequence's context ({CONTEXTS})",
    )
    parser.add_argument(
        "--sequences", metavar="LIST", default=SEQUENCES, help=f"requests at once (default {SEQUENCES})"
    )
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="how often each step (default 1)")
    parser.add_argument(
        "--memory", choices=("gpu", "process"), help="what is measured; default: the GPU where its driver answers"
    )
    declare_config(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    declare_tongue(parser)


def run(options: argparse.Namespace) -> int:
    """0 where every declared figure holds, else 1. Raises Problem, Problems, PointsmanError."""
    if (options.model is None) == (options.url is None):
        message = said("give a MODEL, or --url URL", "请给出 MODEL 或 --url URL")
        print_error("calibrate memory", message, options.tongue)
        return 2
    try:
        usual = CONTEXTS if options.model is not None else TOKENS
        tokens = _numbers(options.tokens or usual, "--tokens", 1 << 24)
        sequences = _numbers(options.sequences, "--sequences", 256)
        checked(options.repeat, "--repeat", 1, 1000)
        declared = declared_figures(options)
        measured = _measured(options, tokens, sequences)
        line = fit_line(measured.points)
    except Unreadable as error:
        print_error("calibrate memory", error.message, options.tongue)
        return 2
    except (Unreachable, NoGpu, ProcessGone) as error:
        print_error("calibrate memory", _why(error), options.tongue)
        return 1
    largest = max(point.tokens for point in measured.points)
    held = [hold(name, figure, line, largest) for name, figure in declared]
    if options.json:
        print_json(_as_json(measured, line, held))
    else:
        for text in lines_of(measured.source, measured.points, measured.loads, line, held, options.tongue):
            print_line(text)
    return 0 if all(each.holds for each in held) else 1


def _numbers(text: str, flag: str, most: int) -> list[int]:
    """Raises Unreadable."""
    found = []
    for word in text.split(","):
        digits = word.strip()
        if not (digits.isascii() and digits.isdecimal()) or len(digits) > 12:
            raise Unreadable(said("{flag}: {word!r} is no number", "{flag}：{word!r} 不是数字", flag=flag, word=word))
        found.append(checked(int(digits), flag, 1, most))
    return found


def _measured(options: argparse.Namespace, tokens: list[int], sequences: list[int]) -> Measured:
    with _source(options.memory) as card:
        if options.model is not None:
            loads = asyncio.run(loaded_at(options.model, tokens, sequences, options.repeat, card))
            points = tuple(Point(each.tokens, each.sequences, each.used) for each in loads)
            return Measured("gpu" if card else "process", points, tuple(loads))
        read = card or _process(options)
        return Measured("gpu" if card else "process", tuple(_stepped(options, tokens, sequences, read)))


@contextlib.contextmanager
def _source(wanted: str | None) -> Iterator[Read | None]:
    """What reads the cards, or None for a process. Raises NoGpu where the cards are wanted and cannot be asked."""
    if wanted == "process":
        yield None
        return
    with contextlib.ExitStack() as stack:
        try:
            found = stack.enter_context(gpus())
        except NoGpu:
            if wanted == "gpu":
                raise
            yield None
            return
        yield lambda: found.used


def _process(options: argparse.Namespace) -> Read:
    """Raises PointsmanError where nobody says which process it is."""
    place = urlsplit(options.url)
    try:
        port = place.port or (443 if place.scheme == "https" else 80)
    except ValueError:
        port = 0
    pid = options.pid or (owner_of(place.hostname or "", port) if port else None)
    if pid is None:
        raise PointsmanError(
            said(
                "no GPU can be asked, and which process serves {url} is not to be seen: give --pid",
                "没有可以询问的显卡，也看不到是哪个进程在服务 {url}：请给出 --pid",
                url=options.url,
            )
        )
    return lambda: resident(pid)


def _stepped(options: argparse.Namespace, tokens: list[int], sequences: list[int], read: Read) -> Iterator[Point]:
    """At rest first, then every step, the small ones first. Before, one request of the largest size: it touches weights
    and buffers that an engine has for all requests, and which are no single one's."""
    client = Client(options.url.rstrip("/").removesuffix("/v1"), options.key, options.tongue)
    name = options.name or first_model(client)
    send_load(client, name, max(tokens), 1, 1)
    yield Point(0, 0, read())
    begin = 2
    for _ in range(options.repeat):
        for many in sorted(sequences):
            for each in sorted(tokens):
                with watching(read) as watch:
                    counted = send_load(client, name, each, many, begin)
                begin += many
                yield Point(counted, many, watch.peak)


def _as_json(measured: Measured, line: Line, held: list[Held]) -> dict[str, Any]:
    return {
        "source": measured.source,
        "points": [
            {"tokens": point.tokens, "sequences": point.sequences, "used": point.used, "residual": residual}
            for point, residual in zip(measured.points, line.residuals, strict=True)
        ],
        "loads": measured.loads,
        "line": {
            "intercept": line.intercept,
            "slope": line.slope,
            "error": line.error,
            "rms": line.rms,
            "flat": line.flat,
        },
        "declared": [
            {
                "name": each.name,
                "declared": each.declared,
                "extra": each.extra,
                "whole": each.whole,
                "holds": each.holds,
            }
            for each in held
        ],
    }


def _why(error: Exception) -> Said | str:
    if isinstance(error, NoGpu):
        return error.why
    if isinstance(error, ProcessGone):
        return said("process {pid} has ended", "进程 {pid} 已经结束", pid=error.pid)
    told: Said | str = error.args[0]
    return told
