"""Requests of a given length, so many at once, to any server that speaks OpenAI's chat."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

from pointsman.cli.gateway_client import Client
from pointsman.domain.errors import PointsmanError
from pointsman.domain.said import said

REPLY = 16  # tokens of each reply
_WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
_PATIENCE = 600.0


def first_model(client: Client) -> str:
    """The name of the model that the server lists first. Raises Unreachable, PointsmanError."""
    status, data = client.send("GET", "/v1/models", None, {})
    try:
        return str(json.loads(data)["data"][0]["id"])
    except (ValueError, KeyError, IndexError, TypeError, RecursionError):
        raise PointsmanError(
            said(
                "{url}/v1/models names no model (status {status}): give --model NAME",
                "{url}/v1/models 没有给出模型（状态码 {status}）：请给出 --model NAME",
                url=client.base,
                status=status,
            )
        ) from None


def send_load(client: Client, model: str, tokens: int, sequences: int, begin: int) -> int:
    """Sends `sequences` requests at once, of about `tokens` tokens with their replies; no two prompts begin alike (`begin`
    numbers them), so that none is served from another's cache. The mean of the tokens that the server counted. Raises
    Unreachable, PointsmanError where one is refused."""
    with ThreadPoolExecutor(sequences) as pool:
        counts = list(pool.map(lambda at: _one(client, model, tokens, begin + at), range(sequences)))
    return round(sum(counts) / len(counts))


def _one(client: Client, model: str, tokens: int, number: int) -> int:
    words = [_WORDS[(number * 7 + at * at) % len(_WORDS)] for at in range(max(1, tokens - REPLY - 24))]
    prompt = f"{number} " + " ".join(words)
    body = {
        "model": model,
        "messages": [{"role": "user", "content": prompt}],
        "max_tokens": REPLY,
        "temperature": 0,
        "stream": False,
    }
    status, data = client.send(
        "POST",
        "/v1/chat/completions",
        json.dumps(body).encode(),
        {"content-type": "application/json"},
        seconds=_PATIENCE,
    )
    try:
        answer = json.loads(data)
        return int(answer["usage"]["prompt_tokens"]) + int(answer["usage"]["completion_tokens"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise PointsmanError(
            said(
                "a request of {tokens} tokens was answered with status {status}: {body}",
                "{tokens} 个 token 的请求得到状态码 {status}：{body}",
                tokens=tokens,
                status=status,
                body=data[:200].decode("utf-8", "replace"),
            )
        ) from None
