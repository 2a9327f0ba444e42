"""OpenAI request bodies → domain requests. Unknown fields are nobody's business here: they travel on untouched."""

from __future__ import annotations

from typing import Any

from pointsman.domain.errors import PointsmanError, did_you_mean
from pointsman.domain.request import Endpoint, Request, Turn
from pointsman.domain.task_types import TASK_TYPES
from pointsman.http.exchange import Client

_ROLES = ("system", "developer", "user", "assistant", "tool", "function")
_STRUCTURED = (
    "grammar",
    "json_schema",
    "guided_json",
    "guided_regex",
    "guided_choice",
    "guided_grammar",
    "structured_outputs",
    "format",
)


def read_chat(tree: dict[str, Any], client: Client, default_model: str) -> Request:
    """Raises PointsmanError (400) that names the field."""
    return Request(
        turns=read_messages(tree.get("messages")),
        structured=_structured(tree),
        **read_tools(tree),
        **_shared(tree, client, "chat", default_model),
    )


def read_messages(messages: Any) -> tuple[Turn, ...]:
    """Raises PointsmanError (400) that names the message and the field."""
    if not isinstance(messages, list) or not messages:
        raise _wrong("messages", "must be a list with at least one message", messages)
    return tuple(_turn(message, index) for index, message in enumerate(messages))


def read_tools(tree: dict[str, Any]) -> dict[str, Any]:
    """The fields of a Request that tools set. Raises PointsmanError (400)."""
    for name in ("tools", "functions"):
        if tree.get(name) is not None and not isinstance(tree[name], list):
            raise _wrong(name, "must be a list", tree[name])
    tools = tree.get("tools") or tree.get("functions")
    return {"tools": bool(tools), "tool_characters": sum(map(_size, tools)) if tools else 0}


def check_task(task: str, where: str) -> None:
    """Raises PointsmanError (400) that lists the task types."""
    if task not in TASK_TYPES:
        hint = did_you_mean(task, list(TASK_TYPES))
        raise PointsmanError(f"{where}: no task type {task[:100]!r}{hint}; valid: {', '.join(TASK_TYPES)}", param=where)


def read_completion(tree: dict[str, Any], client: Client, default_model: str) -> Request:
    """A prompt of text is a user's turn; lists of prompts and of token ids go to the model as they are."""
    prompt = tree.get("prompt")
    if not isinstance(prompt, (str, list)):
        raise _wrong("prompt", "must be text or a list", prompt)
    turns = (Turn("user", prompt),) if isinstance(prompt, str) else (Turn("prompt", _flatten(prompt)),)
    structured = _structured(tree) or bool(tree.get("suffix") or tree.get("echo"))
    return Request(turns=turns, structured=structured, **_shared(tree, client, "completions", default_model))


def read_embedding(tree: dict[str, Any], client: Client) -> Request:
    texts = tree.get("input")
    if isinstance(texts, list) and texts and all(isinstance(item, (int, list)) for item in texts):
        raise PointsmanError(
            "`input` holds token ids, which mean something else to every model; send text instead "
            "(LangChain: OpenAIEmbeddings(check_embedding_ctx_length=False))",
            code="token_ids_not_supported",
            param="input",
        )
    if not texts or not (
        isinstance(texts, str) or (isinstance(texts, list) and all(isinstance(t, str) for t in texts))
    ):
        raise _wrong("input", "must be text or a list of texts, not empty", texts)
    form = tree.get("encoding_format")
    if form not in (None, "float", "base64"):
        raise _wrong("encoding_format", 'must be "float" or "base64"', form)
    return Request(turns=(Turn("input", _flatten(texts)),), **_shared(tree, client, "embeddings", None))


def read_rerank(tree: dict[str, Any], client: Client) -> Request:
    query, documents = tree.get("query"), tree.get("documents")
    if not isinstance(query, str) or not query:
        raise _wrong("query", "must be text, not empty", query)
    if not isinstance(documents, list) or not documents:
        raise _wrong("documents", "must be a list with at least one document", documents)
    return Request(
        turns=(Turn("input", query), Turn("input", _flatten(documents))), **_shared(tree, client, "rerank", None)
    )


def _shared(tree: dict[str, Any], client: Client, endpoint: Endpoint, default_model: str | None) -> dict[str, Any]:
    model = tree.get("model", default_model)
    if not isinstance(model, str) or not model:
        raise _wrong("model", "must name an entry, a tier, an alias or a model", model)
    stream = tree.get("stream")
    if stream is not None and not isinstance(stream, bool):
        raise _wrong("stream", "must be true or false", stream)
    options = tree.get("stream_options")
    if options is not None and not isinstance(options, dict):
        raise _wrong("stream_options", "must be an object", options)
    limit = None
    for name in ("max_tokens", "max_completion_tokens"):
        value = tree.get(name)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
            raise _wrong(name, "must be a whole number", value)
        limit = limit if value is None else value
    return {
        "id": client.request_id,
        "now": client.received,
        "endpoint": endpoint,
        "model": model,
        "stream": bool(stream) and endpoint in ("chat", "completions"),
        "max_output": limit,
        "task": _task(tree, client),
        "priority": client.header(b"x-pointsman-priority"),
        "session": client.header(b"x-pointsman-session") or client.header(b"x-openwebui-chat-id"),
        "user": _user(tree, client),
        "caller": client.caller.name,
        "caller_role": client.caller.role,
        "accept_language": client.header(b"accept-language"),
    }


def _user(tree: dict[str, Any], client: Client) -> str | None:
    user = client.header(b"x-openwebui-user-id") or tree.get("user")
    return user[:200] if isinstance(user, str) else None


def _task(tree: dict[str, Any], client: Client) -> str | None:
    task: Any = client.header(b"x-pointsman-task")
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
    where = f"messages[{index}]"
    if not isinstance(message, dict):
        raise _wrong(where, "must be an object with role and content", message)
    role = message.get("role")
    if not isinstance(role, str) or role not in _ROLES:
        raise _wrong(f"{where}.role", f"must be one of {', '.join(_ROLES)}", role)
    content = message.get("content")
    calls = bool(message.get("tool_calls") or message.get("function_call"))
    if isinstance(content, str):
        return Turn(role, content, 0, calls)
    if content is None:
        if role in ("user", "system", "developer"):
            raise _wrong(f"{where}.content", "must be text or a list of parts", content)
        return Turn(role, "", 0, calls)
    if not isinstance(content, list):
        raise _wrong(f"{where}.content", "must be text or a list of parts", content)
    texts: list[str] = []
    images = 0
    for number, part in enumerate(content):
        if isinstance(part, str):
            texts.append(part)
            continue
        kind = part.get("type") if isinstance(part, dict) else None
        if not isinstance(kind, str):
            raise _wrong(f"{where}.content[{number}].type", "must be text, image_url, input_audio, …", kind)
        if kind in ("text", "input_text", "refusal"):
            text = part.get("text") if kind != "refusal" else part.get("refusal")
            if not isinstance(text, str):
                raise _wrong(f"{where}.content[{number}].text", "must be text", text)
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
    return bool(tree.get("logprobs")) or any(tree.get(field) is not None for field in _STRUCTURED)


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


def _wrong(param: str, must: str, got: Any) -> PointsmanError:
    names: dict[type, str] = {type(None): "nothing", str: "text", bool: "true/false", list: "a list", dict: "an object"}
    shown = f'"{got[:60]}"' if isinstance(got, str) and got else names.get(type(got), str(got)[:60])
    if got == [] or got == "":
        shown = "an empty one"
    return PointsmanError(f"{param} {must}; got {shown}", param=param)
