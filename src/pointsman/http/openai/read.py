"""OpenAI request bodies → domain requests. Unknown fields are nobody's business here: they travel on untouched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pointsman.domain.errors import PointsmanError, did_you_mean
from pointsman.domain.request import Endpoint, Request, Turn
from pointsman.domain.said import Said, said
from pointsman.domain.task_types import TASK_TYPES
from pointsman.http.exchange import Client
from pointsman.http.openai.attached import refs_in

_ROLES = ("system", "developer", "user", "assistant", "tool", "function")
_SOME_MESSAGES = Said("must be a list with at least one message", "必须是列表，其中至少有一条消息")
_SOME_DOCUMENTS = Said("must be a list with at least one document", "必须是列表，其中至少有一篇文档")
_A_LIST = Said("must be a list", "必须是列表")
_A_MODEL = Said("must name an entry, a tier, an alias or a model", "必须是入口、档位、别名或模型的名字")
_A_MESSAGE = Said("must be an object with role and content", "必须是带有 role 和 content 的对象")
_A_ROLE = said("must be one of {roles}", "必须是下列之一：{roles}", roles=", ".join(_ROLES))
_A_CONTENT = Said("must be text or a list of parts", "必须是文本或由各部分组成的列表")
_A_TYPE = Said("must be text, image_url, input_audio, …", "必须是 text、image_url、input_audio 等")
_KINDS: dict[type, Said] = {
    type(None): Said("nothing", "无"),
    str: Said("text", "文本"),
    bool: Said("true/false", "布尔值"),
    list: Said("a list", "列表"),
    dict: Said("an object", "对象"),
}
_READ = frozenset(
    (
        b"x-pointsman-priority",
        b"x-pointsman-session",
        b"x-pointsman-source",
        b"x-pointsman-task",
        b"x-openwebui-chat-id",
        b"x-openwebui-user-id",
        b"traceparent",
    )
)
"""Headers that say something of the request, beside those that every client sends."""
Header = Callable[[bytes], str | None]
"""The value of one of them."""
_LONGEST_TRACE = 256
"""Characters of a traceparent; a longer one is none."""
_STRUCTURED = frozenset(
    (
        "grammar",
        "json_schema",
        "guided_json",
        "guided_regex",
        "guided_choice",
        "guided_grammar",
        "structured_outputs",
        "format",
    )
)


def read_chat(tree: dict[str, Any], client: Client, default_model: str) -> Request:
    """Raises PointsmanError (400) that names the field."""
    turns = read_messages(tree.get("messages"))
    tools, characters = read_tools(tree)
    files = refs_in(tree["messages"]) if turns[-1].images else ()
    return _request(tree, client, "chat", turns, default_model, _structured(tree), tools, characters, files)


def read_messages(messages: Any) -> tuple[Turn, ...]:
    """Raises PointsmanError (400) that names the message and the field."""
    if not isinstance(messages, list) or not messages:
        raise _wrong("messages", _SOME_MESSAGES, messages)
    return tuple([_turn(message, index) for index, message in enumerate(messages)])


def read_tools(tree: dict[str, Any]) -> tuple[bool, int]:
    """Whether there are tools, and the characters of their definitions. Raises PointsmanError (400)."""
    for name in ("tools", "functions"):
        if tree.get(name) is not None and not isinstance(tree[name], list):
            raise _wrong(name, _A_LIST, tree[name])
    tools = tree.get("tools") or tree.get("functions")
    return (True, sum(map(_size, tools))) if tools else (False, 0)


def check_task(task: str, where: str) -> None:
    """Raises PointsmanError (400) that lists the task types."""
    if task not in TASK_TYPES:
        hint = did_you_mean(task, list(TASK_TYPES))
        raise PointsmanError(
            said(
                "{where}: no task type {task!r}{hint}; valid: {valid}",
                "{where}：没有任务类型 {task!r}{hint}（可用的有：{valid}）",
                where=where,
                task=task[:100],
                hint=hint,
                valid=", ".join(TASK_TYPES),
            ),
            param=where,
        )


def read_completion(tree: dict[str, Any], client: Client, default_model: str) -> Request:
    """A prompt of text is a user's turn; lists of prompts and of token ids go to the model as they are."""
    prompt = tree.get("prompt")
    if not isinstance(prompt, (str, list)):
        raise _wrong("prompt", Said("must be text or a list", "必须是文本或列表"), prompt)
    turns = (Turn("user", prompt),) if isinstance(prompt, str) else (Turn("prompt", _flatten(prompt)),)
    structured = _structured(tree) or bool(tree.get("suffix") or tree.get("echo"))
    return _request(tree, client, "completions", turns, default_model, structured)


def read_embedding(tree: dict[str, Any], client: Client) -> Request:
    texts = tree.get("input")
    if isinstance(texts, list) and texts and all(isinstance(item, (int, list)) for item in texts):
        raise PointsmanError(
            Said(
                "`input` holds token ids, which mean something else to every model; send text instead "
                "(LangChain: OpenAIEmbeddings(check_embedding_ctx_length=False))",
                "`input` 里是 token 编号，而同一个编号在每个模型里含义都不同；请改为发送文本"
                "（LangChain：OpenAIEmbeddings(check_embedding_ctx_length=False)）",
            ),
            code="token_ids_not_supported",
            param="input",
        )
    if not texts or not (
        isinstance(texts, str) or (isinstance(texts, list) and all(isinstance(t, str) for t in texts))
    ):
        raise _wrong("input", Said("must be text or a list of texts, not empty", "必须是非空的文本或文本列表"), texts)
    form = tree.get("encoding_format")
    if form not in (None, "float", "base64"):
        raise _wrong("encoding_format", Said('must be "float" or "base64"', "必须是“float”或“base64”"), form)
    return _request(tree, client, "embeddings", (Turn("input", _flatten(texts)),), None)


def read_rerank(tree: dict[str, Any], client: Client) -> Request:
    query, documents = tree.get("query"), tree.get("documents")
    if not isinstance(query, str) or not query:
        raise _wrong("query", Said("must be text, not empty", "必须是非空的文本"), query)
    if not isinstance(documents, list) or not documents:
        raise _wrong("documents", _SOME_DOCUMENTS, documents)
    return _request(tree, client, "rerank", (Turn("input", query), Turn("input", _flatten(documents))), None)


def _request(
    tree: dict[str, Any],
    client: Client,
    endpoint: Endpoint,
    turns: tuple[Turn, ...],
    default_model: str | None,
    structured: bool = False,
    tools: bool = False,
    tool_characters: int = 0,
    files: tuple[str, ...] = (),
) -> Request:
    """With what all endpoints share. Raises PointsmanError (400)."""
    model = tree.get("model", default_model)
    if not isinstance(model, str) or not model:
        raise _wrong("model", _A_MODEL, model)
    stream = tree.get("stream")
    if stream is not None and not isinstance(stream, bool):
        raise _wrong("stream", Said("must be true or false", "必须是 true 或 false"), stream)
    options = tree.get("stream_options")
    if options is not None and not isinstance(options, dict):
        raise _wrong("stream_options", Said("must be an object", "必须是对象"), options)
    limit = None
    for name in ("max_tokens", "max_completion_tokens"):
        value = tree.get(name)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
            raise _wrong(name, Said("must be a whole number", "必须是整数"), value)
        limit = limit if value is None else value
    header = client.header if not _READ.isdisjoint(client.fields) else _none
    traceparent = header(b"traceparent")
    return Request(
        id=client.request_id,
        endpoint=endpoint,
        model=model,
        turns=turns,
        stream=stream is True and endpoint in ("chat", "completions"),
        now=client.received,
        tools=tools,
        tool_characters=tool_characters,
        structured=structured,
        files=files,
        max_output=limit if limit is None or limit >= 0 else None,  # llama.cpp's -1: as long as it gets
        task=_task(tree, header),
        priority=header(b"x-pointsman-priority"),
        session=header(b"x-pointsman-session") or header(b"x-openwebui-chat-id"),
        user=_user(tree, header),
        caller=client.caller.name,
        caller_role=client.caller.role,
        caller_group=client.caller.group,
        source=_source(client, header),
        accept_language=client.header(b"accept-language"),
        traceparent=traceparent if traceparent is not None and len(traceparent) <= _LONGEST_TRACE else None,
    )


def _none(name: bytes) -> None:
    """None of the headers that are ours or Open WebUI's is there."""


def _user(tree: dict[str, Any], header: Header) -> str | None:
    user = header(b"x-openwebui-user-id") or tree.get("user")
    return user[:200] if isinstance(user, str) else None


def _source(client: Client, header: Header) -> str | None:
    """The program that asks, as it says itself, or else as its other headers tell: the first word of its User-Agent."""
    said = header(b"x-pointsman-source")
    if said:
        return said[:100].lower()
    if header(b"x-openwebui-user-id") or header(b"x-openwebui-chat-id"):
        return "open-webui"
    agent = client.header(b"user-agent")
    words = agent.replace("/", " ").split(None, 1) if agent else None
    return words[0][:100].lower() if words else None


def _task(tree: dict[str, Any], header: Header) -> str | None:
    task: Any = header(b"x-pointsman-task")
    where = "x-pointsman-task"
    metadata = tree.get("metadata")
    if task is None and isinstance(metadata, dict):
        where = "metadata.task_type" if "task_type" in metadata else "metadata.task"
        task = metadata.get("task_type", metadata.get("task"))
        if not isinstance(task, str):
            return None  # other people's metadata
    if task is None:
        return None
    check_task(task, where)
    return str(task)


def _turn(message: Any, index: int) -> Turn:
    if type(message) is dict and len(message) == 2:  # nearly all are of this form
        role, content = message.get("role"), message.get("content")
        if type(content) is str and role in _ROLES:
            return Turn(role, content)
    where = f"messages[{index}]"
    if not isinstance(message, dict):
        raise _wrong(where, _A_MESSAGE, message)
    role = message.get("role")
    if not isinstance(role, str) or role not in _ROLES:
        raise _wrong(f"{where}.role", _A_ROLE, role)
    content = message.get("content")
    calls = bool(message.get("tool_calls") or message.get("function_call"))
    if isinstance(content, str):
        return Turn(role, content, 0, calls)
    if content is None:
        if role in ("user", "system", "developer"):
            raise _wrong(f"{where}.content", _A_CONTENT, content)
        return Turn(role, "", 0, calls)
    if not isinstance(content, list):
        raise _wrong(f"{where}.content", _A_CONTENT, content)
    texts: list[str] = []
    images = 0
    for number, part in enumerate(content):
        if isinstance(part, str):
            texts.append(part)
            continue
        kind = part.get("type") if isinstance(part, dict) else None
        if not isinstance(kind, str):
            raise _wrong(f"{where}.content[{number}].type", _A_TYPE, kind)
        if kind in ("text", "input_text", "refusal"):
            text = part.get("text") if kind != "refusal" else part.get("refusal")
            if not isinstance(text, str):
                raise _wrong(f"{where}.content[{number}].text", Said("must be text", "必须是文本"), text)
            texts.append(text)
        else:
            images += 1
    return Turn(role, "\n".join(texts), images, calls)


def _structured(tree: dict[str, Any]) -> bool:
    form = tree.get("response_format")
    if isinstance(form, dict) and form.get("type") != "text":
        return True
    n = tree.get("n")
    if isinstance(n, int) and n > 1:
        return True
    if not _STRUCTURED.isdisjoint(tree) and any(tree.get(field) is not None for field in _STRUCTURED):
        return True
    return bool(tree.get("logprobs"))


def _flatten(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(map(_flatten, value))
    if isinstance(value, dict):
        return "\n".join(map(_flatten, value.values()))
    return str(value)


def _size(value: Any) -> int:
    """Characters of a tool definition, near enough to its JSON."""
    if isinstance(value, str):
        return len(value) + 2
    if isinstance(value, dict):
        return 2 + sum(len(key) + 4 + _size(item) for key, item in value.items())
    if isinstance(value, list):
        return 2 + sum(_size(item) + 1 for item in value)
    return 4


def _wrong(param: str, must: Said, got: Any) -> PointsmanError:
    if got == [] or got == "":
        shown: str = Said("an empty one", "空的")
    elif isinstance(got, str):
        shown = said('"{got}"', "“{got}”", got=got[:60])
    else:
        shown = _KINDS.get(type(got), str(got)[:60])
    text = said("{param} {must}; got {shown}", "{param} {must}；实际为：{shown}", param=param, must=must, shown=shown)
    return PointsmanError(text, param=param)
