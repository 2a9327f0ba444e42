"""What `serve` says when it serves: where it is, where its console is, and three commands to try."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from pointsman import __version__
from pointsman.cli.command import command
from pointsman.domain.said import Said, Tongue, said, told

log = logging.getLogger("pointsman")

SETTLE = 120.0  # seconds that the greeting waits for models to load


def greet(
    base: str, console: str | None, ready: bool, up: Iterable[str], remarks: Iterable[str], tongue: Tongue
) -> None:
    """`console` is where this machine's browser opens it, None where there is none; `up` are the targets that can be used,
    `remarks` what a person should know."""
    for remark in remarks:
        log.warning(remark)
    what = ", ".join(up) or said("rules only", "只有规则")
    log.info(_READY if ready else _LISTENS, __version__, base, what)
    if console is not None:
        log.info(_CONSOLE, console)
    print(told(said(_TRY, _TRY, heading=_HEADING, base=base, command=command()), tongue), flush=True)


_READY = Said("Pointsman %s is ready on %s: %s", "Pointsman %s 已就绪，地址 %s （%s）")
_LISTENS = Said("Pointsman %s listens on %s: %s", "Pointsman %s 已启动，尚未就绪，地址 %s （%s）")
_CONSOLE = Said("the console: %s", "控制台：%s")
_HEADING = Said("Try it in another terminal:", "在另一个终端里试试：")
_TRY = """
{heading}

  curl -s {base}/v1/chat/completions -H 'content-type: application/json' \\
    -d '{{"model": "auto", "messages": [{{"role": "user", "content": "你好"}}]}}'

  curl -sN {base}/v1/chat/completions -H 'content-type: application/json' \\
    -d '{{"model": "auto", "stream": true, "messages": [{{"role": "user", "content": "Name three fruits."}}]}}'

  {command} explain "把上周五销售报表导出为PDF"
"""
