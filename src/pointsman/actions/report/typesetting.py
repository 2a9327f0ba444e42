"""typst: a template and what it may use, in a folder of its own, typeset to a PDF or a picture."""

from __future__ import annotations

import datetime
import importlib.util
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec
import typst

from pointsman.actions.report.failure import failure
from pointsman.actions.report.job import Fault
from pointsman.domain.report import TemplateSpec

TEMPLATE = Path(__file__).parent / "templates" / "report.typ"
DATA = "data.json"
FONTS = (".ttf", ".otf")
BESIDE = (".typ", ".png", ".jpg", ".jpeg", ".svg", *FONTS)  # what a template may use of its own folder
MAX_BESIDE = 20 << 20  # bytes
_PACKAGE = re.compile(r'"@[\w.-]+/')
_PLACE = re.compile(r"┌─ (?P<file>.+?):(?P<line>\d+):(?P<column>\d+)")


class TemplateError(Exception):
    """What is wrong with a template."""

    def __init__(self, *faults: Fault) -> None:
        super().__init__("; ".join(map(str, faults)))
        self.faults = faults


class Prepared(msgspec.Struct, frozen=True):
    """The folder that typst works in: the template and, if there is one, the name of the logo in it."""

    root: Path
    main: Path
    logo: str


def prepared(root: Path, template: TemplateSpec | None) -> Prepared:
    """Makes `root` and puts the template into it, with the pictures, fonts and typst files beside it (MAX_BESIDE in all).
    Raises TemplateError for a file that cannot be read, and for one that wants a package out of the network."""
    root.mkdir()
    fonts = root / "fonts"
    fonts.mkdir()
    own = Path(template.file) if template is not None and template.file else None
    main, logo = root / (own.name if own else "report.typ"), ""
    try:
        if own is not None:
            left = MAX_BESIDE
            for path in sorted(own.parent.iterdir()):
                beside = (
                    path.suffix.lower() in BESIDE and path.is_file() and path.resolve().parent == own.parent.resolve()
                )
                if beside and (left := left - path.stat().st_size) >= 0:
                    shutil.copyfile(path, root / path.name)
        shutil.copyfile(own or TEMPLATE, main)
        if template is not None and template.logo:
            logo = f"logo-of-template{Path(template.logo).suffix.lower()}"
            shutil.copyfile(template.logo, root / logo)
        for font in template.fonts if template is not None else ():
            shutil.copyfile(font, fonts / Path(font).name)
    except OSError as error:
        raise TemplateError(Fault(error.strerror or type(error).__name__, str(error.filename or main.name))) from None
    for path in sorted(root.glob("*.typ")) if own is not None else ():
        for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
            if _PACKAGE.search(line):
                raise TemplateError(Fault("packages are not fetched from the network", path.name, number))
    return Prepared(root, main, logo)


def typeset(
    made: Prepared,
    output: Path,
    *,
    data: bytes | None = None,
    format: Literal["pdf", "png"] = "pdf",
    now: datetime.datetime | None = None,
    ppi: float | None = None,
) -> list[Fault]:
    """Writes the file, from the `data` as JSON. Returns what typst warns of; raises TemplateError, and ActionFailed without
    the built-in font."""
    if data is not None:
        (made.root / DATA).write_bytes(data)
    try:
        _, warnings = typst.compile_with_warnings(
            str(made.main),
            output=str(output),
            root=str(made.root),
            font_paths=[str(folder) for folder in (*font_folders(), made.root, made.root / "fonts")],
            ignore_system_fonts=True,
            format=format,
            ppi=ppi,
            timestamp=int(now.timestamp()) if now is not None else None,
        )
    except typst.TypstError as error:
        raise TemplateError(*_faults(error.message, error.diagnostic, made.main, "error")) from None
    return [
        fault for warning in warnings for fault in _faults(warning.message, warning.diagnostic, made.main, "warning")
    ]


def font_folders() -> list[Path]:
    """Where the embedded CJK font is: Noto Sans SC, SIL Open Font License. Raises ActionFailed without it."""
    found = importlib.util.find_spec("justmytype_intl_cjk")
    if found is None or found.origin is None:
        raise failure(
            "setup",
            "没有安装 PDF 字体，无法生成 PDF。请安装：pip install 'pointsman[report]'。",
            "The font for PDF is not installed. Install it: pip install 'pointsman[report]'.",
        )
    return [Path(found.origin).parent / "fonts" / "ofl" / "notosanssc"]


def families(folders: Sequence[Path]) -> list[str]:
    """The names of the fonts that a template may use."""
    found = typst.Fonts(include_system_fonts=False, font_paths=[str(folder) for folder in folders])
    return sorted({*found.families()})


def _faults(message: str, diagnostic: str, main: Path, kind: Literal["error", "warning"]) -> list[Fault]:
    """Each diagnosis of that kind: `error: …`, and below it the place."""
    found: list[Fault] = []
    for block in diagnostic.split("\n\n"):
        head, _, rest = block.strip().partition("\n")
        if head.startswith(f"{kind}: "):
            place = _PLACE.search(rest)
            file, line = (Path(place["file"]).name, int(place["line"])) if place else (main.name, None)
            found.append(Fault(head.removeprefix(f"{kind}: "), file, line))
    return found or [Fault(message, main.name)]
