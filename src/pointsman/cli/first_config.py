"""The text of a first pointsman.yaml: what was found on the machine, and the rest as comments to take up."""

from __future__ import annotations

import json
from collections.abc import Iterable

import yaml

from pointsman.app.targets import BUILTIN
from pointsman.cli.tongue import Texts
from pointsman.config.rule_files import BUILTIN as PACKS
from pointsman.config.rule_files import OPT_IN, builtin_packs
from pointsman.config.schema import TIER_ALIASES, TIERS
from pointsman.domain.wording import INSTALL, Tongue
from pointsman.fleet.discover import Found, FoundEngine, FoundModel

REPORT_PACK = "report-export"
_LAST = ("coder", "code", "vl", "vision", "math", "guard")  # in a name: made for something special, tried last
_OLLAMA_PORT = 11434
_TAKEN = {"auto", *TIERS, *TIER_ALIASES}


def tiers_of(found: Found) -> dict[str, list[tuple[FoundEngine, FoundModel]]]:
    """Chat models by tier, in the order of trying: general ones before special ones, then servers that hold one model
    before those that load on demand, then the larger first. Only tiers that got a model."""
    chats = [(engine, model) for engine in found.engines for model in engine.models if model.kind == "chat"]
    chats.sort(key=lambda pair: (_is_special(pair[1].name), _loads(pair[0]), -(pair[1].billions or 0)))
    tiers = {tier: [pair for pair in chats if pair[1].tier == tier] for tier in TIERS}
    return {tier: pairs for tier, pairs in tiers.items() if pairs}


def fallback_of(tiers: Iterable[str]) -> str | None:
    """medium before light before heavy."""
    there = set(tiers)
    return next((tier for tier in ("medium", "light", "heavy") if tier in there), None)


def write_config(found: Found, *, embedded: bool, reports: bool, tongue: Tongue) -> str:
    """YAML that `pointsman check` accepts. `embedded`: the builtin model is installed; `reports`: the report extra is."""
    tiers = tiers_of(found)
    demo = not found.engines
    parts = [
        _comment("head", tongue),
        _server(tongue),
        _models(found, tiers, embedded, tongue),
        _fallback([*tiers, *(["light"] if embedded else [])], tongue),
        _rules(tongue),
        _entries(sum(map(len, tiers.values())) + embedded, tongue),
        _comment("reports" if reports else "reports.missing", tongue)
        + ("sources: {demo: {demo: true}}\n" if demo else _off("sources: {demo: {demo: true}}\n"))
        + _comment("reports.own", tongue)
        + _off(EXAMPLES["reports"]),
        _comment("routes", tongue) + _off(EXAMPLES["routes"]),
        _comment("auth", tongue) + _off(EXAMPLES["auth"]),
        _comment("log", tongue) + _off(EXAMPLES["log"]),
    ]
    return "\n".join(parts)


def _server(tongue: Tongue) -> str:
    zone = _off("  timezone: Asia/Shanghai", say("server.timezone", tongue))
    return (
        "server:\n"
        f"  host: 127.0.0.1    # {say('server.host', tongue)}\n"
        "  port: 8900\n"
        f"  language: {tongue}       # {say('server.language', tongue)}\n"
        f"{zone}"
    )


def _models(
    found: Found, tiers: dict[str, list[tuple[FoundEngine, FoundModel]]], embedded: bool, tongue: Tongue
) -> str:
    lines = [_comment("models", tongue).rstrip("\n")]
    builtin = f"      - {{engine: embedded, model: {_quoted(BUILTIN)}}}    # {say('models.builtin', tongue)}"
    embeddings = [(e, m) for e in found.engines for m in e.models if m.kind == "embedding" and m.name not in _TAKEN]
    if not tiers and not embedded:
        lines += [_comment("models.none", tongue, install=INSTALL).rstrip("\n")]
        lines += [_off(EXAMPLES["models"]).rstrip("\n")]
    if tiers or embedded or embeddings:
        lines.append("models:")
    for tier in TIERS:
        backends = [_backend(engine, model, tongue) for engine, model in tiers.get(tier, [])]
        if tier == "light" and embedded:
            backends.append(builtin)
        if backends:
            lines += [f"  {tier}:", "    backends:", *backends]
    for engine, model in {pair[1].name: pair for pair in reversed(embeddings)}.values():
        lines += [f"  {_quoted(model.name)}:    # {say('models.embedding', tongue)}", "    backends:"]
        lines.append(_backend(engine, model, tongue))
    for engine in found.engines:
        if adapters := [m.name for m in engine.models if m.kind == "adapter"]:
            lines.append(f"  # {say('models.adapters', tongue, engine=engine.label, names=', '.join(adapters))}")
        if remote := [m for m in engine.models if m.kind == "remote"]:
            lines += [f"  # {line}" for line in say("models.remote", tongue, engine=engine.label).split("\n")]
            lines += [f"  # {_backend(engine, m, tongue, external=True).strip()}" for m in remote]
    return "\n".join(lines) + "\n"


def _backend(engine: FoundEngine, model: FoundModel, tongue: Tongue, *, external: bool = False) -> str:
    fields = [f"engine: {engine.engine}"]
    if not (engine.engine == "ollama" and engine.port == _OLLAMA_PORT):
        fields.append(f"base_url: {engine.base_url}")
    fields.append(f"model: {_quoted(model.name)}")
    if external:
        fields.append("external: true")
    size = f"{model.billions:.3g} B" if model.billions else say("models.unknown", tongue)
    context = say("models.context", tongue, tokens=model.context) if model.context else ""
    label = f"{engine.label}; " if engine.engine == "openai" else ""
    return f"      - {{{', '.join(fields)}}}    # {label}{size}{context}"


def _fallback(tiers: list[str], tongue: Tongue) -> str:
    target = fallback_of(tiers)
    if target is None:
        return _comment("fallback", tongue) + _off("fallback: {target: medium, max_retries: 2}\n")
    return _comment("fallback", tongue) + f"fallback: {{target: {target}, max_retries: 2}}\n"


def _entries(models: int, tongue: Tongue) -> str:
    """With a policy where there is a choice of models."""
    if models < 2:
        return _comment("arbiter", tongue) + "entries:\n  auto: {arbiter: embedded}\n" + _off(EXAMPLES["arbiter"])
    return (
        _comment("policy", tongue)
        + _comment("arbiter", tongue)
        + "entries:\n  auto: {arbiter: embedded, policy: interactive}\n"
        + _off(EXAMPLES["policy"])
        + _off(EXAMPLES["arbiter"])
    )


def _rules(tongue: Tongue) -> str:
    lines = [_comment("rules", tongue).rstrip("\n"), "rules:", "  packs:"]
    for name in builtin_packs():
        head = yaml.safe_load((PACKS / name / "pack.yaml").read_text(encoding="utf-8"))
        lines.append(f"    # {head['summary'][tongue]}")
        lines.append(f"    {'# ' if name in OPT_IN else ''}- builtin:{name}")
    lines.append(_off("  files: [./rules.yaml]", say("rules.files", tongue)).rstrip("\n"))
    return "\n".join(lines) + "\n"


def _is_special(name: str) -> bool:
    return any(word in name.lower() for word in _LAST)


def _loads(engine: FoundEngine) -> bool:
    return engine.label in ("Ollama", "LM Studio")


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _off(text: str, comment: str = "") -> str:
    """Lines of YAML as comments, which `# ` stands before."""
    end = f"    # {comment}" if comment else ""
    return "".join(f"# {line}{end}\n" for line in text.rstrip("\n").split("\n"))


def _comment(key: str, tongue: Tongue, **slots: object) -> str:
    return "".join(f"# {line}\n" for line in say(key, tongue, **slots).split("\n"))


def say(key: str, tongue: Tongue, **slots: object) -> str:
    return _TEXTS[key][tongue].format(**slots)


EXAMPLES = {
    "models": """\
models:
  medium: {backends: [{engine: ollama, model: "qwen2.5:7b"}]}
  heavy: {backends: [{engine: vllm, base_url: http://127.0.0.1:8000/v1, model: qwen2.5-32b}]}
""",
    "reports": """\
sources:
  shop: {url: "postgresql+pg8000://reader:${SHOP_PASSWORD}@127.0.0.1:5432/shop"}
reports:
  sales:
    source: shop
    table: orders
    time: ordered_at
    title: {zh: 销售报表, en: Sales report}
    words: [销售, sales]
    measures:
      amount: {title: {zh: 销售额, en: Sales}, decimals: 2, unit: {zh: 元, en: CNY}}
      orders: {title: {zh: 订单数, en: Orders}, aggregate: count}
    dimensions:
      region:
        title: {zh: 地区, en: Region}
        values:
          - {value: 华东, words: [华东区, East China]}
          - {value: 华北, words: [华北区, North China]}
    group_by: [region]
    default: true
""",
    "arbiter": """\
arbiter:
  intents:
    password_reset:
      about: {zh: 重置密码, en: Reset a password}
      examples: [忘记密码了, 密码怎么改, 登录密码不记得了, I forgot my password, please reset my password]
      target: light
""",
    "policy": """\
policy:
  interactive: {quality: 1, latency: 0.3, cost: 0.1}
  batch: {quality: 1, latency: 0, cost: 0.3}
""",
    "routes": """\
routes:
  - name: "simple_qa"
    match:
      max_tokens: 200
      task_type: ["greeting", "faq", "classification"]
    target: "model-light"
    priority: 1
  - name: "complex_reasoning"
    match:
      min_tokens: 2000
      task_type: ["analysis", "multi_step", "long_context"]
    target: "model-heavy"
    priority: 2
""",
    "auth": """\
auth:
  keys:
    - {name: dify, hash: "sha256:…"}
""",
    "log": "log: {prompts: sealed, keep: 30d}\n",
}

_TEXTS: Texts = {
    "head": {
        "zh": "Pointsman 的配置，由 pointsman init 生成。全部选项见 docs/config.md。去掉行首的“# ”即启用该行。\n"
        "改完先运行 pointsman check；运行中的网关用 kill -HUP 或 POST /admin/reload 重新读取，有错则继续用旧配置。",
        "en": "Pointsman's config, written by `pointsman init`. Every key: docs/config.md. Take `# ` off to use a line.\n"
        "After a change run `pointsman check`. A running gateway reads this file again at kill -HUP or\n"
        "POST /admin/reload; with a mistake in it, the old one stays.",
    },
    "server.host": {
        "zh": "改成 0.0.0.0 可供其他机器访问，须先在 auth 下配置密钥",
        "en": "0.0.0.0 lets other machines in, and then needs a key under auth",
    },
    "server.language": {
        "zh": "请求看不出语言时，用它回复",
        "en": "of replies to requests that show no language",
    },
    "server.timezone": {
        "zh": "“昨天”“上周”按此时区计算；默认用本机时区",
        "en": 'what "yesterday" means; default: this machine\'s',
    },
    "models": {
        "zh": "模型跑在哪里。light、medium、heavy 三个档位（也可以用自定义的名字）；同一档里有多个后端时，按顺序尝试。",
        "en": "Which model runs where: the tiers light, medium and heavy, or names of your own. A tier with several\n"
        "backends tries them in this order.",
    },
    "models.none": {
        "zh": "没有发现正在运行的引擎，内置模型也没有安装：目前只有规则能回答。\n"
        "安装内置模型（装好后无需改配置）：\n  {install}\n"
        "或者启动一个引擎，再运行 pointsman init --force；也可以照下面的样子手写。",
        "en": "No engine was found running, and the embedded model is not installed: for now only rules answer.\n"
        "To install the embedded model, which then needs no line here:\n  {install}\n"
        "Or start an engine and run `pointsman init --force`, or write it by hand:",
    },
    "models.builtin": {
        "zh": "内置的玩具模型，随网关启动",
        "en": "the toy model that comes along, started by the gateway",
    },
    "models.unknown": {"zh": "参数量未知", "en": "size unknown"},
    "models.context": {"zh": "，上下文 {tokens}", "en": ", context {tokens}"},
    "models.embedding": {
        "zh": "向量或重排模型：请求时直接写这个名字",
        "en": "for embeddings or reranking: clients name it",
    },
    "models.adapters": {
        "zh": "{engine} 还提供 LoRA 适配器，需要时自行加入：{names}",
        "en": "{engine} also serves LoRA adapters, to be added where wanted: {names}",
    },
    "models.remote": {
        "zh": "{engine} 的云端模型不在本机运行，请求会离开本网。确需使用，把下面一行放到某一档的 backends 下，"
        "并在入口上设置 keep_local: false。",
        "en": "{engine}'s cloud models do not run here: requests would leave this network. Where that is wanted, put such\n"
        "a line under a tier's backends, and set keep_local: false on an entry.",
    },
    "arbiter": {
        "zh": "规则没接住的请求先由仲裁器听一听：属于哪个意图、有多大把握。\n"
        "导出报表等内置意图已经带上，自己的意图照下面写。"
        "见 docs/arbiter.zh-CN.md。",
        "en": "What no rule takes is put to the arbiter: which intent is it, and how sure is that?\n"
        "Those for reports and other actions come along; your own look like this. See docs/arbiter.md.",
    },
    "policy": {
        "zh": "policy：没有规则和路由接住的请求，按质量、延迟、成本给各个模型评分，得分最高的接。"
        "见 docs/routing.zh-CN.md。",
        "en": "policy: what no rule and no route takes goes to the model with the best score of quality, latency and cost.\n"
        "See docs/routing.md.",
    },
    "fallback": {
        "zh": "规则和路由都没有接住的请求去哪里；max_retries 是首次失败后再试几次。",
        "en": "Where requests go that no rule and no route takes; max_retries counts attempts after the first.",
    },
    "rules": {
        "zh": "规则先于模型。builtin: 开头的规则包随网关提供，其余写包所在的文件夹。语法见 docs/rules.md。",
        "en": "Rules come before models. builtin: packs ship with the gateway; folders name your own. See docs/rules.md.",
    },
    "rules.files": {"zh": "自己的规则文件", "en": "your own rules"},
    "reports": {
        "zh": "报表：“把上周五销售报表导出为PDF”由规则直接生成文件。demo 是自动生成的一年销售数据。",
        "en": 'Reports: "export last Friday\'s sales report as PDF" becomes a file without a model. demo is a\n'
        "generated year of sales.",
    },
    "reports.missing": {
        "zh": "报表：“把上周五销售报表导出为PDF”由规则直接生成文件，需要 pip install 'pointsman[report]'。\n"
        "demo 是自动生成的一年销售数据。",
        "en": 'Reports: "export last Friday\'s sales report as PDF" becomes a file without a model; this needs\n'
        "pip install 'pointsman[report]'. demo is a generated year of sales.",
    },
    "reports.own": {
        "zh": "自己的数据库（任何 SQLAlchemy URL，或 CSV、Parquet 文件夹），只写配置，不写代码：",
        "en": "Your own database (any SQLAlchemy URL, or a folder of CSV or Parquet), by config alone:",
    },
    "routes": {
        "zh": "路由：priority 小者优先，token 上下限都含边界；target 必须是 models 下已有的档位。",
        "en": "Routes: the lowest priority that matches wins, token bounds are inclusive; a target is a tier under models.",
    },
    "auth": {
        "zh": "密钥：本机访问不需要。用 pointsman keys new 名字 生成，这里只存哈希。",
        "en": "Keys: this machine needs none. `pointsman keys new NAME` makes one; only its hash stands here.",
    },
    "log": {
        "zh": "日志：sealed 加密保存提示词，off 不保存，full 明文保存。",
        "en": "The log keeps prompts sealed (encrypted), off (not at all) or full (in the clear).",
    },
}
