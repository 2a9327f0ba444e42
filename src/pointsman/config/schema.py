"""THE schema of pointsman.yaml. The JSON schema, the reference page and the checks are all made from these types."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from pointsman.config.action_schema import ActionConfig, McpServer
from pointsman.config.admission_schema import Admission, Limits, Quota
from pointsman.config.arbiter_schema import Arbiter
from pointsman.config.cache_schema import Cache
from pointsman.config.console_schema import Console
from pointsman.config.delivery_schema import Channel
from pointsman.config.guard_schema import Guards
from pointsman.config.job_schema import Jobs
from pointsman.config.policy_schema import Classifier, Cost, QualityTable, Weighting
from pointsman.config.question_schema import Questions
from pointsman.config.registry_schema import NodeHealth, Registry, Spread
from pointsman.config.report_schema import Files, Report, Source, Template
from pointsman.config.residency_schema import Load, Memory
from pointsman.config.schedule_schema import Schedule
from pointsman.config.section import Section, Size, Span
from pointsman.config.telemetry_schema import Telemetry

Engine = Literal["embedded", "llamacpp", "vllm", "ollama", "trtllm", "openai"]
Hash = Annotated[
    str,
    Meta(
        pattern=r"^sha256:[0-9a-f]{64}$",
        description="sha256: and 64 hexadecimal digits",
        extra={"zh": " sha256: 加 64 位十六进制数字"},
    ),
]
PostgresUrl = Annotated[
    str,
    Meta(
        pattern=r"^postgres(ql)?://.+",
        description="postgresql://user:password@host/database",
        extra={"zh": "postgresql://用户:密码@主机/数据库"},
    ),
]
Seconds = Annotated[float, Meta(gt=0, le=86_400)]
Port = Annotated[int, Meta(ge=0, le=65_535)]
Tokens = Annotated[int, Meta(ge=1, le=100_000_000)]


class Server(Section, frozen=True):
    """Where the gateway listens and how it treats its clients."""

    host: Annotated[str, Meta(description="address to listen on; a public one needs auth.keys")] = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65_535, description="0 picks a free port")] = 8900
    watch: Annotated[bool, Meta(description="reload when the config, a rule file or a pack is saved")] = True
    workers: Annotated[int, Meta(ge=1, le=64, description="processes that serve the port; not on Windows")] = 1
    data_dir: Annotated[str, Meta(description="log, keys; default: the user's data folder")] | None = None
    cors: Annotated[
        list[str], Meta(description='origins of browser clients besides loopback ones; ["*"] lets every page in')
    ] = []
    max_body: Annotated[Size, Meta(description="largest request body")] = "32MB"
    heartbeat_after: Annotated[Seconds, Meta(description="seconds of silence before a stream starts heartbeats")] = 8.0
    timezone: Annotated[str, Meta(description="IANA name, such as Asia/Shanghai; default: this machine's")] | None = (
        None
    )
    public_url: (
        Annotated[str, Meta(description="how clients reach the gateway, for links; default: as they did")] | None
    ) = None
    reasoning_field: (
        Annotated[
            Literal["reasoning", "reasoning_content"],
            Meta(description="name of a model's thoughts in replies; default: as the engine names it"),
        ]
        | None
    ) = None
    language: (
        Annotated[Literal["zh", "en"], Meta(description="language of messages where the request does not show one")]
        | None
    ) = None
    grace: Annotated[Span, Meta(description="how long replies under way may take when the gateway is told to stop")] = (
        "10s"
    )
    handover_grace: Annotated[
        Span, Meta(description="the same where another process has taken over the port (serve --replace)")
    ] = "10m"
    linger: Annotated[
        float,
        Meta(
            ge=0,
            le=600,
            description="seconds that idle client connections stay open when the gateway is told to stop; a request that "
            "comes on one by then is answered",
        ),
    ] = 0.5


class Backend(Section, frozen=True):
    """One inference server that serves a model."""

    engine: Annotated[Engine, Meta(description="the server's software")]
    model: Annotated[
        str, Meta(min_length=1, description="the model's name there; for embedded builtin:… or a .gguf file")
    ]
    base_url: (
        Annotated[str, Meta(description="http(s)://host:port/v1, or unix:/path/of.sock; not for embedded")] | None
    ) = None
    nodes: Annotated[
        list[str] | Literal["registry"] | None,
        Meta(
            description="in place of base_url: several servers that serve the model alike, by their base URLs; or registry: "
            "those that say that they do",
            extra={"zh": "代替 base_url：提供同一模型的多个服务的 base URL；或 registry：自行登记的节点"},
        ),
    ] = None
    spread: Annotated[Spread, Meta(description="how requests are spread over nodes")] = Spread()
    node_health: Annotated[NodeHealth, Meta(description="when a node is lost, or left alone")] = NodeHealth()
    name: Annotated[str, Meta(min_length=1, description="name in headers and log; default host:port")] | None = None
    api_key: Annotated[str, Meta(description="sent as Bearer token; use ${ENV}")] | None = None
    command: (
        Annotated[
            str | list[str],
            Meta(
                description="starts the engine: a line that is split into words, or the words; no shell reads it. "
                "{port}, {model}, {name}, {context}, {total_context}, {slots} and {gpu_layers} are filled in",
                extra={"zh": "启动引擎的命令：一行（按词拆开），或词的列表；不经过 shell"},
            ),
        ]
        | None
    ) = None
    env: Annotated[
        dict[str, str], Meta(description="variables for the command, besides the gateway's; use ${ENV}")
    ] = {}
    directory: Annotated[str, Meta(min_length=1, description="folder in which the command runs")] | None = None
    sha256: (
        Annotated[Hash, Meta(description="what the model's file has to be, where the gateway has it loaded")] | None
    ) = None
    external: (
        Annotated[bool, Meta(description="true where requests leave this network; default: judged by the address")]
        | None
    ) = None
    forward_authorization: Annotated[bool, Meta(description="hand the client's own key on")] = False
    context: Annotated[Tokens, Meta(description="tokens one request may hold, where the engine cannot tell")] | None = (
        None
    )
    slots: Annotated[int, Meta(ge=1, le=256, description="requests at a time (embedded, command)")] | None = None
    limits: Annotated[Limits, Meta(description="what it may hold at a time")] = Limits()
    cost: Annotated[Cost, Meta(description="what an hour of its work costs")] = Cost()
    load: (
        Annotated[
            Load,
            Meta(
                description="when its model is in memory, where the gateway starts or steers the engine; default: always"
            ),
        ]
        | None
    ) = None
    threads: Annotated[int, Meta(ge=1, le=1024, description="CPU threads (embedded); default cores - 1")] | None = None
    gpu_layers: (
        Annotated[int, Meta(ge=0, description="layers on the GPU (embedded, command); default: all that fit")] | None
    ) = None
    port: Annotated[
        int, Meta(ge=0, le=65_535, description="port of an engine that the gateway starts; 0 picks a free one")
    ] = 0
    embedding: Annotated[bool, Meta(description="an embedding model (embedded)")] = False
    ca_file: (
        Annotated[str, Meta(min_length=1, description="PEM file of the authorities to trust; default: the system's")]
        | None
    ) = None
    keep_alive: Annotated[
        float, Meta(ge=0, le=3600, description="seconds that an idle connection is kept; below the server's own time")
    ] = 4.0
    connect_timeout: Annotated[float, Meta(gt=0, le=300, description="seconds to open a connection")] = 5.0
    first_byte_timeout: Annotated[
        float, Meta(gt=0, le=86_400, description="seconds until the first byte of a reply")
    ] = 300.0
    reply_timeout: Annotated[
        float,
        Meta(
            gt=0,
            le=86_400,
            description="seconds for a whole reply that is no stream, where the engine sends it at once",
        ),
    ] = 600.0
    idle_timeout: Annotated[float, Meta(gt=0, le=86_400, description="longest silence inside a reply, seconds")] = 120.0
    reset_cache: (
        Annotated[
            int,
            Meta(
                ge=1,
                le=1_000_000_000,
                description="after so many calls the engine forgets the prompts that it keeps "
                "(embedded, llamacpp, vllm); default: never",
            ),
        ]
        | None
    ) = None


class Model(Section, frozen=True):
    """A tier (light, medium, heavy) or a name of your own, and the backends that serve it, tried in this order."""

    backends: Annotated[list[Backend], Meta(min_length=1, description="the servers, in the order of trying")]
    aliases: Annotated[list[str], Meta(description="more names that clients may use")] = []


class Entry(Section, frozen=True):
    """A virtual model that a client names, and the pipeline behind it."""

    packs: Annotated[list[str] | None, Meta(description="rule packs of this entry; default: all")] = None
    arbiter: Annotated[str, Meta(description="off, embedded, or a model that arbitrates")] = "off"
    policy: (
        Annotated[
            str,
            Meta(
                min_length=1,
                description="weights under policy: by which targets are scored: interactive, batch or one of your own; "
                "default: no scores, routes and the fallback alone",
            ),
        ]
        | None
    ) = None
    keep_local: Annotated[bool, Meta(description="false lets requests reach external backends")] = True
    hint: Annotated[
        bool, Meta(description="tell in the header x-pointsman-hint that no rule took a request and a model has it")
    ] = False
    usage: Annotated[
        Literal["asked", "force"], Meta(description="force: streams end with usage even if the client did not ask")
    ] = "asked"
    cache: Annotated[
        Span | Cache | None,
        Meta(
            description="how long the reply to the very same request of the same caller is kept, or a mapping",
            extra={"zh": "同一调用者发来完全相同的请求时，回复保留多久（如 30s），或一个映射"},
        ),
    ] = None


class Rules(Section, frozen=True):
    """Rule packs (folders) and single rule files, relative to the config file. `builtin:NAME` is a pack that ships."""

    packs: Annotated[list[str], Meta(description="pack folders, or folders of pack folders, or builtin:NAME")] = (
        msgspec.field(default_factory=lambda: ["builtin:smalltalk"])
    )
    files: Annotated[
        list[str], Meta(description="rule files; each is a pack under its own name without the ending")
    ] = []


class RouteMatch(Section, frozen=True):
    """When a route takes a request. Token bounds count input tokens, inclusive."""

    max_tokens: Annotated[int, Meta(ge=0, description="at most this many input tokens")] | None = None
    min_tokens: Annotated[int, Meta(ge=0, description="at least this many input tokens")] | None = None
    task_type: Annotated[
        str | list[str] | None,
        Meta(
            description="one task type or several, declared or told from the text",
            extra={"zh": "一个或几个任务类型，声明的或从文本判定的"},
        ),
    ] = None
    language: Annotated[
        str | list[str] | None,
        Meta(description="language of the question: zh, en, other", extra={"zh": "问题的语言：zh、en、other"}),
    ] = None
    turns: Annotated[int, Meta(ge=1, description="at least this many user messages")] | None = None
    code: Annotated[bool | None, Meta(description="whether the question holds code")] = None
    tools: Annotated[bool | None, Meta(description="whether the request offers tools")] = None
    images: Annotated[bool | None, Meta(description="whether a message holds an image or another file")] = None
    brief: Annotated[bool, Meta(description="a short answer was asked for")] | None = None
    entry: Annotated[
        str | list[str] | None, Meta(description="entries whose requests it takes", extra={"zh": "接哪些入口的请求"})
    ] = None
    source: Annotated[
        str | list[str] | None,
        Meta(
            description="the program that asks, such as open-webui (header x-pointsman-source, or as it is recognised)",
            extra={"zh": "发起请求的程序，如 open-webui"},
        ),
    ] = None
    key: Annotated[
        str | list[str] | None,
        Meta(
            description="names of clients' keys; anonymous: without one",
            extra={"zh": "客户端密钥的名字；anonymous 指没有密钥"},
        ),
    ] = None
    group: Annotated[
        str | list[str] | None,
        Meta(description="groups of clients' keys", extra={"zh": "客户端密钥的分组"}),
    ] = None
    keywords: Annotated[
        str | list[str] | None,
        Meta(
            description="words, one of which stands in the question; case and width do not count, Latin ones are whole",
            extra={"zh": "问题里出现其中任意一个词；不分大小写和全半角，拉丁文按整词"},
        ),
    ] = None
    min_difficulty: (
        Annotated[float, Meta(ge=0, le=1, description="how likely it is, at least, that a small model is not enough")]
        | None
    ) = None
    max_difficulty: Annotated[float, Meta(ge=0, le=1, description="the same, at most")] | None = None


class Route(Section, frozen=True):
    """One line of routing; the lowest priority number that matches wins."""

    name: Annotated[str, Meta(min_length=1, description="shown in reasons")]
    target: Annotated[str, Meta(min_length=1, description="a tier, an alias or a model")]
    match: RouteMatch = RouteMatch()
    priority: Annotated[int, Meta(description="lowest first; among equals the one written first")] = 100


class Fallback(Section, frozen=True):
    """Where requests go that no route takes, and those whose target failed before a byte reached the client."""

    target: (
        Annotated[
            str,
            Meta(
                min_length=1,
                description="a tier, an alias or a model; default: medium, light, heavy, or the first there is",
            ),
        ]
        | None
    ) = None
    max_retries: Annotated[int, Meta(ge=0, le=10, description="further attempts after the first")] = 2


class Key(Section, frozen=True):
    """A client's key, kept as its SHA-256 (`pointsman keys new` makes both)."""

    name: Annotated[str, Meta(min_length=1, description="whose key it is; the caller in the log")]
    hash: Annotated[Hash, Meta(description="what is kept of the key")]
    role: Annotated[str, Meta(description="what rules see as role")] | None = None
    group: Annotated[str, Meta(description="what rules see as group: keys of one team, of one product")] | None = None
    admin: Annotated[
        bool, Meta(description="may reload the config from another machine, and change things in the console")
    ] = False
    console: (
        Annotated[
            Literal["read"],
            Meta(description="read: may look at the console, and at all requests there; changes nothing"),
        ]
        | None
    ) = None
    usage: Annotated[Literal["asked", "force"], Meta(description="overrides the entry's usage")] | None = None
    quota: Annotated[Quota, Meta(description="what it may ask for; default: auth.quota")] | None = None


class Auth(Section, frozen=True):
    """Keys. Loopback needs none; a public address without any is refused."""

    keys: Annotated[list[Key], Meta(description="clients' keys")] = []
    loopback: Annotated[
        Literal["open", "key"],
        Meta(
            description="key: clients on this machine need one too (behind a proxy that does not say for whom it speaks)"
        ),
    ] = "open"
    quota: Annotated[
        Quota, Meta(description="of each key without a quota of its own, and of all clients without a key together")
    ] = Quota()


class Log(Section, frozen=True):
    """What the record keeps of prompts, and how long."""

    prompts: Annotated[
        Literal["sealed", "off", "full"], Meta(description="sealed: encrypted at rest, key in data_dir")
    ] = "sealed"
    keep: Annotated[Span, Meta(description="how long a record is kept")] = "30d"
    rollups: Annotated[
        Span,
        Meta(description="how long sums of hours and days are kept, which hold no words; at least as long as records"),
    ] = "400d"
    store: (
        Annotated[
            PostgresUrl, Meta(description="a database of several gateways' log; default: log.sqlite in the data folder")
        ]
        | None
    ) = None


class Time(Section, frozen=True):
    """How words for time are read: see docs/time.md."""

    prefer: Annotated[
        Literal["past", "future"],
        Meta(description="a period without a year: past is the latest that has begun, future the nearest not yet over"),
    ] = "past"
    fiscal_year_start: Annotated[int, Meta(ge=1, le=12, description="the month in which fiscal years begin")] = 1


class Config(Section, frozen=True):
    """pointsman.yaml."""

    server: Server = Server()
    models: Annotated[dict[str, Model], Meta(description="tier or name → where it runs")] = {}
    entries: dict[str, Entry] = msgspec.field(default_factory=lambda: {"auto": Entry()})
    rules: Rules = Rules()
    questions: Questions = Questions()
    time: Time = Time()
    routes: list[Route] = []
    fallback: Fallback = Fallback()
    sources: Annotated[dict[str, Source], Meta(description="name → where the rows of reports come from")] = {}
    reports: Annotated[dict[str, Report], Meta(description="name → a report that rules can make")] = {}
    templates: Annotated[dict[str, Template], Meta(description="name → how reports look, and for whom")] = {}
    files: Annotated[Files, Meta(description="the files that reports become")] = Files()
    jobs: Jobs = Jobs()
    store: (
        Annotated[
            str,
            Meta(
                min_length=1,
                description="where jobs are kept: sqlite:///path, redis://…, rediss://…, redis+cluster://…; "
                "default: jobs.sqlite in the data folder",
            ),
        ]
        | None
    ) = None
    delivery: Annotated[
        dict[str, Channel], Meta(description="name → to whom what was made can be sent, by e-mail or webhook")
    ] = {}
    schedules: Annotated[dict[str, Schedule], Meta(description="name → what is asked at set times")] = {}
    guards: Guards = Guards()
    actions: Annotated[
        dict[str, ActionConfig], Meta(description="name → what a rule, a path or a job can have done")
    ] = {}
    mcp_servers: Annotated[
        dict[str, McpServer], Meta(description="name → an MCP server whose tools actions may use")
    ] = {}
    auth: Auth = Auth()
    console: Console = Console()
    log: Log = Log()
    telemetry: Telemetry = Telemetry()
    policy: Annotated[
        dict[str, Weighting],
        Meta(description="name → what quality, latency and cost weigh; interactive and batch ship"),
    ] = {}
    quality: QualityTable = QualityTable()
    classifier: Classifier = Classifier()
    arbiter: Arbiter = Arbiter()
    admission: Admission = Admission()
    memory: Memory = Memory()
    registry: Registry = Registry()


TIERS = ("light", "medium", "heavy")
TIER_ALIASES = {f"model-{tier}": tier for tier in TIERS}


def parse_size(text: str) -> int:
    """Bytes of a Size such as 32MB (powers of 1024)."""
    digits = text.rstrip("BKMG ")
    return int(digits) * {"B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}[text[len(digits) :].strip()]


def parse_span(text: str) -> float:
    """Seconds of a Span such as 30d."""
    return int(text[:-1]) * {"s": 1, "m": 60, "h": 3600, "d": 86_400}[text[-1]]
