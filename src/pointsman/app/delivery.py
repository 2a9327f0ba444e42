"""`delivery` of the config: what is wrong with it, and its channels."""

from __future__ import annotations

import re
import ssl
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from pointsman.app.refused import refused
from pointsman.config.action_schema import REPLIES
from pointsman.config.delivery_schema import Channel, Hook, Mail
from pointsman.config.references import is_loopback
from pointsman.config.schema import Config, parse_size, parse_span
from pointsman.domain.errors import Problem, did_you_mean
from pointsman.domain.hosts import read_hosts, read_place
from pointsman.domain.links import Linked, Links
from pointsman.domain.said import Said, said
from pointsman.outbound.calls import HttpOutbound
from pointsman.outbound.destination import VALID as URL_VALID
from pointsman.outbound.destination import read_url
from pointsman.outbound.signing import key_of
from pointsman.outbound.webhook import WebhookSender
from pointsman.pipeline.delivery.by_webhook import HookChannel
from pointsman.pipeline.delivery.handler import Channel as Way
from pointsman.pipeline.delivery.wishes import DELIVER, named
from pointsman.pipeline.delivery.wording import SLOTS, unknown_slots
from pointsman.pipeline.rulebook import Rulebook
from pointsman.ports.action import MadeFile
from pointsman.ports.clock import Clock
from pointsman.ports.file_store import FileStore
from pointsman.ports.outbound import Refused

if TYPE_CHECKING:
    from pointsman.outbound.mail import MailServer, SmtpMailer

NAME = re.compile(r"[\w.-]{1,60}")
A_NAME = Said("1 to 60 letters, digits, _ . -", "1 到 60 个字母（含汉字）、数字、_ . -")


# What is wrong


def wrong_delivery(config: Config, base: Path) -> list[Problem]:
    """Without asking any server."""
    problems: list[Problem] = []
    owners: dict[str, str] = {}
    for name, channel in config.delivery.items():
        path = f"delivery.{name}"
        if not NAME.fullmatch(name):
            problems.append(Problem(path, said(*_BAD_NAME, name=name), valid=A_NAME))
        if (channel.mail is None) == (channel.webhook is None):
            message = _NEITHER if channel.mail is None else _BOTH
            problems.append(Problem(path, message, valid=Said("mail, or webhook", "mail 或 webhook")))
        problems += _wrong_words(path, name, channel, owners)
        if channel.mail is not None:
            problems += _wrong_mail(f"{path}.mail", channel.mail, base)
        if channel.webhook is not None:
            problems += _wrong_hook(f"{path}.webhook", channel.webhook, config)
    return problems


def note_on_links(config: Config) -> list[Said]:
    """What an owner should know of links in what is delivered."""
    if not config.delivery or config.server.public_url is not None:
        return []
    return [
        Said(
            "delivery: server.public_url is not set, so links in what is sent lead to where the gateway was asked; those of "
            "schedules only work on this machine",
            "delivery：没有设置 server.public_url，所以发出去的链接指向提问时访问网关的地址；计划任务的链接只在本机可用",
        )
    ]


def unknown_channels(path: str, names: list[str], config: Config) -> Iterator[Problem]:
    """`names` of channels that there are not; `path` is of the list."""
    for index, name in enumerate(names):
        if name not in config.delivery:
            yield Problem(f"{path}[{index}]", no_channel(name, config), valid=valid_channels(config))


def no_channel(name: str, config: Config) -> Said:
    hint = did_you_mean(name, list(config.delivery))
    return said("there is no channel {name!r}{hint}", "没有通道 {name!r}{hint}", name=name, hint=hint)


def valid_channels(config: Config) -> str:
    return ", ".join(config.delivery) or Said("none: delivery is empty", "没有：delivery 是空的")


def wrong_rules_deliver(book: Rulebook, config: Config, broken: Collection[str]) -> Iterator[Problem]:
    """Rules that name channels that there are not. An action may have a parameter of that name itself."""
    own = {name for name, action in config.actions.items() if DELIVER in (action.parameters or {})}
    replies = {name for name, action in config.actions.items() if action.kinds[:1] in ([kind] for kind in REPLIES)}
    for rule in book.rules:
        given = rule.parameters.get(DELIVER)
        if given is None or rule.action in own or "delivery" in broken:
            continue
        wrong = None if named(given) else _NO_NAMES
        if rule.action in replies:
            wrong = said(
                "{action!r} makes nothing that could be delivered",
                "{action!r} 不产生可以发送的内容",
                action=rule.action,
            )
        wrong = wrong or next((no_channel(name, config) for name in named(given) if name not in config.delivery), None)
        if wrong is not None:
            where = book.sites[rule.id].where(f"parameters.{DELIVER}")
            path = f"rules.{rule.id}.parameters.{DELIVER}"
            yield Problem(path, wrong, valid=valid_channels(config), where=where)


def _wrong_words(path: str, name: str, channel: Channel, owners: dict[str, str]) -> Iterator[Problem]:
    for place, word in ((path, name), *((f"{path}.words[{i}]", word) for i, word in enumerate(channel.words))):
        folded = word.strip().lower()
        if not folded:
            yield Problem(place, Said("is empty", "是空的"))
        elif owners.setdefault(folded, name) != name:
            en, zh = "{word!r} means channel {other} already", "{word!r} 已经表示通道 {other}"
            yield Problem(place, said(en, zh, word=word, other=owners[folded]))


def _wrong_mail(path: str, mail: Mail, base: Path) -> Iterator[Problem]:
    from pointsman.outbound.letter import read_address

    try:
        if read_place(mail.host)[1] is not None:
            yield Problem(f"{path}.host", Said("the port stands in port", "端口请写在 port 里"))
    except ValueError as error:
        yield Problem(f"{path}.host", error.args[0], valid="smtp.example.com, 10.1.2.3")
    addresses = [("from", mail.sender), *((f"to[{i}]", one) for i, one in enumerate(mail.to))]
    for place, address in (*addresses, *((f"cc[{i}]", one) for i, one in enumerate(mail.cc))):
        try:
            read_address(address)
        except ValueError as error:
            yield refused(f"{path}.{place}", error)
    if (mail.user is None) != (mail.password is None):
        absent, other = ("password", "user") if mail.password is None else ("user", "password")
        message = said("is missing, beside {path}.{other}", "缺少这一项：已写了 {path}.{other}", path=path, other=other)
        yield Problem(f"{path}.{absent}", message)
    if mail.password is not None and mail.tls == "off" and not is_loopback(mail.host):
        yield Problem(f"{path}.tls", _IN_THE_PLAIN, valid="starttls, tls")
    if mail.ca_file is not None:
        try:
            ssl.create_default_context(cafile=str(base / mail.ca_file))
        except (OSError, ValueError):  # ssl.SSLError is an OSError
            en, zh = "{file} is no PEM file that can be read", "{file} 不是可读的 PEM 文件"
            yield Problem(f"{path}.ca_file", said(en, zh, file=base / mail.ca_file))
    for key in ("subject", "text"):
        yield from _wrong_wording(f"{path}.{key}", getattr(mail, key))


def _wrong_wording(path: str, wording: Any) -> Iterator[Problem]:
    if isinstance(wording, dict):
        if not wording:
            yield Problem(path, Said("is empty", "是空的"), valid="zh, en")
        for language in wording:
            if language not in ("zh", "en"):
                en, zh = "no language {name!r}", "没有语言 {name!r}"
                yield Problem(f"{path}.{language}", said(en, zh, name=language), valid="zh, en")
    for slot in unknown_slots(wording):
        en = "unknown slot {{{slot}}}{hint}; a literal brace is written {{{{"
        zh = "没有占位符 {{{slot}}}{hint}（花括号本身要写成 {{{{）"
        hint = did_you_mean(slot, list(SLOTS))
        yield Problem(path, said(en, zh, slot=slot, hint=hint), valid=", ".join(f"{{{name}}}" for name in SLOTS))


def _wrong_hook(path: str, hook: Hook, config: Config) -> Iterator[Problem]:
    try:
        read_url(hook.url)
    except Refused as error:
        yield Problem(f"{path}.url", error.message, valid=URL_VALID)
    secret = hook.secret or config.jobs.webhook_secret
    if secret is None:
        yield Problem(f"{path}.secret", _NO_SECRET)
        return
    try:
        key_of(secret)
    except ValueError as error:
        yield Problem(f"{path}.secret", error.args[0])


# The channels


class Channels:
    """Those of the config that is installed, by name. `files` hold what is delivered, `links` sign the way to it."""

    def __init__(self, files: FileStore, links: Links, clock: Clock) -> None:
        self._files = files
        self._links = links
        self._clock = clock
        self._ways: dict[str, Way] = {}
        self._mailers: dict[MailServer, SmtpMailer] = {}
        self._outbound: list[HttpOutbound] = []
        self._keep = 0.0
        self._public: str | None = None

    def __call__(self) -> dict[str, Way]:
        return self._ways

    def install(self, config: Config, base: Path, timezone: str) -> None:
        """From here on these are the channels; servers that stay keep what is on its way to them. `base` is the folder of
        the config file."""
        self._keep, self._public = parse_span(config.files.keep), config.server.public_url
        zone = ZoneInfo(timezone)
        mailers, outbound = self._mailers, self._outbound
        self._mailers, self._outbound = {}, []
        self._ways = {
            name: self._way(name, channel, config, base, zone, mailers) for name, channel in config.delivery.items()
        }
        for gone in outbound:
            gone.close()
        for server, mailer in mailers.items():
            if server not in self._mailers:
                mailer.close()

    def close(self) -> None:
        for outbound in self._outbound:
            outbound.close()
        for mailer in self._mailers.values():
            mailer.close()

    def _way(
        self,
        name: str,
        channel: Channel,
        config: Config,
        base: Path,
        zone: ZoneInfo,
        mailers: dict[MailServer, SmtpMailer],
    ) -> Way:
        if channel.mail is not None:
            from pointsman.app.letters import MailChannel, SmtpMailer, server_of, written  # only where there is mail

            server = server_of(channel.mail, base)
            mailer = self._mailers.get(server) or mailers.get(server) or SmtpMailer(server)
            self._mailers[server] = mailer
            return MailChannel(name, mailer, written(channel.mail, zone), self._files, self._link, self._clock)
        hook = channel.webhook
        assert hook is not None
        hosts = [*config.jobs.webhook_hosts, read_url(hook.url).name]
        outbound = HttpOutbound(read_hosts(hosts), f"delivery.{name}.webhook.url")
        self._outbound.append(outbound)
        sender = WebhookSender(outbound, hook.secret or config.jobs.webhook_secret or "")
        return HookChannel(sender, hook.url, parse_size(hook.content), self._files, self._link, self._clock)

    def _link(self, file: MadeFile, base_url: str) -> str:
        token = self._links.sign(Linked(file.key, file.name, int(self._clock.wall() + self._keep)))
        return f"{(self._public or base_url).rstrip('/')}/files/{token}"


_BAD_NAME = "{name!r} cannot be the name of a channel", "{name!r} 不能用作通道的名称"
_NO_NAMES = Said("must be a channel, or a list of channels", "必须是一个通道，或通道的列表")
_NEITHER = Said("does not say how to deliver", "没有写明用什么方式发送")
_BOTH = Said("has both mail and webhook; make it two channels", "同时写了 mail 和 webhook；请分成两个通道")
_IN_THE_PLAIN = Said("the password would go over the network in the plain", "密码会以明文经过网络")
_NO_SECRET = Said(
    "is missing, and jobs.webhook_secret is not set: what is sent could not be signed",
    "缺少这一项，也没有设置 jobs.webhook_secret：发送的内容无法签名",
)
