"""Send a file of requests to a gateway as a batch, follow it, and fetch the replies. Exit code 0: all succeeded; 1: some
failed, and are listed, or all did. Ctrl-C ends the following alone: --resume goes on with it."""

from __future__ import annotations

import argparse
import shlex
import tempfile
import time
from pathlib import Path
from typing import Any

from pointsman.cli.base_here import base_here
from pointsman.cli.batch_client import BatchClient, failures_in
from pointsman.cli.command import command
from pointsman.cli.gateway_client import KEY, Client, NoAddress, Refused, Unreachable
from pointsman.cli.job_words import BATCH_STATUSES, size
from pointsman.cli.output import print_error, print_line
from pointsman.cli.progress_bar import ProgressBar
from pointsman.cli.tongue import declare_tongue
from pointsman.config.others_words import all_of
from pointsman.domain.said import Said, Tongue, said, told

_VERB = "jobs batch"
_LOOK = 1.0  # seconds
_PATIENCE = 600.0  # seconds for a gateway that does not answer to be back
_LISTED = 10  # ways of failing, and lines of a bad file, that are told


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", metavar="FILE", nargs="?", help="JSON lines, one request each, as OpenAI's batches have them"
    )
    parser.add_argument("--endpoint", default="/v1/chat/completions", help="what the requests are for (default chat)")
    parser.add_argument("--window", default="24h", help="within which they are to be done (default 24h)")
    parser.add_argument("--output", metavar="FILE", help="where replies go; default: FILE.output.jsonl")
    parser.add_argument("--resume", metavar="BATCH", help="follow that batch, and fetch its replies")
    parser.add_argument("--url", default=base_here(), help="where the gateway is (default: as pointsman.yaml says)")
    parser.add_argument("--key", help=f"a key, where one is needed; default: {KEY}")
    declare_tongue(parser)


def run(options: argparse.Namespace) -> int:
    tongue: Tongue = options.tongue
    wrong = _wrong_usage(options)
    if wrong:
        print_error(_VERB, wrong, tongue)
        return 2
    batches = BatchClient(Client(options.url, options.key, tongue))
    output = _output(options)
    bar = ProgressBar(tongue)
    batch_id = options.resume
    try:
        if batch_id is None:
            batch_id = _sent(batches, options, bar)
            bar.end()
            print_line(told(said(*_BEGUN, id=batch_id), tongue))
        batch = _followed(batches, batch_id, bar, tongue)
        bar.end()
        return _delivered(batches, batch, output, tongue)
    except KeyboardInterrupt:
        bar.end()
        if batch_id is None:
            print_line(told(_NOT_BEGUN, tongue))
        else:
            print_line(told(said(*_GOES_ON, id=batch_id), tongue))
            print_line(f"  {_again(options, batch_id, output)}")
        return 130
    except (Unreachable, Refused, OSError) as error:
        bar.end()
        if isinstance(error, NoAddress):
            print_error(_VERB, error.args[0], tongue)
            return 2
        print_error(_VERB, all_of(error) if isinstance(error, OSError) else error.args[0], tongue)
        if batch_id is not None and not (isinstance(error, Refused) and error.status == 404):
            print_error(_VERB, said(*_RESUME, again=_again(options, batch_id, output)), tongue)
        return 1


def _wrong_usage(options: argparse.Namespace) -> str | None:
    if (options.file is None) == (options.resume is None):
        return _WHICH
    if options.file is not None:
        path = Path(options.file)
        if not path.is_file():
            return said("there is no file {path}", "没有文件 {path}", path=path)
        if not path.stat().st_size:
            return said("{path} is empty", "{path} 是空文件", path=path)
    output = _output(options)
    if output.is_dir():
        return said(*_A_FOLDER, path=output)
    for path in (output, _errors(output)):
        if path.exists():
            return said(*_THERE, path=path)
    return _not_writable(output)


def _not_writable(output: Path) -> str | None:
    """Why no file can be put there; a mistake is told before hours of work."""
    folder = output.parent
    if not folder.is_dir():
        return said(*_NO_FOLDER, folder=folder)
    try:
        with tempfile.TemporaryFile(dir=folder):
            return None
    except OSError as error:
        return said(*_NOT_WRITABLE, folder=folder, why=all_of(error))


def _output(options: argparse.Namespace) -> Path:
    if options.output:
        return Path(options.output)
    return Path(options.file).with_suffix(".output.jsonl") if options.file else Path(f"{options.resume}.output.jsonl")


def _errors(output: Path) -> Path:
    """Beside the output."""
    return output.with_name(f"{output.name.removesuffix('.jsonl').removesuffix('.output')}.errors.jsonl")


def _again(options: argparse.Namespace, batch_id: str, output: Path) -> str:
    """What goes on with it."""
    url = "" if options.url == base_here() else f" --url {shlex.quote(options.url)}"
    return f"{command()} jobs batch --resume {batch_id}{url} --output {shlex.quote(str(output))}"


def _sent(batches: BatchClient, options: argparse.Namespace, bar: ProgressBar) -> str:
    """The batch's id."""
    path = Path(options.file)
    whole = path.stat().st_size
    text = told(
        said("sending {file}, {size}", "正在发送 {file}，{size}", file=path.name, size=size(whole)), options.tongue
    )
    bar.show(text)

    def sent(count: int) -> None:
        if bar.live:
            bar.show(text, count >> 10, max(whole >> 10, 1))

    file_id = batches.upload(path, sent)
    return str(batches.create(file_id, options.endpoint, options.window)["id"])


def _followed(batches: BatchClient, batch_id: str, bar: ProgressBar, tongue: Tongue) -> dict[str, Any]:
    """The batch once it is over. A gateway that is being started anew is waited for."""
    silent: float | None = None
    while True:
        try:
            batch = batches.get(batch_id)
            silent = None
        except (Unreachable, Refused) as error:
            now = time.monotonic()
            silent = silent or now
            if (isinstance(error, Refused) and error.status < 500) or now - silent > _PATIENCE:
                raise
            bar.show(told(_SILENT, tongue))
            time.sleep(_LOOK)
            continue
        counts = batch["request_counts"]
        done = counts["completed"] + counts["failed"] if counts["total"] else None
        bar.show(told(BATCH_STATUSES.get(batch["status"], batch["status"]), tongue), done, counts["total"] or None)
        if batch["status"] in _OVER:
            return batch
        time.sleep(_LOOK)


def _delivered(batches: BatchClient, batch: dict[str, Any], output: Path, tongue: Tongue) -> int:
    """Fetches what it made, and says what came of it."""
    counts = batch["request_counts"]
    if batch["output_file_id"]:
        batches.fetch(batch["output_file_id"], output)
        print_line(
            told(
                said("{count} replies: {path}", "{count} 个回复：{path}", count=counts["completed"], path=output),
                tongue,
            )
        )
    if batch["error_file_id"]:
        errors = _errors(output)
        batches.fetch(batch["error_file_id"], errors)
        print_line(
            told(said("{count} failed: {path}", "{count} 个失败：{path}", count=counts["failed"], path=errors), tongue)
        )
        _list_failures(errors, tongue)
    problems = (batch["errors"] or {}).get("data", [])
    for problem in problems[:_LISTED]:
        where = said("line {line}: ", "第 {line} 行：", line=problem["line"]) if problem["line"] else ""
        print_line(f"    {told(where, tongue)}{problem['message']} ({problem['code']})")
    if len(problems) > _LISTED:
        print_line(told(said("    … {count} in all", "    …… 共 {count} 处", count=len(problems)), tongue))
    return 0 if batch["status"] == "completed" and not counts["failed"] else 1


def _list_failures(errors: Path, tongue: Tongue) -> None:
    with errors.open("rb") as lines:
        failures = failures_in(lines)
    for failure in failures[:_LISTED]:
        names = ", ".join(failure.names) + (", …" if failure.count > len(failure.names) else "")
        line = said(
            "    {count} × {code}: {message} ({names})",
            "    {count} × {code}：{message}（{names}）",
            count=failure.count,
            code=failure.code,
            message=failure.message,
            names=names,
        )
        print_line(told(line, tongue))
    if len(failures) > _LISTED:
        print_line("    …")


_OVER = ("completed", "failed", "expired", "cancelled")
_WHICH = Said(
    "give either the file of requests, or --resume with the id of a batch",
    "请给出请求文件，或用 --resume 指定一个批处理的 id",
)
_THERE = (
    "{path} is there already; move it away, or name another with --output",
    "{path} 已经存在；请先移走，或用 --output 换一个名字",
)
_NO_FOLDER = ("there is no folder {folder} for the replies", "没有存放回复的文件夹 {folder}")
_NOT_WRITABLE = ("no replies can be put into {folder}: {why}", "回复无法写入 {folder}：{why}")
_A_FOLDER = ("{path} is a folder; --output names a file", "{path} 是文件夹；--output 应指定文件")
_BEGUN = ("{id} has begun", "{id} 已开始")
_NOT_BEGUN = Said("broken off before the batch had begun", "已中断，批处理尚未开始")
_SILENT = Said("the gateway does not answer; asked again", "网关没有响应，正在重试")
_GOES_ON = ("{id} goes on in the gateway. To come back:", "{id} 在网关里继续执行。要接着查看：")
_RESUME = ("the batch may go on; to come back: {again}", "批处理可能仍在执行；要接着查看：{again}")
