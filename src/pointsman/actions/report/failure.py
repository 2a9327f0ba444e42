"""Why there is no report, said to the person who asked for it."""

from __future__ import annotations

from typing import Literal

from pointsman.domain.said import Said, said
from pointsman.ports.action import ActionFailed

Kind = Literal["empty", "schema", "source", "busy", "query", "timeout", "memory", "setup", "template", "crashed"]
"""The code of the failure. "empty" no row matches; "schema" a table, column or dimension that is not there; "source" the
database cannot be reached; "busy" it is locked; "query" it refused; "timeout"; "memory"; "setup" something is not
installed; "template" the PDF template has a mistake; "crashed" the child ended without a word."""


def failure(kind: Kind, zh: str, en: str, detail: str = "") -> ActionFailed:
    """One sentence in each language for the person; `detail` is for the operator's log. Neither holds SQL or a
    password."""
    return ActionFailed(kind, Said(en, zh), detail=detail or None, refused=kind == "empty")


def missing(
    kind_zh: str, kind_en: str, name: str, valid: list[str], where_zh: str = "", where_en: str = ""
) -> ActionFailed:
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


def timed_out(seconds: float) -> ActionFailed:
    return failure(
        "timeout",
        f"报表在 {seconds:g} 秒内没有完成，已停止。请缩小时间范围或增加筛选条件后重试。",
        f"The report was not finished within {seconds:g} s and was stopped. Try a shorter range or more filters.",
    )


def out_of_memory() -> ActionFailed:
    return failure(
        "memory",
        "生成报表所需的内存超过了上限，已停止。请缩小时间范围，或改为导出 CSV。",
        "The report needed more memory than it may use and was stopped. Try a shorter range, or CSV.",
    )


def of_a_report(failed: ActionFailed, seconds: float) -> ActionFailed:
    """What any child may fail by, as it is said of a report that had `seconds`; others as they are."""
    match failed.code:
        case "timeout":
            return timed_out(seconds)
        case "memory":
            return out_of_memory()
        case "crashed":
            en = "The process that makes reports failed unexpectedly, so no file was made. The details are in the log."
            message = said(en, "生成报表的进程意外出错，没有生成文件。详细原因已写入日志。")
            return ActionFailed("crashed", message, detail=failed.detail)
        case _:
            return failed
