"""Makes the call: once where doing it twice could do harm, and told plainly where nobody knows."""

from __future__ import annotations

import hashlib
import time
from typing import Any
from urllib.parse import urljoin, urlsplit

import msgspec

from pointsman.actions.http.answered import Read, message_in, read
from pointsman.actions.http.call import IDEMPOTENT, Call
from pointsman.actions.http.fill import Filled, fill
from pointsman.actions.http.spec import spec_and_call
from pointsman.actions.http.told import by_template, in_short
from pointsman.actions.once import EFFECTS
from pointsman.actions.specs import Surroundings
from pointsman.actions.tools import Tools
from pointsman.config.action_schema import ActionConfig
from pointsman.config.action_schema.http import Http
from pointsman.config.schema import parse_size
from pointsman.domain.action import ActionSpec
from pointsman.domain.errors import PointsmanError
from pointsman.domain.hosts import read_hosts
from pointsman.domain.said import Said, said, told
from pointsman.domain.wording import in_tongue
from pointsman.ports.action import Action, ActionFailed, Effect, Occasion
from pointsman.ports.outbound import Answer, FailureKind, NotAnswered, Refused

KEY = "Idempotency-Key"
BEGUN = ".begun"
"""How the key of the mark ends that a call leaves before it goes out, where it must not go out twice."""
TRIES = 2
_LATER = (408, 425, 429, 502, 503, 504)
"""Answers after which another try may go better, where trying again does no harm."""
_UNKNOWN = (502, 504)
"""Answers of something in between: what is behind it may have been reached."""
_KINDS: dict[FailureKind, Said] = {
    "resolve": Said("its name is not known", "无法解析它的名称"),
    "connect": Said("it cannot be reached", "无法连接"),
    "tls": Said("a secure connection to it failed", "安全连接失败"),
    "timeout": Said("it did not answer in time", "没有及时应答"),
    "reset": Said("it broke off without an answer", "没有应答就断开了连接"),
    "protocol": Said("it gave no valid answer", "应答无效"),
}


def made(spec: ActionSpec, config: ActionConfig, tools: Tools) -> Action:
    assert config.http is not None
    _, call = spec_and_call(spec.name, config, Surroundings(tools.config, tools.base))
    return HttpAction(spec, call, config.http, tools)


class HttpAction:
    def __init__(self, spec: ActionSpec, call: Call, settings: Http, tools: Tools) -> None:
        self._spec = spec
        self._call = call
        self._settings = settings
        self._files = tools.files
        self._outbound = tools.outbound(read_hosts(settings.allow), f"actions.{spec.name}.http.allow")
        self._most = parse_size(settings.max_answer)
        self._again = call.method in IDEMPOTENT or settings.keyed

    @property
    def spec(self) -> ActionSpec:
        return self._spec

    def check(self, parameters: dict[str, Any]) -> None:
        """Raises PointsmanError where a value cannot stand where it would."""
        try:
            fill(self._call, parameters)
        except ActionFailed as failure:
            raise PointsmanError(failure.message, code=failure.code, param="parameters") from None

    async def run(self, parameters: dict[str, Any], occasion: Occasion) -> Effect:
        filled = fill(self._call, parameters)
        headers = filled.headers
        names = {name.lower() for name, _ in headers}
        if "accept" not in names:
            headers = (*headers, ("Accept", "application/json, text/plain;q=0.8, */*;q=0.5"))
        if self._call.method != "GET" and KEY.lower() not in names:
            headers = (*headers, (KEY, _key(self._spec.name, occasion)))
        filled = msgspec.structs.replace(filled, headers=headers)
        mark = await self._begun(occasion)
        if mark is False:
            return self._uncertain(occasion)
        try:
            answer = await self._asked(filled)
        except Refused as refused:
            await self._unmark(mark)
            raise ActionFailed("refused", _NOT_ALLOWED, detail=refused.message, refused=True) from None
        except NotAnswered as failure:
            if failure.sent and not self._again:
                return self._uncertain(occasion, failure)
            await self._unmark(mark)
            en, zh = "The service did not answer: {why}. Please try again later.", "服务没有应答：{why}。请稍后重试。"
            message = said(en, zh, why=_KINDS[failure.kind])
            raise ActionFailed("no_answer", message, detail=failure.message, again=True) from None
        return self._told(read(answer, filled.secrets), answer, parameters, occasion)

    async def _asked(self, filled: Filled) -> Answer:
        """Tried once more where that does no harm: nothing had gone out, or the service does it once anyhow."""
        end = time.monotonic() + self._spec.seconds
        for number in range(1, TRIES + 1):
            try:
                answer = await self._hops(filled, end)
            except NotAnswered as failure:
                last = number == TRIES or end - time.monotonic() < 0.5
                if last or (failure.sent and not self._again):
                    raise
                continue
            if answer.ended == "broken" and self._call.method == "GET" and number < TRIES:
                continue
            return answer
        raise AssertionError("unreachable")

    async def _hops(self, filled: Filled, end: float) -> Answer:
        """The answer, behind the redirects that may be followed: of a GET, to the same origin, each judged anew."""
        url, method = filled.url, self._call.method
        for left in range(self._settings.redirects, -1, -1):
            seconds = max(end - time.monotonic(), 0.05)
            answer = await self._outbound.ask(
                method, url, filled.headers, filled.body, seconds=seconds, most=self._most
            )
            target = answer.header("location") if answer.status in (301, 302, 303, 307, 308) else None
            if target is None or left == 0 or method != "GET":
                return answer
            following = urljoin(url, target).partition("#")[0]
            if urlsplit(following)[:2] != urlsplit(url)[:2]:
                return answer
            url = following
        raise AssertionError("unreachable")

    async def _begun(self, occasion: Occasion) -> str | bool | None:
        """Leaves a mark before a call that must not go out twice: its key; False where another run left one; None where
        none is needed."""
        if self._again or occasion.effect is None:
            return None
        key = f"{EFFECTS}{occasion.effect}{BEGUN}"
        return key if await self._files.publish(key, b"1") else False

    async def _unmark(self, mark: str | bool | None) -> None:
        if isinstance(mark, str):
            await self._files.delete(mark)

    def _uncertain(self, occasion: Occasion, failure: NotAnswered | None = None) -> Effect:
        why = _KINDS[failure.kind] if failure else Said("an earlier try was interrupted", "上一次调用被中断")
        en = "It is not known whether the service did this: {why}. It is not tried again; please check there first."
        zh = "无法确定服务是否已经执行：{why}。不会自动重试，请先到该服务中核对。"
        return Effect(told(said(en, zh, why=why), occasion.tongue), "failed", "uncertain", values={"status": None})

    def _told(self, found: Read, answer: Answer, parameters: dict[str, Any], occasion: Occasion) -> Effect:
        status = found.status
        values = {"status": status, "body": found.body}
        if found.location is not None:
            values["location"] = found.location
        if len(msgspec.json.encode(values, enc_hook=str)) > self._spec.output:
            values["body"] = None
            found = msgspec.structs.replace(found, body=None, note=_LARGE)
        if 300 <= status < 400 and status != 304:
            en, zh = (
                "The service points elsewhere ({status}), which is not followed.",
                "服务要求转到别处（{status}），没有跟随。",
            )
            text = told(said(en, zh, status=status), occasion.tongue)
            return Effect(text, "failed", "redirect", values=values)
        if status >= 400:
            return self._refusal(found, values, occasion)
        if found.note is not None and self._call.method == "GET":
            text = told(said("That did not work: {note}.", "没有成功：{note}。", note=found.note), occasion.tongue)
            code = {"too_large": "too_large", "whole": "bad_answer"}.get(answer.ended, "no_answer")
            return Effect(text, "failed", code, values=values)
        template = self._settings.answer
        if template is None or found.note is not None:
            return Effect(in_short(found, occasion.tongue), values=values)
        return Effect(by_template(in_tongue(template, occasion.tongue), found, parameters), values=values)

    def _refusal(self, found: Read, values: dict[str, Any], occasion: Occasion) -> Effect:
        status = found.status
        own = message_in(found.body)
        if status in _UNKNOWN and not self._again:
            effect = self._uncertain(occasion, NotAnswered("timeout", "", sent=True))
            return msgspec.structs.replace(effect, values=values)
        if status in _LATER and self._again and occasion.effect is not None:
            message = said("The service is busy ({status}).", "服务繁忙（{status}）。", status=status)
            raise ActionFailed(f"http_{status}", message, detail=own or None, again=True)
        meaning = _MEANINGS.get(status) or (_OURS if status < 500 else _THEIRS)
        en, zh = "{meaning} ({status}){own}", "{meaning}（{status}）{own}"
        words = said(": {it}", "：{it}", it=own) if own else Said(".", "。")
        text = told(said(en, zh, meaning=meaning, status=status, own=words), occasion.tongue)
        return Effect(text, "failed", f"http_{status}", values=values)


_LARGE = Said("its answer is larger than may be passed on", "应答超过了可以传递的上限")
_NOT_ALLOWED = Said(
    "This service may not be called from here. The details are in the log.", "不允许调用这个服务，详情见日志。"
)
_OURS = Said("The service refused the request", "服务拒绝了请求")
_THEIRS = Said("The service failed", "服务出错")
_MEANINGS = {
    401: Said("The service does not know who calls", "服务不认可调用者的身份"),
    403: Said("The service does not allow this", "服务不允许这样做"),
    404: Said("The service does not know it", "服务中没有找到"),
    409: Said("The service says that this conflicts with what is there", "服务表示与现有内容冲突"),
    429: Said("The service takes no more requests for now", "服务暂时不接受更多请求"),
}


def _key(name: str, occasion: Occasion) -> str:
    """The same for each try of a job, another for each request."""
    told_by = occasion.effect or f"{occasion.request_id}"
    return hashlib.sha256(f"{name}\n{told_by}".encode()).hexdigest()[:32]
