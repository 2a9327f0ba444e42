"""The console as a whole: a browser's request in, a page out, whatever happens."""

from __future__ import annotations

import logging
import re
import traceback
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import cast
from urllib.parse import parse_qsl, quote

import msgspec

from pointsman.console.entrance import Asked, Entrance, Why, cookies, secure
from pointsman.console.pages.sign_in import SignIn
from pointsman.console.routes import Routes
from pointsman.console.shell import Shell
from pointsman.console.static_files import BASE, StaticFiles
from pointsman.console.templates import Templates
from pointsman.console.visit import Headers, Outlet, Reply, Route, Theme, Visit, Who, see_other
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import Said, Tongue, said

log = logging.getLogger("pointsman")

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_SAFE: Headers = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)
_FRESH: Headers = ((b"cache-control", b"no-store"), (b"vary", b"Cookie, Accept-Language"))
_LANGUAGE, _THEME = "pointsman_language", "pointsman_theme"
_YEAR = 31_536_000
_MOST_FIELDS = 2000
_LARGEST = 2 << 20  # bytes of a form: it is read in the loop
_HOST = re.compile(r"[\w.-]+(:\d+)?|\[[0-9a-fA-F:]+\](:\d+)?", re.ASCII)
_NOBODY = Who(name="", may_change=False, by_key=False)


class Sent(msgspec.Struct, frozen=True):
    """A browser's request as it came, by GET, HEAD or POST. `query` is what follows the question mark; `wanted` is the
    language that its headers ask for."""

    method: str
    path: str
    query: str
    body: bytes
    asked: Asked
    wanted: Tongue
    request_id: str


class Console:
    """`pages` makes the routes of all pages, given what draws them. Making one reads templates and static files: do it
    beside the loop."""

    def __init__(
        self, entrance: Entrance, shell: Callable[[], Shell], pages: Callable[[Templates], Iterable[Route]]
    ) -> None:
        self._entrance = entrance
        self._files = StaticFiles()
        self._templates = Templates(self._files, shell, lambda path: self._routes.knows(path))
        own = SignIn(self._templates)
        self._routes = Routes([*pages(self._templates), Route("GET", "/ui/sign-in", own.page, open=True)])

    def answer(self, sent: Sent) -> Reply | Awaitable[Reply]:
        """Never raises; what goes wrong is a page that says what to do."""
        if sent.path.startswith(BASE):
            found = self._files.serve(
                sent.path.removeprefix(BASE), sent.asked.fields.get(b"accept-encoding", b"").decode("latin-1")
            )
            return found if found is not None else self._wrong(self._visit(sent), _no_page(sent.path))
        try:
            visit = self._visit(sent)
        except PointsmanError as error:
            bare = msgspec.structs.replace(sent, query="", body=b"")
            return _guarded(self._wrong(self._visit(bare), error))
        try:
            reply = self._reply(sent, visit)
        except Exception as error:
            return _guarded(self._wrong(visit, error))
        return self._kept_to(sent.asked, reply) if isinstance(reply, Reply) else self._later(sent.asked, visit, reply)

    async def _later(self, asked: Asked, visit: Visit, reply: Awaitable[Reply]) -> Reply:
        try:
            return self._kept_to(asked, await reply)
        except Exception as error:
            return _guarded(self._wrong(visit, error))

    def _kept_to(self, asked: Asked, reply: Reply) -> Reply:
        """What is written for long ends with the session that it is written to."""
        stream = reply.stream
        if stream is not None:

            async def while_signed_in(outlet: Outlet) -> None:
                await stream(_WhileSignedIn(outlet, lambda: isinstance(self._entrance.who(asked), Who)))

            reply = msgspec.structs.replace(reply, stream=while_signed_in)
        return _guarded(reply)

    def _reply(self, sent: Sent, visit: Visit) -> Reply | Awaitable[Reply]:
        asked = sent.asked
        who = self._entrance.who(asked)
        if sent.method == "POST":
            self._entrance.check(asked, visit.form.get("csrf") or asked.fields.get(b"x-csrf", b"").decode("latin-1"))
            if sent.path == "/ui/settings":
                return self._set(sent, visit)
            if sent.path == "/ui/sign-in":
                if who == "public":
                    raise _not_public()
                cookie = self._entrance.begin(visit.form.get("key", ""), asked)
                return see_other(_ours(visit.form.get("next", "")), ((b"set-cookie", cookie.encode()),))
            if sent.path == "/ui/sign-out":
                cookie = self._entrance.end(asked)
                return see_other("/ui/sign-in", ((b"set-cookie", cookie.encode()),))
        found = self._routes.find(sent.method, sent.path)
        if found is None and sent.path.endswith("/") and self._routes.knows(sent.path.rstrip("/")):
            return see_other(sent.path.rstrip("/"))
        if found is None:
            if not isinstance(who, Who):
                return self._to_sign_in(sent, visit, who)
            raise _no_page(sent.path)
        route, name = found
        if not route.open and not isinstance(who, Who):
            return self._to_sign_in(sent, visit, who)
        return route.handler(msgspec.structs.replace(visit, named=name))

    def _to_sign_in(self, sent: Sent, visit: Visit, why: Why) -> Reply:
        if why == "public":
            raise _not_public()
        back = sent.path if sent.method != "POST" else "/ui"
        if sent.query and sent.method != "POST":
            back += f"?{sent.query}"
        place = f"/ui/sign-in?next={quote(back, safe='')}" + ("&why=host" if why == "host" else "")
        if visit.fragment:
            return Reply(b"", 200, headers=((b"hx-redirect", place.encode()),))
        if b"text/event-stream" in sent.asked.fields.get(b"accept", b""):
            return Reply(b"", 401)
        return see_other(place)

    def _set(self, sent: Sent, visit: Visit) -> Reply:
        """The language and the theme, which the browser keeps."""
        kept: list[tuple[bytes, bytes]] = []
        tls = "; Secure" if secure(sent.asked.fields) else ""
        for name, field, valid in (
            (_LANGUAGE, "language", ("en", "zh")),
            (_THEME, "theme", ("auto", "light", "dark")),
        ):
            value = visit.form.get(field)
            if value in valid:
                cookie = f"{name}={value}; Path=/ui; Max-Age={_YEAR}; HttpOnly; SameSite=Lax{tls}"
                kept.append((b"set-cookie", cookie.encode()))
        return see_other(_ours(visit.form.get("next", "")), tuple(kept))

    def _visit(self, sent: Sent) -> Visit:
        who = self._entrance.who(sent.asked)
        fields = sent.asked.fields
        jar = cookies(fields)
        language, theme = jar.get(_LANGUAGE), jar.get(_THEME)
        form: dict[str, str] = {}
        lists: dict[str, tuple[str, ...]] = {}
        if sent.method == "POST" and fields.get(b"content-type", b"").startswith(b"application/x-www-form-urlencoded"):
            if len(sent.body) > _LARGEST:
                raise _too_large()
            for name, value in _pairs(sent.body.decode("utf-8", "replace")):
                form.setdefault(name, value)
                lists[name] = (*lists.get(name, ()), value)
        query: dict[str, str] = {}
        for name, value in _pairs(sent.query):
            query.setdefault(name, value)
        return Visit(
            method=sent.method,
            path=sent.path,
            who=who if isinstance(who, Who) else _NOBODY,
            tongue=cast(Tongue, language) if language in ("en", "zh") else sent.wanted,
            theme=cast(Theme, theme) if theme in ("light", "dark") else "auto",
            query=query,
            form=form,
            lists=lists,
            csrf=self._entrance.token(sent.asked),
            fragment=b"hx-request" in fields,
            request_id=sent.request_id,
            base=_base(fields),
            address=sent.path + (f"?{sent.query}" if sent.query else ""),
        )

    def _wrong(self, visit: Visit, error: Exception) -> Reply:
        if not isinstance(error, PointsmanError):  # its text may quote a prompt
            where = "".join(traceback.format_tb(error.__traceback__))
            log.error("request %s failed in the console: %s\n%s", visit.request_id, type(error).__name__, where)
            failed = Said(
                "the console failed at this; the gateway's log has the details", "控制台处理时出错；详情见网关的日志"
            )
            error = PointsmanError(failed, status=500, type="api_error", code="internal")
        if visit.path == "/ui/sign-in" and error.status in (401, 429):
            return SignIn(self._templates).again(visit, error)
        whole = "problem.html" if visit.who.name else "problem_outside.html"
        template = "parts/problem.html" if visit.fragment else whole
        reply = self._templates.page(template, visit, status=error.status, error=error)
        if error.retry_after is None:
            return reply
        wait = (b"retry-after", b"%d" % max(1, round(error.retry_after)))
        return msgspec.structs.replace(reply, headers=(*reply.headers, wait))


class _WhileSignedIn:
    """An outlet that is leaving, too, once nobody is signed in any more at its other end."""

    def __init__(self, outlet: Outlet, signed_in: Callable[[], bool]) -> None:
        self._outlet = outlet
        self._signed_in = signed_in

    @property
    def leaving(self) -> bool:
        return self._outlet.leaving or not self._signed_in()

    def write(self, data: bytes) -> bool:
        return self._outlet.write(data)

    async def room(self) -> None:
        await self._outlet.room()


def _guarded(reply: Reply) -> Reply:
    """With the headers that keep other sites out, and pages out of caches."""
    return msgspec.structs.replace(reply, headers=(*reply.headers, *_SAFE, *_FRESH))


def _base(fields: Mapping[bytes, bytes]) -> str:
    """Scheme and host by which the browser came, as far as they are fit to be shown in a command."""
    host = fields.get(b"x-forwarded-host", fields.get(b"host", b"")).decode("latin-1").split(",")[0].strip()
    scheme = "https" if secure(fields) else "http"
    return f"{scheme}://{host}" if _HOST.fullmatch(host) else "http://127.0.0.1:8900"


def _pairs(text: str) -> list[tuple[str, str]]:
    try:
        return parse_qsl(text, keep_blank_values=True, errors="replace", max_num_fields=_MOST_FIELDS)
    except ValueError:
        raise PointsmanError(
            Said("this form has too many fields", "表单的字段过多"), status=413, code="too_many_fields"
        ) from None


def _too_large() -> PointsmanError:
    return PointsmanError(
        said("this form is too large; at most {limit} bytes", "表单过大，最多 {limit} 字节", limit=_LARGEST),
        status=413,
        code="body_too_large",
    )


def _ours(place: str) -> str:
    """Where to go next, if it is a page of the console."""
    sound = place == "/ui" or place.startswith(("/ui/", "/ui?"))
    return place if sound and place.isascii() and place.isprintable() and "\\" not in place else "/ui"


def _no_page(path: str) -> PointsmanError:
    return PointsmanError(
        Said("there is no such page; the menu has all that there are", "没有这个页面；所有页面都在菜单里"),
        status=404,
        type="not_found_error",
        code="unknown_page",
        param=path[:200],
    )


def _not_public() -> PointsmanError:
    return PointsmanError(
        Said(
            "this console opens on the gateway's own machine only (console.public: false)",
            "这个控制台只能在网关所在的机器上打开（console.public: false）",
        ),
        status=403,
        type="permission_error",
        code="not_public",
    )
