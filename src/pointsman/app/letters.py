"""Mail channels of the config: which server, and what is written."""

from __future__ import annotations

from pathlib import Path
from zoneinfo import ZoneInfo

from pointsman.config.delivery_schema import Mail
from pointsman.config.schema import parse_size
from pointsman.domain.hosts import read_place
from pointsman.outbound.letter import read_address
from pointsman.outbound.mail import PORTS, MailServer, SmtpMailer
from pointsman.pipeline.delivery.by_mail import MailChannel, Written

__all__ = ["MailChannel", "SmtpMailer", "server_of", "written"]


def server_of(mail: Mail, base: Path) -> MailServer:
    return MailServer(
        host=str(read_place(mail.host)[0]),
        port=mail.port or PORTS[mail.tls],
        tls=mail.tls,
        user=mail.user,
        password=mail.password,
        ca_file=None if mail.ca_file is None else str(base / mail.ca_file),
        seconds=mail.timeout,
    )


def written(mail: Mail, zone: ZoneInfo) -> Written:
    plain = dict.fromkeys(read_address(address).addr_spec for address in (*mail.to, *mail.cc))
    return Written(
        sender=mail.sender,
        to=tuple(mail.to),
        cc=tuple(mail.cc),
        plain=tuple(plain),
        subject=mail.subject,
        text=mail.text,
        attach=parse_size(mail.attach),
        zone=zone,
    )
