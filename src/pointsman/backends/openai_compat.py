"""Any server that speaks OpenAI's API, and what the adapters of the named engines share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Self, TypeVar

import msgspec
from msgspec.structs import replace

from pointsman.backends.cache_reset import CacheReset
from pointsman.backends.engine_load import read_load
from pointsman.backends.http import Origin, Pool, parse_origin
from pointsman.backends.http.knock import Heard
from pointsman.backends.http.tls import tls_context
from pointsman.backends.http.traffic import Traffic
from pointsman.backends.settings import BackendSettings
from pointsman.domain.errors import did_you_mean
from pointsman.domain.said import Said, said
from pointsman.domain.target import BackendState, Health, ModelFacts, Target
from pointsman.ports.backend import BackendFailure, Call, EngineLoad, Stream

T = TypeVar("T")

COUNT_TIMEOUT = 5.0
"""Seconds that counting the tokens of one prompt may take."""
ANSWER_LIMIT = 32 << 20
"""Bytes that a probe or a count reads at most."""
LISTED = 8
"""Names that a problem's text lists at most."""
WITHHELD = frozenset({"accept-encoding", "api-key", "authorization", "cookie", "proxy-authorization", "x-api-key"})
"""Headers of a client's that no engine gets: its credentials, and what would have bodies come compressed."""
ENDPOINTS = ("/chat/completions", "/completions", "/embeddings", "/models", "/rerank", "/responses")


class ListedModel(msgspec.Struct, frozen=True):
    """An entry of `/models`. The context's length has a name of its own on each server: `max_model_len` vLLM, SGLang;
    `context_length` OpenRouter, Together; `context_window` Groq."""

    id: str
    max_model_len: Any = None
    context_length: Any = None
    context_window: Any = None

    @property
    def context(self) -> int | None:
        """Tokens of one sequence, where the entry tells in a form that can be trusted."""
        told = (self.max_model_len, self.context_length, self.context_window)
        return next((value for value in told if type(value) is int and value > 0), None)


class ModelList(msgspec.Struct, frozen=True):
    data: tuple[ListedModel, ...]


class VersionAnswer(msgspec.Struct, frozen=True):
    version: str


class Unfit(Exception):
    """A probe found the server in no state to serve. `problem` is a sentence for people."""

    def __init__(self, health: Health, problem: str) -> None:
        super().__init__(problem)
        self.health = health
        self.problem = problem


class Link(msgspec.Struct, frozen=True):
    """An address and the connections to it: those of the traffic, and the probe's own. `api` is the path of OpenAI's
    API below the server's root."""

    address: str
    api: str
    traffic: Pool
    probe: Pool


class Answer(msgspec.Struct, frozen=True):
    status: int
    body: bytes

    def read(self, type: type[T]) -> T | None:
        """The body of a 200 as `type`; None where it is none."""
        try:
            return msgspec.json.decode(self.body, type=type) if self.status == 200 else None
        except msgspec.DecodeError:
            return None


def split_base(base_url: str, *, segments: Sequence[str] = ("v1",), always: bool = True) -> tuple[Origin, str]:
    """The root of a server, and the path of OpenAI's API below it, from a base URL as people write it.

    A last path segment of `segments` is dropped from the root: `http://h:8000`, `http://h:8000/`, `http://h:8000/v1`
    and `http://h:8000/v1/` are one. `/v1` is added where it is missing: `always`, or else only to a URL without a path,
    because hosted APIs live elsewhere too (`/v1beta/openai`, `/api/v3`). ValueError: not a base URL; says what is."""
    origin = parse_origin(base_url)
    for endpoint in ENDPOINTS:
        if origin.prefix.endswith(endpoint):
            cut = base_url.rstrip("/").removesuffix(endpoint)
            raise ValueError(
                said(
                    'base URL "{url}" names an endpoint; give what stands before it: {cut}',
                    "base URL“{url}”指到了某个接口；只写它前面的部分：{cut}",
                    url=base_url,
                    cut=cut,
                )
            )
    root, _, last = origin.prefix.rpartition("/")
    if last in segments:
        return replace(origin, prefix=root), "/v1"
    return origin, "/v1" if always or not origin.prefix else ""


class OpenAICompat:
    """`ports.Backend` for a server of OpenAI's API of which nothing else is known.

    It never changes a body. Probes and traffic use connections of their own, so a probe never waits for a generation.
    A model that `/models` does not list is reported and not ruled out: hosted APIs and proxies accept more than they
    list. ValueError for settings that cannot be.

    `address` gives the base URL of a server whose address changes (a child process that is restarted), or None while it
    has none: the backend is then `loading`, and calls fail with BackendFailure("connect"). It is called for every
    request: it must be quick and must not raise."""

    engine: ClassVar[str] = "openai"
    label: ClassVar[str] = Said("an OpenAI-compatible server", "兼容 OpenAI 的服务")
    default_base_url: ClassVar[str | None] = None
    segments: ClassVar[tuple[str, ...]] = ("v1",)
    always_v1: ClassVar[bool] = False
    resets: ClassVar[bool] = False
    """Whether the engine can be told to forget the prompts that it keeps."""
    tells_load: ClassVar[bool] = False
    """Whether it has /metrics that say how much it has to do."""

    def __init__(
        self, settings: BackendSettings, target: Target, *, address: Callable[[], str | None] | None = None
    ) -> None:
        self.settings = settings
        self._current = address
        self._target = target
        self._traffic = Traffic()
        self._link: Link | None = None
        self._closed = False
        self._tls = tls_context(settings.ca_file) if settings.ca_file else None
        if settings.api_key and not (settings.api_key.isascii() and settings.api_key.isprintable()):
            raise ValueError(
                Said(
                    "api_key holds what a header cannot carry (a line break at its end?)",
                    "api_key 里有请求头不能携带的字符（末尾是不是有换行？）",
                )
            )
        own = {name.lower(): value for name, value in settings.headers}
        key = {"authorization": f"Bearer {settings.api_key}"} if settings.api_key else {}
        self._cache = CacheReset(settings.reset_cache if self.resets else None, self._reset_cache)
        self._headers = tuple(({"content-type": "application/json"} | key | own).items())
        self._check()

    def _check(self) -> None:
        """Finds a wrong address while the configuration is read, not at the first request."""
        if self._current is not None:
            return
        if self._address() is None:
            raise ValueError(
                said(
                    "engine {engine} needs a base_url: where does it listen?",
                    "引擎 {engine} 需要 base_url：它在哪里监听？",
                    engine=self.engine,
                )
            )
        self._split(self._address() or "")

    @property
    def target(self) -> Target:
        return self._target

    @property
    def first_byte(self) -> float:
        return self.settings.first_byte_timeout

    @property
    def whole(self) -> bool:
        """Nothing is known of a server's way with hang-ups, so it is asked for a stream."""
        return False

    @property
    def upstream(self) -> Mapping[str, int]:
        """Probes aside."""
        return msgspec.structs.asdict(self._traffic)

    def _address(self) -> str | None:
        """The base URL now; None while there is none."""
        return self._current() if self._current is not None else self.settings.base_url or self.default_base_url

    def _split(self, address: str) -> tuple[Origin, str]:
        return split_base(address, segments=self.segments, always=self.always_v1)

    async def _reach(self) -> Link:
        address = self._address()
        if self._closed:
            raise BackendFailure("connect", said("{name} is closed", "{name} 已关闭", name=self._target.name))
        if address is None:
            raise BackendFailure(
                "connect",
                said(
                    "{model} is loading: nothing listens yet",
                    "{model} 正在加载，还没有开始监听",
                    model=self.settings.model,
                ),
            )
        link = self._link
        if link is not None and link.address == address:
            return link
        origin, api = self._split(address)
        settings, heard = self.settings, Heard()
        self._link = new = Link(
            address,
            api,
            Pool(
                origin,
                idle_expiry=settings.idle_expiry,
                connect_timeout=settings.connect_timeout,
                max_idle=settings.max_idle,
                ssl=self._tls,
                traffic=self._traffic,
                heard=heard,
            ),
            Pool(
                origin,
                idle_expiry=1.0,
                connect_timeout=settings.probe_timeout,
                max_idle=1,
                ssl=self._tls,
                heard=heard,
            ),
        )
        if link is not None:
            await _shut(link)
        return new

    async def open(self, call: Call) -> Stream:
        """Sends the call to the API below the base URL. Raises BackendFailure; ValueError for a header or path that
        HTTP cannot carry. A status of the engine's is no failure: the caller reads it."""
        link = self._link
        if link is None or self._closed or link.address != self._address():
            link = await self._reach()
        if self._cache.counts:
            await self._cache.before_call()
        settings = self.settings
        first_byte = settings.reply_timeout if call.whole else settings.first_byte_timeout
        sent = Call(
            call.path if call.root else link.api + call.path,
            call.body,
            self._handed_on(call.headers) if call.headers else (),
            call.method,
            first_byte if first_byte < call.first_byte else call.first_byte,
            settings.idle_timeout if settings.idle_timeout < call.idle else call.idle,
            call.whole,
            call.root,
        )
        return await link.traffic.open(sent, self._headers)

    def _handed_on(self, headers: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
        """What an engine gets to see of a client's headers."""
        forward = self.settings.forward_authorization
        kept = (
            pair
            for pair in headers
            if pair[0].lower() not in WITHHELD or (forward and pair[0].lower() == "authorization")
        )
        return tuple(kept)

    async def probe(self) -> BackendState:
        """What the server says of itself within `probe_timeout`. Never raises: a server that cannot be asked is `down`,
        with a problem that a person can act on. A problem beside `up` is worth telling and does not stop traffic."""
        limit = self.settings.probe_timeout
        try:
            async with asyncio.timeout(limit):
                link = await self._reach()
                facts, problem = await self._look(link)
        except Unfit as unfit:
            return self._state(unfit.health, problem=unfit.problem)
        except TimeoutError:
            late = said(
                "{where} did not answer a probe within {limit:g} s",
                "{where}没有在 {limit:g} 秒内回应探测",
                where=self._where(),
                limit=limit,
            )
            return self._state("down", problem=late)
        except BackendFailure as failure:
            return self._unreachable(failure)
        return self._state("up", facts, problem or self._cache.problem)

    async def reachable(self, seconds: float) -> bool:
        """Whether the machine says anything within so many seconds, whatever its engine does meanwhile."""
        try:
            link = await self._reach()
        except BackendFailure:  # it has no address now
            return True
        return await link.traffic.reachable(seconds)

    async def load(self) -> EngineLoad | None:
        """What the engine says of how much it has to do; None where it says nothing. Raises BackendFailure."""
        if not self.tells_load:
            return None
        link = await self._reach()
        answer = await self._exchange(link.probe, "/metrics", None, self.settings.probe_timeout)
        return read_load(answer.body.decode("utf-8", "replace")) if answer.status == 200 else None

    async def _reset_cache(self) -> None:
        """Raises Busy, NoReset, BackendFailure."""
        raise NotImplementedError

    def _state(self, health: Health, facts: ModelFacts | None = None, problem: str | None = None) -> BackendState:
        facts = facts or ModelFacts()
        if facts.context_length is None and self.settings.context is not None:
            facts = replace(facts, context_length=self.settings.context)
        return BackendState(self._target.name, health, facts, problem)

    def _unreachable(self, failure: BackendFailure) -> BackendState:
        if self._current is not None and failure.kind == "connect":
            return self._state("loading", problem=failure.message)
        if failure.kind != "connect":
            return self._state("down", problem=failure.message)
        asks = said(
            "{message}; is {label} running there?",
            "{message}；那里的服务（{label}）启动了吗？",
            message=failure.message,
            label=self.label,
        )
        return self._state("down", problem=asks)

    def _where(self) -> Said:
        return said("{label} at {address}", "{label}（{address}）", label=self.label, address=self._address())

    async def _look(self, link: Link) -> tuple[ModelFacts, str | None]:
        """Facts, and what is odd though it works. Raises Unfit, BackendFailure."""
        answer = await self._ask(link, f"{link.api}/models")
        if answer.status in (404, 405, 501):
            return ModelFacts(), None  # some servers list nothing
        if answer.status == 429:
            return ModelFacts(), said(
                "{where} limits the rate of requests (429)", "{where}限制了请求频率（429）", where=self._where()
            )
        listed = self._listed(answer)
        model = next((model for model in listed if model.id == self.settings.model), None)
        if model is None:
            return ModelFacts(), self._not_listed([model.id for model in listed])
        return ModelFacts(context_length=model.context), None

    async def _ask(self, link: Link, path: str, fields: dict[str, Any] | None = None) -> Answer:
        """One exchange on the probe's own connection, below the server's root. Unfit where the key was refused or the
        server says that it is in trouble."""
        answer = await self._exchange(link.probe, path, fields, self.settings.probe_timeout)
        if answer.status in (401, 403):
            wrong = Said("refuses the key: check api_key", "拒绝了密钥：请检查 api_key")
            advice = wrong if self.settings.api_key else Said("wants a key: set api_key", "需要密钥：请设置 api_key")
            text = said(
                "{where} {advice} (status {status})",
                "{where}{advice}（状态码 {status}）",
                where=self._where(),
                advice=advice,
                status=answer.status,
            )
            raise Unfit("down", text)
        if answer.status >= 500 and answer.status != 501:
            text = said(
                "{where} answers {path} with {status}",
                "{where}对 {path} 返回了 {status}",
                where=self._where(),
                path=path,
                status=answer.status,
            )
            raise Unfit("down", text)
        return answer

    async def _exchange(self, pool: Pool, path: str, fields: dict[str, Any] | None, limit: float) -> Answer:
        body = b"" if fields is None else msgspec.json.encode(fields)
        call = Call(path, body, method="POST" if body else "GET", first_byte=limit, idle=limit)
        stream = await pool.open(call, self._headers)
        return Answer(stream.status, await stream.read(ANSWER_LIMIT))

    def _listed(self, answer: Answer) -> tuple[ListedModel, ...]:
        models = answer.read(ModelList)
        if models is None:
            raise Unfit(
                "down",
                said(
                    "what answers at {address} is not {label}: its list of models is unreadable "
                    "(status {status}); is base_url right?",
                    "在 {address} 应答的不是 {label}：它的模型列表无法读取（状态码 {status}）；base_url 写对了吗？",
                    address=self._address(),
                    label=self.label,
                    status=answer.status,
                ),
            )
        return models.data

    def _not_listed(self, names: list[str]) -> Said:
        shown = ", ".join(sorted(names)[:LISTED]) + (" …" if len(names) > LISTED else "")
        return said(
            '{where} does not list the model "{model}"{hint} (it lists: {shown})',
            "{where}没有列出模型“{model}”{hint}（它列出的有：{shown}）",
            where=self._where(),
            model=self.settings.model,
            hint=did_you_mean(self.settings.model, names),
            shown=shown or Said("none", "无"),
        )

    async def _version(self, link: Link) -> str | None:
        found = (await self._ask(link, "/version")).read(VersionAnswer)
        return found.version if found else None

    async def count_tokens(self, messages: Sequence[dict[str, Any]] | str) -> int | None:
        """None: OpenAI's API has no endpoint for it."""
        return None

    async def _count(self, link: Link, path: str, fields: dict[str, Any], type: type[T]) -> T | None:
        """One exchange for counting; None where the engine declines. Raises BackendFailure."""
        return (await self._exchange(link.traffic, path, fields, COUNT_TIMEOUT)).read(type)

    async def close(self) -> None:
        """Drops idle connections and refuses new calls; streams under way go on."""
        self._closed = True
        if self._link is not None:
            await _shut(self._link)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.close()


async def _shut(link: Link) -> None:
    await link.traffic.close()
    await link.probe.close()
