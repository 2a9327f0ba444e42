"""Models: which are in memory; their files; and which flags an engine should serve them with."""

from __future__ import annotations

import argparse

from pointsman.cli.sub_verbs import declare_verbs, run_verb
from pointsman.domain.said import said

VERBS = {
    "ls": said("which models of a running gateway are in memory", "查看运行中的网关有哪些模型在内存里"),
    "load": said("have a running gateway bring a model into memory", "让运行中的网关把模型加载到内存"),
    "unload": said("have it take a model out of memory", "让它把模型从内存卸载"),
    "verify": said("whether models' files are whole, and their hashes", "检查模型文件是否完整，并给出哈希值"),
    "pull": said("fetch a model's file, and go on where a download broke off", "下载模型文件，中断后可续传"),
    "flags": said("the flags with which an engine should serve a model, and why", "给出推理引擎应使用的启动参数及理由"),
}


def declare(parser: argparse.ArgumentParser) -> None:
    declare_verbs(parser, "models", VERBS)


def run(options: argparse.Namespace) -> int:
    return run_verb(options, "models")
