"""A PDF, typeset by typst from a template file. The data reach the template as one JSON file of strings and shares,
so that no text of the data is ever markup, code or a path."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import msgspec

from pointsman.actions.report.content import Content
from pointsman.actions.report.failure import failure
from pointsman.actions.report.look import Look
from pointsman.actions.report.page import page_of
from pointsman.actions.report.typesetting import Prepared, TemplateError, prepared, typeset
from pointsman.domain.report import TemplateSpec
from pointsman.ports.action import ActionFailed

MAX_GROUPS = 1000
_LOGO_PPI = 300
_DRAWN = '#set page(width: auto, height: auto, margin: 0pt, fill: none)\n#image("logo.svg", height: 12mm)\n'
_UNBROKEN = re.compile(r"[^\s\u2e80-\uffff-]{25,}")
_CONTROLS = dict.fromkeys((*range(32), 127, *range(128, 160), 8232, 8233), " ")


def write_pdf(path: Path, work: Path, content: Content, look: Look, template: TemplateSpec | None) -> str | None:
    """Writes the file and returns the notice, if there is one. Raises ActionFailed for a template with a mistake."""
    notice = " ".join(content.notices()) or None
    try:
        made = prepared(work / "typst", template)
        typeset(made, path, data=data_of(content, look, made.logo, notice), now=content.now)
    except TemplateError as error:
        raise _broken(content, error, template) from None
    return notice


def data_of(content: Content, look: Look, logo: str, notice: str | None) -> bytes:
    """The JSON that the template reads."""
    page = page_of(content, look, logo, notice)
    return msgspec.json.encode(clean(msgspec.to_builtins(page)) | {"style": page.style})


def picture_of(logo: Path, work: Path, content: Content) -> Path:
    """The logo as a picture of points, for a workbook: an SVG is drawn, others are copied. Raises ActionFailed."""
    root = work / "logo"
    root.mkdir()
    try:
        copy = root / f"logo{logo.suffix.lower()}"
        shutil.copyfile(logo, copy)
        if copy.suffix != ".svg":
            return copy
        main, drawn = root / "logo.typ", root / "logo.png"
        main.write_text(_DRAWN, encoding="utf-8")
        typeset(Prepared(root, main, ""), drawn, format="png", ppi=_LOGO_PPI)
    except (OSError, TemplateError) as error:
        raise _broken(content, error, None) from None
    return drawn


def _broken(content: Content, error: Exception, template: TemplateSpec | None) -> ActionFailed:
    titles = content.spec.titles
    return failure(
        "template",
        f"报表“{titles.zh}”的模板有错误，请联系管理员。",
        f"The template of “{titles.en}” has a mistake. Please tell an administrator.",
        f"template {template.name}: {error}" if template is not None else str(error),
    )


def clean(value: Any) -> Any:
    """Control characters become spaces, and a long word may break anywhere: else it would run over its neighbours."""
    if isinstance(value, str):
        text = value.encode("utf-8", "replace").decode().translate(_CONTROLS)
        return _UNBROKEN.sub(lambda found: "\u200b".join(found[0]), text)
    if isinstance(value, list | tuple):
        return [clean(item) for item in value]
    if isinstance(value, dict):
        return {key: clean(item) for key, item in value.items()}
    return value
