"""Draws panels of bars and lines: `python draw.py FILE < panels.json`. See `panels.py` for what they hold."""

import json
import sys
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
from matplotlib import pyplot

OURS, THEIRS, SECOND = "#0f766e", "#94a3b8", "#c2410c"
CURVES = (OURS, SECOND, "#4338ca", "#a16207", "#64748b", "#be185d")


def bars(axes: Any, panel: dict[str, Any]) -> None:
    values = panel["values"]
    colours = [OURS if ours else THEIRS for ours in panel["ours"]]
    places = range(len(values))
    axes.barh(places, values, color=colours, height=0.62)
    for place, value, low, high in zip(places, values, panel["low"], panel["high"], strict=True):
        axes.plot([low, high], [place, place], color="#1e293b", linewidth=1)
        axes.annotate(figure(value), (max(value, high), place), (5, 0), textcoords="offset points", va="center", size=8)
    axes.set_yticks(places, panel["labels"])
    axes.set_ylim(max(len(values), 5) - 0.5, -0.5)
    positive = [value for value in (*values, *panel["low"]) if value > 0]
    if panel["log"] and positive and min(values) > 0 and max(values) / min(positive) > 8:
        axes.set_xscale("log")
        axes.set_xlim(min(positive) / 2, max(values) * 5)
        axes.set_xlabel(f"{panel['unit']} (log scale)")
    else:
        most = max((*values, *panel["high"]) if panel.get("whole") else values)
        axes.set_xlim(min(0, *values), most * 1.25 or 1)
        axes.set_xlabel(panel["unit"])


def lines(axes: Any, panel: dict[str, Any]) -> None:
    for series, colour in zip(panel["series"], (OURS, SECOND), strict=False):
        axes.plot(panel["x"], series["y"], marker="o", color=colour, label=series["name"], linewidth=1.6)
        for x, y in zip(panel["x"], series["y"], strict=True):
            axes.annotate(figure(y), (x, y), (0, 6), textcoords="offset points", ha="center", size=7, color=colour)
    if min(panel["x"]) > 0:
        axes.set_xscale("log")
    else:
        axes.set_xscale("symlog", linthresh=100)
    if min(min(series["y"]) for series in panel["series"]) > 0:
        axes.set_yscale("log")
    axes.margins(x=0.12, y=0.25)
    axes.legend(frameon=False, fontsize=8)


def curves(axes: Any, panel: dict[str, Any]) -> None:
    if panel["diagonal"]:
        axes.plot([0, 1], [0, 1], color="#94a3b8", linewidth=1, linestyle="--")
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1)
    for series, colour in zip(panel["series"], CURVES, strict=False):
        axes.plot(series["x"], series["y"], marker="o", color=colour, label=series["name"], linewidth=1.6, markersize=4)
    axes.set_xlabel(panel.get("unit", ""))
    axes.legend(frameon=False, fontsize=8)


def figure(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def main(file: str) -> None:
    panels = [
        panel for panel in json.load(sys.stdin) if panel.get("values") or panel.get("x") or panel["kind"] == "curves"
    ]
    columns = 2 if len(panels) > 1 else 1
    rows = -(-len(panels) // columns)
    longest = max((len(panel.get("labels", ())) for panel in panels), default=0)
    height = max(2.6, 0.34 * longest + 1.3)
    drawn, grid = pyplot.subplots(rows, columns, figsize=(6.6 * columns, height * rows), squeeze=False)
    for axes in grid.flat[len(panels) :]:
        axes.set_visible(False)
    for axes, panel in zip(grid.flat, panels, strict=False):
        axes.set_title(panel["title"], loc="left", size=10, weight="bold")
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="x" if panel["kind"] == "bars" else "both", color="#e2e8f0", linewidth=0.8)
        axes.set_axisbelow(True)
        {"bars": bars, "lines": lines, "curves": curves}[panel["kind"]](axes, panel)
    drawn.tight_layout()
    drawn.savefig(file, dpi=130)


main(sys.argv[1])
