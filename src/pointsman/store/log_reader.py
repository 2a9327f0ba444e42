"""Reading the request log: lists by filter, one request whole, and what is needed to decide it again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import msgspec

from pointsman.domain.characters import whole_characters
from pointsman.domain.decision import Decision
from pointsman.domain.policy import PolicyDocument
from pointsman.domain.request import Request
from pointsman.domain.said import said
from pointsman.domain.target import Snapshot
from pointsman.store.log_row import Content
from pointsman.store.log_schema import NAME, read_log
from pointsman.store.seal import Seal

LogError = apsw.Error

_MOST = (1 << 63) - 1
FILTERS = ("id", "stage", "rule", "target", "outcome", "caller", "model", "endpoint", "language", "task_type", "error")
_PLAIN = (
    "id, received, endpoint, model, caller, stage, rule, action, outcome, status, error, target, language, task_type, "
    "input_tokens, output_tokens, cached_tokens, output_estimated, decided_ms, ttft_ms, total_ms, policy, snapshot, seed, "
    "exact_tokens, features, attempts, prompts"
)


class Evidence(msgspec.Struct, frozen=True):
    """All that a decision followed from, and the decision itself."""

    request: Request
    decision: Decision
    policy: PolicyDocument
    snapshot: Snapshot
    exact_tokens: int | None


class LogReader:
    """Raises FileNotFoundError where there is no log yet."""

    def __init__(self, folder: Path) -> None:
        path = folder / NAME
        if not path.exists():
            raise FileNotFoundError(
                said(
                    "there is no log in {folder} yet; it begins with the first request",
                    "{folder} 里还没有日志；有了第一个请求才会开始记录",
                    folder=folder,
                )
            )
        self._connection = read_log(path)
        self._folder = folder

    def rows(self, filters: dict[str, str], since: float | None, limit: int) -> Iterator[dict[str, Any]]:
        """Newest first. `filters` are column → value, columns of FILTERS; `since` is seconds since the epoch."""
        where = ["1"] + [f"{column} = :{column}" for column in filters if column in FILTERS]
        values: dict[str, Any] = {name: whole_characters(value) for name, value in filters.items()}
        values["limit"] = min(limit, _MOST)
        if since is not None:
            where.append("received >= :since")
            values["since"] = since
        query = f"select {_PLAIN} from requests where {' and '.join(where)} order by received desc limit :limit"  # noqa: S608
        names = [name.strip() for name in _PLAIN.split(",")]
        for row in self._connection.execute(query, values):
            record = dict(zip(names, row, strict=True))
            for name in ("features", "attempts"):
                record[name] = msgspec.json.decode(record[name]) if record[name] else None
            yield record

    def content(self, request_id: str) -> tuple[Request, Decision | None] | None:
        """What was asked and decided, in full; None where it was not kept or the key is not here."""
        whole = self.whole(request_id)
        return (whole.request, whole.decision) if whole else None

    def whole(self, request_id: str) -> Content | None:
        """The same, with the tries at targets and what the engines said."""
        query = "select prompts, content from requests where id = ?"
        found = self._connection.execute(query, (whole_characters(request_id),)).fetchone()
        if not found or found[1] is None:
            return None
        data: bytes | None = found[1]
        if found[0] == "sealed" and data is not None:
            seal = Seal.found_in(self._folder)
            data = seal.open(data, request_id) if seal else None
        return msgspec.msgpack.decode(data, type=Content) if data else None

    def evidence(self, request_id: str) -> Evidence | None:
        """None where the request is not known, had no decision, or its content was not kept."""
        content = self.content(request_id)
        if content is None or content[1] is None:
            return None
        request, decision = content[0], content[1]
        exact = self._connection.execute("select exact_tokens from requests where id = ?", (request_id,)).fetchone()
        policy = self._document("policies", decision.policy)
        snapshot = self._document("snapshots", decision.snapshot)
        if policy is None or snapshot is None:
            return None
        return Evidence(
            request,
            decision,
            msgspec.msgpack.decode(policy, type=PolicyDocument),
            msgspec.msgpack.decode(snapshot, type=Snapshot),
            exact[0] if exact else None,
        )

    def close(self) -> None:
        self._connection.close()

    def _document(self, table: str, name: str) -> bytes | None:
        found = self._connection.execute(f"select document from {table} where hash = ?", (name,)).fetchone()  # noqa: S608
        return found[0] if found else None
