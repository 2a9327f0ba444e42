"""The part of the config about delivery: to whom what jobs made is sent, and how."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from pointsman.config.section import Section, Size

Wording = Annotated[
    str | dict[str, str], Meta(description="one text, or {zh: …, en: …}", extra={"zh": "一段文本，或 {zh: …, en: …}"})
]
Address = Annotated[str, Meta(min_length=3)]


class Mail(Section, frozen=True):
    """An e-mail over SMTP. Nobody but the config says to whom."""

    host: Annotated[str, Meta(min_length=1, description="the mail server")]
    sender: Annotated[Address, Meta(description='who it is from: "Reports <reports@example.com>"')] = msgspec.field(
        name="from"
    )
    to: Annotated[list[Address], Meta(min_length=1, description="whom it is to; a name may go before the address")]
    cc: Annotated[list[Address], Meta(description="who else gets it")] = []
    port: (
        Annotated[int, Meta(ge=1, le=65_535, description="default: 587, with tls: tls 465, with tls: off 25")] | None
    ) = None
    tls: Annotated[
        Literal["starttls", "tls", "off"],
        Meta(description="starttls: agreed upon first; tls: from the first byte on; off: in trusted networks"),
    ] = "starttls"
    ca_file: (
        Annotated[str, Meta(min_length=1, description="PEM file of the authorities to trust; default: the system's")]
        | None
    ) = None
    user: Annotated[str, Meta(min_length=1, description="name to log in with; default: no login")] | None = None
    password: Annotated[str, Meta(min_length=1, description="its password; use ${ENV}")] | None = None
    subject: Annotated[
        Wording,
        Meta(
            description="its subject, one text, or {zh: …, en: …}; slots as in text",
            extra={"zh": "主题：一段文本，或 {zh: …, en: …}"},
        ),
    ] = "{title}"
    text: Annotated[
        Wording,
        Meta(
            description="its text, one, or {zh: …, en: …}, with the slots {title} {text} {links} {files} {date} {time} "
            "{schedule} {channel}",
            extra={"zh": "正文：一段文本，或 {zh: …, en: …}"},
        ),
    ] = "{text}"
    attach: Annotated[
        Size,
        Meta(description="files of a mail up to this size together are attached, else there is the link; 0B: never"),
    ] = "10MB"
    timeout: Annotated[float, Meta(gt=0, le=600, description="seconds for one try")] = 60.0


class Hook(Section, frozen=True):
    """A signed POST, as of webhooks: see docs/jobs.md."""

    url: Annotated[str, Meta(min_length=1, description="http(s)://…; its host may be on this network")]
    secret: (
        Annotated[str, Meta(min_length=16, description="signs it; use ${ENV}; default: jobs.webhook_secret")] | None
    ) = None
    content: Annotated[
        Size,
        Meta(description="files up to this size together come in the message, in base64; 0B: their links alone"),
    ] = "0B"


class Channel(Section, frozen=True):
    """To whom, by e-mail or by webhook: one of `mail` and `webhook`."""

    mail: Annotated[Mail, Meta(description="by e-mail")] | None = None
    webhook: Annotated[Hook, Meta(description="by a signed POST")] | None = None
    words: Annotated[list[str], Meta(description="what people call it besides its name: 财务部, accounting")] = []
    roles: Annotated[
        list[str],
        Meta(description="roles that may name it in a chat or a job; empty: everybody; rules and schedules always may"),
    ] = []
