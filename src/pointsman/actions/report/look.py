"""How a report looks: colours, font, logo, header and footer, as a template of the config says, else the built-in ones."""

from __future__ import annotations

import colorsys

import msgspec

from pointsman.actions.report.document import in_language
from pointsman.domain.report import ReportPlan, ReportSpec, TemplateSpec

ACCENT, INK, SOFT, FAINT = "#1f6feb", "#1b2a41", "#66748a", "#e3e8ef"
_OTHERS = ("#f59e0b", "#10b981", "#8b5cf6", "#ef4444", "#14b8a6", "#ec4899", "#84cc16")
REST = "#94a3b8"


class Look(msgspec.Struct, frozen=True):
    """Colours as `#rrggbb`; `palette` is for series and slices in their order, its last one for the rest. `font` is a
    family's name, `logo` the path of a picture."""

    accent: str = ACCENT
    ink: str = INK
    soft: str = SOFT
    faint: str = FAINT
    paper: str = "#dde9fc"
    palette: tuple[str, ...] = (ACCENT, *_OTHERS, REST)
    font: str | None = None
    logo: str | None = None
    header: str = ""
    footer: str = ""


def template_of(spec: ReportSpec, plan: ReportPlan) -> TemplateSpec | None:
    """The plan's template, else the report's own, else the default one. A name that is gone since is none."""
    known = {template.name: template for template in spec.templates}
    default = next((template for template in spec.templates if template.default), None)
    return known.get(plan.template or "") or known.get(spec.template or "") or default


def look_of(spec: ReportSpec, plan: ReportPlan) -> Look:
    template = template_of(spec, plan)
    if template is None:
        return Look()
    accent, ink = (template.accent or ACCENT).lower(), (template.ink or INK).lower()
    return Look(
        accent=accent,
        ink=ink,
        paper=lightened(accent),
        palette=(accent, *(colour for colour in _OTHERS if _apart(colour, accent)), REST),
        font=template.font,
        logo=template.logo,
        header=in_language(template.header, plan.language) if template.header else "",
        footer=in_language(template.footer, plan.language) if template.footer else "",
    )


def lightened(colour: str) -> str:
    """The same hue, nearly white: what dark text is read on."""
    hue, _, saturation = _hls(colour)
    parts = colorsys.hls_to_rgb(hue, 0.93, min(saturation, 0.85))
    return "#" + "".join(f"{round(part * 255):02x}" for part in parts)


def _apart(colour: str, other: str) -> bool:
    """Whether their hues are told apart; grey has none."""
    (hue, _, saturation), (other_hue, _, other_saturation) = _hls(colour), _hls(other)
    away = abs(hue - other_hue)
    return min(saturation, other_saturation) < 0.15 or min(away, 1 - away) > 0.06


def _hls(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return colorsys.rgb_to_hls(red, green, blue)
