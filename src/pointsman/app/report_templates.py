"""`templates` of a config: what reports may look like, with every file of theirs inside the folder of the config."""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import Iterator
from pathlib import Path
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from pointsman.actions.child import Children, Limits
from pointsman.actions.report.job import Proof, Proofed
from pointsman.actions.report.runner import GIB, PROOF
from pointsman.config.report_schema import Template
from pointsman.config.schema import Config
from pointsman.config.timezone import zone_name
from pointsman.domain.errors import Problem, did_you_mean
from pointsman.domain.report import ReportSpec, TemplateSpec
from pointsman.domain.said import said
from pointsman.periods.fold import fold
from pointsman.pipeline.catalog import check_title, titles_of
from pointsman.ports.action import ActionFailed

PICTURES = (".png", ".jpg", ".jpeg", ".svg")
FONTS = (".ttf", ".otf")
LARGEST_LOGO = 5 << 20  # bytes
DARKEST = 0.45
"""Text is printed in `ink`, and white on it: the luminance (0 to 1) that it may have."""


def templates_of(config: Config, base: Path) -> tuple[tuple[TemplateSpec, ...], list[Problem]]:
    """In the order of the config; `base` is its folder."""
    problems: list[Problem] = []
    specs = []
    for name, template in config.templates.items():
        path = f"templates.{name}"
        check_title(f"{path}.header", template.header, problems)
        check_title(f"{path}.footer", template.footer, problems)
        specs.append(
            TemplateSpec(
                name=name,
                file=_placed(f"{path}.file", template.file, base, (".typ",), problems),
                logo=_placed(f"{path}.logo", template.logo, base, PICTURES, problems, largest=LARGEST_LOGO),
                fonts=tuple(
                    found
                    for index, font in enumerate(template.fonts)
                    if (found := _placed(f"{path}.fonts[{index}]", font, base, FONTS, problems)) is not None
                ),
                font=template.font,
                accent=template.accent,
                ink=template.ink,
                header=titles_of(template.header, "") if template.header else None,
                footer=titles_of(template.footer, "") if template.footer else None,
                words=tuple(template.words),
                users=tuple(template.users),
                keys=tuple(template.keys),
                groups=tuple(template.groups),
                roles=tuple(template.roles),
                default=template.default,
            )
        )
        problems += _wrong(path, template, config)
    problems += _twice(config)
    return tuple(specs), problems


def with_template(
    spec: ReportSpec, templates: tuple[TemplateSpec, ...], base: Path
) -> tuple[ReportSpec, list[Problem]]:
    """The report with the templates, and its own one: one of these by name, else a typst file."""
    problems: list[Problem] = []
    spec = replace(spec, templates=templates)
    if spec.template is None or any(spec.template == template.name for template in templates):
        return spec, problems
    if not spec.template.endswith(".typ"):
        names = [template.name for template in templates]
        hint = did_you_mean(spec.template, names)
        message = said("there is no template {name!r}{hint}", "没有模板 {name!r}{hint}", name=spec.template, hint=hint)
        valid = said(
            "{names}, or a .typ file", "{names}，或一个 .typ 文件", names=", ".join(names) or said("none", "无")
        )
        return spec, [Problem(f"reports.{spec.name}.template", message, valid=valid)]
    file = _placed(f"reports.{spec.name}.template", spec.template, base, (".typ",), problems)
    return replace(spec, templates=(*templates, TemplateSpec(spec.template, file=file))), problems


def _placed(
    path: str,
    name: str | None,
    base: Path,
    endings: tuple[str, ...],
    problems: list[Problem],
    *,
    largest: int | None = None,
) -> str | None:
    """Where the file is, links followed. None for none, and for one that there is something wrong with."""
    if name is None:
        return None
    try:
        file = (base / name).resolve()
        inside, there = file.is_relative_to(base.resolve()), file.is_file()
        size = file.stat().st_size if there else 0
    except (OSError, ValueError):  # a name too long, a zero byte in it, a circle of links
        inside, there, size = True, False, 0
    if not inside:
        message = said("{name!r} is outside the folder of the config", "{name!r} 不在配置文件所在的文件夹里", name=name)
        problems.append(
            Problem(path, message, valid=said("a file beside the config or below", "配置文件旁边或其下的文件"))
        )
    elif not there:
        problems.append(Problem(path, said("there is no file {name!r}", "没有文件 {name!r}", name=name)))
    elif not name.lower().endswith(endings):
        message = said("{name!r} has the wrong ending", "{name!r} 的后缀不对", name=name)
        problems.append(Problem(path, message, valid=", ".join(endings)))
    elif largest is not None and size > largest:
        message = said("{name!r} is larger than {size} MB", "{name!r} 超过 {size} MB", name=name, size=largest >> 20)
        problems.append(Problem(path, message))
    else:
        return str(file)
    return None


def _wrong(path: str, template: Template, config: Config) -> Iterator[Problem]:
    """Whom it is meant for must be there; text must be readable."""
    known = {
        "keys": [key.name for key in config.auth.keys],
        "groups": sorted({key.group for key in config.auth.keys if key.group}),
        "roles": sorted({key.role for key in config.auth.keys if key.role}),
    }
    for field, valid in (
        known.items() if config.auth.keys else ()
    ):  # without keys a program that embeds us says who asks
        for index, name in enumerate(getattr(template, field)):
            if name not in valid:
                hint = did_you_mean(name, valid)
                message = said("no key has {name!r}{hint}", "没有密钥使用 {name!r}{hint}", name=name, hint=hint)
                yield Problem(f"{path}.{field}[{index}]", message, valid=", ".join(valid) or said("none", "无"))
    if template.ink is not None and (found := _luminance(template.ink)) > DARKEST:
        message = said(
            "{ink} is too light for text (luminance {found:.2f})",
            "{ink} 太浅，文字看不清（亮度 {found:.2f}）",
            ink=template.ink,
            found=found,
        )
        yield Problem(f"{path}.ink", message, valid=said("a dark colour, such as #1b2a41", "深色，如 #1b2a41"))


def _twice(config: Config) -> Iterator[Problem]:
    """Two defaults, and words or people of two templates."""
    owners: dict[tuple[str, str], str] = {}
    for name, template in config.templates.items():
        claims = [("default", "")] if template.default else []
        claims += [("words", fold(word)) for word in {name, *template.words}]
        for field in ("users", "keys", "groups", "roles"):
            claims += [(field, who) for who in getattr(template, field)]
        for field, what in claims:
            other = owners.setdefault((field, what), name)
            if other != name:
                message = said("{other} has that too", "{other} 也写了同样的内容", other=f"templates.{other}.{field}")
                if what:
                    message = said("{what!r}: {message}", "{what!r}：{message}", what=what, message=message)
                yield Problem(f"templates.{name}.{field}", message)


def _luminance(colour: str) -> float:
    """Relative luminance, as WCAG has it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def unusable_templates(config: Config, specs: tuple[ReportSpec, ...], data: Path) -> tuple[list[Problem], list[str]]:
    """Each template that has files or a font tried out: mistakes with file and line, and what typst warns of as notes.
    `data` is the data folder."""
    places = {f"templates.{name}": name for name in config.templates}
    own = {spec.name: spec.template for spec in specs if spec.template is not None and spec.template.endswith(".typ")}
    places |= {f"reports.{report}.template": name for report, name in own.items()}
    known = {template.name: template for spec in specs for template in spec.templates}
    problems: list[Problem] = []
    notes: list[str] = []
    for path, name in places.items():
        template = known.get(name)
        if template is None or (path.startswith("reports.") and name in config.templates):
            continue
        if not (template.file or template.logo or template.fonts or template.font):
            continue
        try:
            found = asyncio.run(_proofed(config, template, data))
        except ActionFailed as failure:
            notes.append(said("{path}: {why}", "{path}：{why}", path=path, why=failure.message))
            continue
        key = path if path.startswith("reports.") else f"{path}.{'file' if template.file else 'logo'}"
        whole = template.file is not None
        problems += [
            Problem(key, said("{what}", "typst 报错：{what}", what=str(fault) if whole else fault.message))
            for fault in found.errors
        ]
        for fault in found.warnings:
            notes.append(_warned(path, fault.message, str(fault), template, found))
    return problems, list(dict.fromkeys(notes))


def _warned(path: str, message: str, whole: str, template: TemplateSpec, found: Proofed) -> str:
    if template.font is not None and message == f"unknown font family: {template.font.lower()}":
        en = "{path}.font: PDFs do not have the font {font!r}, so they take Noto Sans SC (there are: {known})"
        zh = "{path}.font：PDF 里没有字体 {font!r}，将使用 Noto Sans SC（现有：{known}）"
        return said(en, zh, path=path, font=template.font, known=", ".join(found.fonts))
    return said("{path}: {whole}", "{path}：{whole}", path=path, whole=whole)


async def _proofed(config: Config, template: TemplateSpec, data: Path) -> Proofed:
    """Raises ActionFailed."""
    children = Children(data / "work", warmth=False)
    now = datetime.datetime.now(ZoneInfo(zone_name(config.server.timezone)))
    async with children.folder() as folder:
        return await children.run(PROOF, Proof(template, now), folder, Limits(seconds=config.files.timeout, memory=GIB))
