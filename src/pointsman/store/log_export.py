"""The log as a table for other programs: a line or a row a request, oldest first as far as they ended in that order, in
constant memory."""

from __future__ import annotations

import csv
import datetime
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, Literal

import msgspec

from pointsman.domain.said import Said, said
from pointsman.store.log_reader import LogReader

Form = Literal["parquet", "csv", "jsonl"]
_SQL = {"text": "VARCHAR", "number": "DOUBLE", "integer": "BIGINT", "flag": "BOOLEAN", "time": "TIMESTAMP"}
_LONGEST = 64 << 20  # bytes of a line
_JSON = "JSON in a text"


class Column(msgspec.Struct, frozen=True):
    """`kind` is text, number, integer, flag or time; `words` what it is."""

    name: str
    kind: str
    words: Said


def _column(name: str, kind: str, en: str, zh: str) -> Column:
    return Column(name, kind, said(en, zh))


COLUMNS = (
    _column("id", "text", "the request", "请求 ID"),
    _column("time", "time", "when it came, UTC", "到达时间，UTC"),
    _column("received", "number", "the same in seconds since the epoch", "同上，自纪元起的秒数"),
    _column("endpoint", "text", "chat, completions, embeddings, …", "端点：chat、completions、embeddings 等"),
    _column("model", "text", "the model or entry that the client named", "客户端写的模型或入口"),
    _column("caller", "text", "the name of its key", "密钥的名称"),
    _column("stage", "text", "who decided: l0, l1, model", "由哪一层决定：l0、l1、model"),
    _column("rule", "text", "the rule that took it", "命中的规则"),
    _column("action", "text", "what was done", "执行的动作"),
    _column("intent", "text", "what the arbiter heard", "仲裁器判定的意图"),
    _column("confidence", "number", "how sure it was, 0 to 1", "仲裁器的把握，0 到 1"),
    _column("risk", "text", "the risk of the rule", "规则的风险等级"),
    _column("marks", "text", f"labels of rules that marked it: {_JSON}", "规则打的标记，JSON 文本"),
    _column("shadow", "text", f"rules in shadow that would have taken it: {_JSON}", "会命中的影子规则，JSON 文本"),
    _column("masked", "text", f"how many values of each kind were masked: {_JSON}", "各类被遮蔽的值的数量，JSON 文本"),
    _column("cache", "text", "hit, miss or bypass where replies are kept", "回复缓存：hit、miss 或 bypass"),
    _column("outcome", "text", "how it ended", "结局"),
    _column("status", "integer", "the HTTP status", "HTTP 状态码"),
    _column("error", "text", "the code of the error", "错误代码"),
    _column("target", "text", "which target replied", "由哪个目标回复"),
    _column("language", "text", "the language of the question", "提问的语言"),
    _column("task_type", "text", "the type of the task", "任务类型"),
    _column("input_tokens", "integer", "tokens of the prompt", "输入 token 数"),
    _column("output_tokens", "integer", "tokens of the reply", "输出 token 数"),
    _column("cached_tokens", "integer", "tokens of the prompt that the engine had", "引擎缓存命中的 token 数"),
    _column("output_estimated", "flag", "whether the reply's tokens were counted by events", "输出 token 数是否为估计"),
    _column("decided_ms", "number", "milliseconds until it was decided", "做出决策用的毫秒数"),
    _column("queued_ms", "number", "milliseconds that it waited for a place", "排队的毫秒数"),
    _column("ttft_ms", "number", "milliseconds until the first content", "首个内容的毫秒数"),
    _column("total_ms", "number", "milliseconds until it was over", "总毫秒数"),
    _column("policy", "text", "hash of the policy document", "策略文档的哈希"),
    _column("snapshot", "text", "hash of the snapshot of the fleet", "后端快照的哈希"),
    _column("seed", "integer", "the seed of the decision", "决策的种子"),
    _column("exact_tokens", "integer", "the engine's count that the decision used", "决策用到的引擎计数"),
    _column("features", "text", f"what was told of it: {_JSON}", "特征，JSON 文本"),
    _column("attempts", "text", f"tries at targets: {_JSON}", "对目标的各次尝试，JSON 文本"),
)
TEXTS = (
    _column("question", "text", "what was asked last", "最后的提问"),
    _column("messages", "text", f"all messages, role and text: {_JSON}", "全部消息（角色和文本），JSON 文本"),
)
"""Columns with words of prompts, only where they are asked for; empty where they cannot be opened."""


class Chosen(msgspec.Struct, frozen=True):
    """Which requests: `filters` as of LogReader, `since` and `until` in seconds since the epoch. `text`: with TEXTS."""

    filters: dict[str, str] = {}
    since: float | None = None
    until: float | None = None
    text: bool = False

    @property
    def columns(self) -> tuple[Column, ...]:
        return (*COLUMNS, *TEXTS) if self.text else COLUMNS


def rows_of(reader: LogReader, chosen: Chosen) -> Iterator[dict[str, Any]]:
    """Values of the columns: None, numbers, texts, flags, and for times a text of ISO 8601. Raises LogError."""
    for logged in reader.scan(chosen.since):
        if chosen.until is not None and logged.head.received >= chosen.until:
            continue
        if not logged.is_one_of(chosen.filters):
            continue
        row = logged.row()
        row["time"] = datetime.datetime.fromtimestamp(row["received"], datetime.UTC).isoformat()
        row["output_estimated"] = bool(row["output_estimated"])
        for name in ("marks", "shadow", "masked", "features", "attempts"):
            row[name] = msgspec.json.encode(row[name]).decode() if row[name] else None
        if chosen.text:
            request = logged.request()
            row["question"] = request and request.question
            turns = [{"role": turn.role, "text": turn.text} for turn in request.turns] if request else None
            row["messages"] = turns and msgspec.json.encode(turns).decode()
        yield {column.name: row[column.name] for column in chosen.columns}


def export(reader: LogReader, chosen: Chosen, form: Form, path: Path) -> int:
    """Into a file that its owner alone may read, whole or not at all. Returns how many requests. Raises OSError, LogError,
    ImportError (parquet needs the extra `report`)."""
    if form == "parquet":
        import duckdb  # noqa: F401  # before the work is done that needs it
    with tempfile.TemporaryDirectory(prefix=".pointsman-", dir=path.parent) as closed:  # to all others
        made, table = Path(closed, "lines"), Path(closed, "table")
        with made.open("w", encoding="utf-8", newline="") as file:
            count = (write_csv if form == "csv" else write_jsonl)(reader, chosen, file)
        if form == "parquet":
            _as_parquet(made, table, chosen)
            made = table
        made.chmod(0o600)
        made.replace(path)
    return count


def write_csv(reader: LogReader, chosen: Chosen, file: IO[str]) -> int:
    """With a head line; what is None is empty."""
    writer = csv.writer(file)
    writer.writerow([column.name for column in chosen.columns])
    return _written(reader, chosen, lambda row: writer.writerow(row.values()))


def write_jsonl(reader: LogReader, chosen: Chosen, file: IO[str]) -> int:
    """A JSON object a line."""
    encode = msgspec.json.Encoder().encode
    return _written(reader, chosen, lambda row: file.write(encode(row).decode() + "\n"))


def _written(reader: LogReader, chosen: Chosen, write: Callable[[dict[str, Any]], object]) -> int:
    count = 0
    for row in rows_of(reader, chosen):
        write(row)
        count += 1
    return count


def _as_parquet(lines: Path, path: Path, chosen: Chosen) -> None:
    """Of lines of JSON."""
    import duckdb

    types = ", ".join(f"\"{column.name}\": '{_SQL[column.kind]}'" for column in chosen.columns)
    connection = duckdb.connect(":memory:", config={"threads": 1, "memory_limit": "1GB"})
    goal = str(path).replace("'", "''")
    rows = f"read_json(?, format = 'newline_delimited', maximum_object_size = {_LONGEST}, columns = {{{types}}})"
    try:
        connection.execute(f"copy (select * from {rows}) to '{goal}' (format parquet, compression zstd)", [str(lines)])  # noqa: S608
    finally:
        connection.close()
