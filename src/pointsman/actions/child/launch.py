"""`python -I -S launch.py ORDER PROGRAM ARGUMENT…`: becomes that program, within limits. The standard library alone.

ORDER is JSON: `parent` (a process id), `memory`, `file_size` (bytes, or null), `seconds` of CPU time, `folder`. The program
works in that folder, dies with its parent (Linux), leaves no core, opens few files, and yields to the gateway (nice). Where
the kernel has Landlock it reads programs, libraries and the folder, writes the folder, and makes no TCP connection."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import sys
from typing import Any, NoReturn

NICE = 5
OPEN_FILES = 256
NOT_STARTED = 127
_SIGNAL_AT_DEATH, _NO_NEW_PRIVILEGES = 1, 38  # prctl
_CREATE, _ADD, _RESTRICT = 444, 445, 446  # Landlock's system calls, on all machines
_EXECUTE, _READ = 1, 1 << 2 | 1 << 3
_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}  # ABI → how many rights on files it knows
_DEVICE_CONTROL = 1 << 15  # on what is opened for reading already, it changes nothing
_READABLE = (
    "/usr", "/bin", "/lib", "/lib64", "/opt", "/nix/store", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d",
    "/etc/alternatives", "/etc/localtime", "/dev/null", "/dev/zero", "/dev/urandom", "/proc/cpuinfo", "/proc/meminfo",
    "/sys/devices/system",
)  # fmt: skip


def main() -> NoReturn:
    order: dict[str, Any] = json.loads(sys.argv[1])
    command = sys.argv[2:]
    libc = ctypes.CDLL(None, use_errno=True)
    if sys.platform == "linux":
        libc.prctl(_SIGNAL_AT_DEATH, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != order["parent"]:
        os._exit(NOT_STARTED)
    os.chdir(order["folder"])
    os.umask(0o077)
    os.nice(NICE)
    for ignored in (signal.SIGPIPE, signal.SIGXFSZ):  # by Python, and so by what it becomes
        signal.signal(ignored, signal.SIG_DFL)
    _limit(order)
    if sys.platform == "linux":
        _shut_in(libc, order["folder"], command[0])
    try:
        os.execv(command[0], command)  # noqa: S606
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        sys.stderr.flush()
        os._exit(NOT_STARTED)


def _limit(order: dict[str, Any]) -> None:
    import resource

    limits = [
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, order["seconds"]),
        (resource.RLIMIT_FSIZE, order["file_size"]),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
    ]
    if sys.platform == "linux":
        limits.append((resource.RLIMIT_AS, order["memory"]))
    for limit, value in limits:
        if value is not None:
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(limit, (value, value))


def _shut_in(libc: ctypes.CDLL, folder: str, program: str) -> None:
    """Landlock as far as the kernel has it; without it the program is held by what it is told. A program that lies elsewhere
    reads its own folder, and the libraries beside it."""
    own = os.path.dirname(os.path.realpath(program))  # noqa: PTH120
    beside = (own, f"{own}/../lib", f"{own}/../lib64")
    abi = libc.syscall(_CREATE, None, 0, 1)
    if abi < 1:
        return
    files = (1 << _RIGHTS.get(abi, 16)) - 1
    network = 3 if abi >= 4 else 0
    scope = 3 if abi >= 6 else 0
    attributes = (ctypes.c_uint64 * 3)(files & ~_DEVICE_CONTROL, network, scope)
    size = 24 if abi >= 6 else 16 if abi >= 4 else 8
    rules = libc.syscall(_CREATE, attributes, size, 0)
    if rules < 0:
        return
    for path in (*_READABLE, *beside):
        _allow(libc, rules, path, _READ | _EXECUTE)
    _allow(libc, rules, folder, files & ~_EXECUTE & ~_DEVICE_CONTROL)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    libc.syscall(_RESTRICT, rules, 0)
    os.close(rules)


def _allow(libc: ctypes.CDLL, rules: int, path: str, rights: int) -> None:
    with contextlib.suppress(OSError):
        there = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            if not os.path.isdir(path):  # noqa: PTH112
                rights &= _EXECUTE | 1 << 1 | 1 << 2
            beneath = rights.to_bytes(8, sys.byteorder) + there.to_bytes(4, sys.byteorder)
            libc.syscall(_ADD, rules, 1, ctypes.create_string_buffer(beneath, 12), 0)
        finally:
            os.close(there)


if __name__ == "__main__":
    main()
