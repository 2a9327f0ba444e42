"""A formula as an SVG file, by ziamath: no TeX, no network, letters as shapes."""

from __future__ import annotations

from pathlib import Path

from ziamath.zmath import Latex

SIZE = 22
MOST = 2000  # characters of LaTeX that are drawn
NAME = "formula.svg"
_MARGIN = 10


def drawn(latex: str, folder: Path) -> str | None:
    """The file's name in the folder; None where the formula is too long or holds what cannot be drawn."""
    if len(latex) > MOST:
        return None
    try:
        formula = Latex(latex, size=SIZE, color="black")
        svg = formula.svgxml()
        width, height = float(svg.get("width", "0")), float(svg.get("height", "0"))
        left, top, _, _ = (float(part) for part in str(svg.get("viewBox")).split())
    except Exception:  # whatever a drawing library raises: the text is told without a picture
        return None
    box = f"{left - _MARGIN} {top - _MARGIN} {width + 2 * _MARGIN} {height + 2 * _MARGIN}"
    svg.set("viewBox", box)
    svg.set("width", f"{width + 2 * _MARGIN:.1f}")
    svg.set("height", f"{height + 2 * _MARGIN:.1f}")
    from xml.etree import ElementTree as ET

    paper = ET.Element(
        "rect", {"x": f"{left - _MARGIN}", "y": f"{top - _MARGIN}", "width": "100%", "height": "100%", "fill": "white"}
    )
    svg.insert(0, paper)
    (folder / NAME).write_bytes(ET.tostring(svg, encoding="utf-8"))
    return NAME
