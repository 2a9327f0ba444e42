"""Whether a gateway and the one whose place it takes can both run for a while."""

from __future__ import annotations

from pointsman.config.schema import Config
from pointsman.domain.said import Said, said

_SPARE = 1.2  # of what the models take now, at the least, for them to be loaded once more


def no_room(config: Config, engines: int, free: int, gpu: bool) -> Said | None:
    """Why not; None where they can. `engines` bytes are what the one that serves has in models which it runs itself, `free`
    those that the machine has left. `gpu`: there is a card, of which nobody knows how full it would be."""
    if not engines:
        return None
    for model in config.models.values():
        for backend in model.backends:
            if backend.port:
                return said(*_PORT, port=backend.port)
            if backend.command is not None:
                return _COMMAND
    if gpu:
        return _GPU
    if free < engines * _SPARE:
        return said(*_MEMORY, free=free >> 20, engines=engines >> 20)
    return None


_PORT = (
    "an engine has port {port} for itself, which two cannot have",
    "有引擎固定使用端口 {port}，两份无法同时运行",
)
_COMMAND = Said(
    "an engine is started by a command, and nobody knows whether it can run twice",
    "有引擎由命令启动，无法确定能否同时运行两份",
)
_GPU = Said(
    "models on a GPU would be there twice, and nobody knows whether that fits",
    "GPU 上的模型会同时存在两份，无法确定显存放得下",
)
_MEMORY = (
    "the models take {engines} MiB, and {free} MiB are free: they cannot be loaded twice",
    "模型占用 {engines} MiB，空闲内存只有 {free} MiB：无法同时加载两份",
)
