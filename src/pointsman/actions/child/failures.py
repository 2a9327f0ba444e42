"""What can go wrong with a child process, said to the person who asked."""

from __future__ import annotations

from pointsman.domain.said import Said, said
from pointsman.ports.action import ActionFailed

# how libraries and the system say so, in lower case; a thread that does not start had no room for its stack
OUT_OF_MEMORY = (
    "memory allocation of",
    "bad_alloc",
    "memoryerror",
    "cannot allocate memory",
    "failed to map segment",
    "threadpoolbuilderror",
    "can't start new thread",
)


def timed_out(seconds: float) -> ActionFailed:
    en = "This was not finished within {seconds:g} s and was stopped. Ask for less, or try again later."
    zh = "{seconds:g} 秒内没有完成，已停止。请缩小范围，或稍后重试。"
    return ActionFailed("timeout", said(en, zh, seconds=seconds))


def out_of_memory() -> ActionFailed:
    en = "This needed more memory than it may use and was stopped. Ask for less."
    return ActionFailed("memory", Said(en, "所需的内存超过了上限，已停止。请缩小范围。"))


def not_installed(extra: str, detail: str) -> ActionFailed:
    en = "What this needs is not installed. An administrator can install it: pip install '{extra}'."
    zh = "缺少所需的组件。管理员可以安装：pip install '{extra}'。"
    return ActionFailed("setup", said(en, zh, extra=extra), detail=detail)


def unexpected(detail: str) -> ActionFailed:
    en = "An unexpected error stopped this. The details are in the log."
    return ActionFailed("crashed", Said(en, "出现意外错误，没有完成。详细原因已写入日志。"), detail=detail)


def crashed(status: int | None, said_last: str) -> ActionFailed:
    """The child ended without an answer; its last words tell whether memory was why."""
    if any(words in said_last.lower() for words in OUT_OF_MEMORY):
        return out_of_memory()
    last = said_last.splitlines()[-1][:300] if said_last else "no last words"
    return unexpected(f"status {status}: {last}")
