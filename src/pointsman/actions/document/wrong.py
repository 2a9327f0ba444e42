"""Why a file is not read, said to who sent it."""

from __future__ import annotations

from pointsman.domain.said import Said, said
from pointsman.ports.action import ActionFailed

READABLE = Said(
    "PDF, Word (.docx), Excel (.xlsx, .xlsb, .xls), PowerPoint (.pptx), OpenDocument (.odt, .ods, .odp), HTML, e-mail "
    "(.eml), CSV, Markdown and plain text",
    "PDF、Word（.docx）、Excel（.xlsx、.xlsb、.xls）、PowerPoint（.pptx）、OpenDocument（.odt、.ods、.odp）、HTML、"
    "电子邮件（.eml）、CSV、Markdown 和纯文本",
)


def not_readable(what: Said) -> ActionFailed:
    """It is something else: `what`."""
    en, zh = (
        "This file is {what}, which has no text to read. Valid: {valid}.",
        "这个文件是{what}，没有可读的文字。可用：{valid}。",
    )
    return ActionFailed("bad_file", said(en, zh, what=what, valid=READABLE), refused=True)


def old_format(what: Said, instead: str) -> ActionFailed:
    en = "This file is {what}. Please save it as {instead} and send that."
    zh = "这个文件是{what}。请另存为 {instead} 后再发送。"
    return ActionFailed("bad_file", said(en, zh, what=what, instead=instead), refused=True)


def broken(detail: str) -> ActionFailed:
    en, zh = "The file is damaged and cannot be read.", "文件已损坏，无法读取。"
    return ActionFailed("bad_file", Said(en, zh), detail=detail)


def encrypted() -> ActionFailed:
    en = "The file is protected by a password. Please send it without, or give the password along with it."
    zh = "文件有密码保护。请发送没有密码的文件，或者同时提供密码。"
    return ActionFailed("password", Said(en, zh), refused=True)


def locked() -> ActionFailed:
    """Encrypted in a way for which no password is taken."""
    en = "The file is protected by a password. Please save it without one and send that."
    return ActionFailed("password", Said(en, "文件有密码保护。请取消密码后再发送。"), refused=True)


def wrong_password() -> ActionFailed:
    return ActionFailed(
        "password", Said("The password does not open the file.", "密码不对，无法打开文件。"), refused=True
    )


def bomb(detail: str) -> ActionFailed:
    en = "The file would unpack to far more than its size and was not opened: it is damaged, or meant to do harm."
    zh = "文件解压后会远远超过其大小，没有打开：文件已损坏，或者是恶意文件。"
    return ActionFailed("too_large", Said(en, zh), detail=detail, refused=True)


def entities() -> ActionFailed:
    en = "The file declares entities of its own, which no office program writes, and was not read."
    return ActionFailed(
        "bad_file", Said(en, "文件里自行声明了实体，正常的办公软件不会这样写，因此没有读取。"), refused=True
    )


def too_wide(sheet: str, cells: int, most: int) -> ActionFailed:
    en = 'The sheet "{sheet}" spans {cells:,} cells, more than the {most:,} that are read. Delete what stands far outside.'
    zh = "工作表“{sheet}”的范围有 {cells:,} 个单元格，超过上限 {most:,}。请删除远处的单元格。"
    return ActionFailed("too_large", said(en, zh, sheet=sheet[:100], cells=cells, most=most), refused=True)


def no_such_page(first: int, count: int) -> ActionFailed:
    en, zh = "There is no page {first}: the file has {count}.", "没有第 {first} 页：文件共 {count} 页。"
    return ActionFailed("bad_parameters", said(en, zh, first=first, count=count), refused=True)
