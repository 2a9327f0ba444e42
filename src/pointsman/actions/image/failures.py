"""What a server that draws can answer besides pictures, said to the person who asked."""

from __future__ import annotations

import msgspec

from pointsman.domain.said import Said, said
from pointsman.ports.action import ActionFailed
from pointsman.ports.outbound import Answer, NotAnswered

_GPU = (b"out of memory", b"outofmemory", b"alloc failed", b"cudamalloc", b"not enough memory", b"insufficient memory")
_LOADING = (b"loading", b"not ready", b"warming up", b"no model loaded", b"model is not loaded")
_POLICY = (b"content_policy", b"moderation_blocked", b"safety system", b"content policy", b"nsfw")


class _Error(msgspec.Struct, frozen=True):
    code: str | int | None = None
    message: str | None = None


class _Shape(msgspec.Struct, frozen=True):
    """Of OpenAI (`error` an object), of the WebUI (`error` a name, `errors` or `detail` a text)."""

    error: _Error | str | None = None
    errors: str | None = None
    detail: str | list[object] | None = None


def not_answered(error: NotAnswered, name: str) -> ActionFailed:
    if error.kind == "timeout":
        en = "The picture was not finished in time. Please try again later, or ask for a smaller one."
        return ActionFailed(
            "timeout", Said(en, "图片没有在规定时间内画完。请稍后重试，或换小一些的尺寸。"), detail=error.message
        )
    en = "The server that draws ({name}) cannot be reached. It may be off; please try again later."
    zh = "画图服务（{name}）无法连接，可能没有启动。请稍后重试。"
    return ActionFailed("unreachable", said(en, zh, name=name), detail=error.message, again=True)


def too_large(most: int) -> ActionFailed:
    en, zh = (
        "The server gave more than the {most:,} bytes that are taken.",
        "画图服务返回的内容超过上限 {most:,} 字节。",
    )
    return ActionFailed("too_large", said(en, zh, most=most))


def broken_off() -> ActionFailed:
    en = "The server that draws broke off in the middle of its answer. Please try again."
    return ActionFailed("unreachable", Said(en, "画图服务的应答中途断开。请重试。"), again=True)


def no_picture(detail: str) -> ActionFailed:
    en = "The server that draws answered with something that is no picture. The details are in the log."
    return ActionFailed("bad_answer", Said(en, "画图服务返回的不是图片。详细原因已写入日志。"), detail=detail)


def not_fetched(detail: str) -> ActionFailed:
    en = "The server that draws gave a link to the picture that leads where it may not be fetched from, or to nothing."
    zh = "画图服务给出的图片链接不允许访问，或者没有内容。"
    return ActionFailed("bad_answer", Said(en, zh), detail=detail)


def blank() -> ActionFailed:
    en = "The server's filter kept the picture back: what came is black all over. Please describe something else."
    zh = "画图服务的内容过滤器拦下了这张图片：返回的是全黑画面。请换一个描述。"
    return ActionFailed("filtered", Said(en, zh), refused=True)


def no_words() -> ActionFailed:
    en = "Say what is to be in the picture: draw a lighthouse at night."
    return ActionFailed("no_prompt", Said(en, "请说明要画什么，例如：画一座夜里的灯塔。"), refused=True)


def long_words(most: int) -> ActionFailed:
    en, zh = "The description has more than {most:,} characters.", "描述超过了 {most:,} 个字符。"
    return ActionFailed("too_large", said(en, zh, most=most), refused=True)


def refused_answer(answer: Answer, name: str) -> ActionFailed:
    """Why a status is not 200, by status and by what the body says."""
    detail = f"status {answer.status}: {reason_of(answer.body)}"
    body = answer.body[:65_536].lower()
    status = answer.status
    if 300 <= status < 400:
        en, zh = "{name} sends calls elsewhere, which are not followed.", "{name} 要求转到别处，这里不跟随转向。"
        return ActionFailed(
            "setup", said(en, zh, name=name), detail=f"{detail} {answer.header('location') or ''}"[:300]
        )
    if status in (401, 403) and not any(words in body for words in _POLICY):
        en, zh = "{name} does not take the key that is set for it.", "{name} 不接受所配置的密钥。"
        return ActionFailed("setup", said(en, zh, name=name), detail=detail)
    if status < 500 and any(words in body for words in _POLICY):
        en, zh = "{name} does not draw that: its rules forbid it.", "{name} 拒绝画这个：它的内容规则不允许。"
        return ActionFailed("filtered", said(en, zh, name=name), detail=detail, refused=True)
    if any(words in body for words in _GPU):
        en = "The GPU has not enough memory for this picture. Please try again in a moment, or ask for a smaller one."
        zh = "显存不足，画不了这张图。请稍后重试，或换小一些的尺寸。"
        return ActionFailed("gpu_memory", Said(en, zh), detail=detail, again=True)
    if status == 503 or (status >= 500 and any(words in body for words in _LOADING)):
        en, zh = (
            "{name} is still loading its model. Please try again in a minute.",
            "{name} 正在加载模型。请一分钟后重试。",
        )
        return ActionFailed("loading", said(en, zh, name=name), detail=detail, again=True)
    if status == 429:
        en, zh = "{name} is busy. Please try again in a moment.", "{name} 正忙。请稍后重试。"
        return ActionFailed("busy", said(en, zh, name=name), detail=detail, again=True)
    if status in (404, 405):
        en = "{name} has no such model, or does not draw at this address. The details are in the log."
        zh = "{name} 没有这个模型，或该地址不提供画图接口。详细原因已写入日志。"
        return ActionFailed("setup", said(en, zh, name=name), detail=detail)
    if status < 500:
        en, zh = "{name} refused the request. The details are in the log.", "{name} 拒绝了请求。详细原因已写入日志。"
        return ActionFailed("bad_answer", said(en, zh, name=name), detail=detail)
    en, zh = "{name} failed. The details are in the log.", "{name} 出错了。详细原因已写入日志。"
    return ActionFailed("bad_answer", said(en, zh, name=name), detail=detail, again=True)


def reason_of(body: bytes) -> str:
    """What the server says of itself, one line."""
    try:
        shape = msgspec.json.decode(body[:65_536], type=_Shape)
    except (msgspec.DecodeError, msgspec.ValidationError):
        text = body[:200].decode("utf-8", "replace")
    else:
        error = shape.error.message if isinstance(shape.error, _Error) else shape.error
        detail = shape.detail if isinstance(shape.detail, str) else None
        text = ": ".join(part for part in (error, shape.errors or detail) if part)
    return " ".join(text.split())[:300] or "no reason given"
