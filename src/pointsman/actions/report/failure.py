"""Why there is no report, said to the person who asked for it."""

from __future__ import annotations

from typing import Literal

import msgspec

Kind = Literal["empty", "schema", "source", "busy", "query", "timeout", "memory", "setup", "template", "crashed"]

# how libraries and the system say so, in lower case
OUT_OF_MEMORY = ("memory allocation of", "bad_alloc", "memoryerror", "cannot allocate memory", "failed to map segment")


class Reason(msgspec.Struct, frozen=True):
    """One sentence in each language for the person; `detail` is for the operator's log. Neither holds SQL or a
    password."""

    kind: Kind
    zh: str
    en: str
    detail: str = ""


class ReportFailure(Exception):
    """No report was made. `kind`: "empty" no row matches; "schema" a table, column or dimension that is not there;
    "source" the database cannot be reached; "busy" it is locked; "query" it refused; "timeout"; "memory"; "setup"
    something is not installed; "template" the PDF template has a mistake; "crashed" the child ended without a word."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.en)
        self.reason = reason

    @property
    def kind(self) -> Kind:
        return self.reason.kind

    @property
    def zh(self) -> str:
        return self.reason.zh

    @property
    def en(self) -> str:
        return self.reason.en

    @property
    def detail(self) -> str:
        return self.reason.detail


def failure(kind: Kind, zh: str, en: str, detail: str = "") -> ReportFailure:
    return ReportFailure(Reason(kind, zh, en, detail))


def missing(
    kind_zh: str, kind_en: str, name: str, valid: list[str], where_zh: str = "", where_en: str = ""
) -> ReportFailure:
    """A name that is not there, the one that was perhaps meant, and those that are (at most 30)."""
    from pointsman.domain.errors import did_you_mean

    meant = did_you_mean(name, valid)
    shown = valid[:30]
    more = len(valid) - len(shown)
    list_zh = "、".join(shown) + (f" 等 {len(valid)} 个" if more else "") if shown else "没有"
    list_en = ", ".join(shown) + (f" and {more} more" if more else "") if shown else "none"
    hint_zh = f"，是不是“{meant.split(chr(34))[1]}”？" if meant else ""
    return failure(
        "schema",
        f"{where_zh}没有名为“{name}”的{kind_zh}{hint_zh}（现有：{list_zh}）",
        f'{where_en}there is no {kind_en} "{name}"{meant} (there are: {list_en})',
    )


def timed_out(seconds: float) -> ReportFailure:
    return failure(
        "timeout",
        f"报表在 {seconds:g} 秒内没有完成，已停止。请缩小时间范围或增加筛选条件后重试。",
        f"The report was not finished within {seconds:g} s and was stopped. Try a shorter range or more filters.",
    )


def out_of_memory() -> ReportFailure:
    return failure(
        "memory",
        "生成报表所需的内存超过了上限，已停止。请缩小时间范围，或改为导出 CSV。",
        "The report needed more memory than it may use and was stopped. Try a shorter range, or CSV.",
    )
