"""What a client asked, read once at the door and never changed after."""

from __future__ import annotations

from typing import Literal

import msgspec

Endpoint = Literal["chat", "completions", "embeddings", "rerank", "tool"]
"""`tool`: an action that a client named itself, over MCP; it has no turns, and no rule looks at it."""


class Turn(msgspec.Struct, frozen=True, gc=False):
    """One message of the conversation. `text` joins the text parts of the content with newlines."""

    role: str
    text: str
    images: int = 0
    tool_calls: bool = False


class Request(msgspec.Struct, frozen=True):
    """A request in the gateway's own terms, the same for every dialect.

    `model` is what the client named: an entry, a tier, an alias or a model. `now` is when it came, seconds since the
    epoch. `user` is whom a client's own users are told apart by, `source` the program that asks. `structured` is true
    when the reply must be machine-readable (JSON mode, grammar, log probabilities, more than one choice): no canned text
    fits then. `files` are those that came with the last message: names by which an action gets them. `traceparent` is the
    client's place in a trace, as it sent it.
    """

    id: str
    endpoint: Endpoint
    model: str
    turns: tuple[Turn, ...]
    stream: bool = False
    now: float = 0.0
    tools: bool = False
    tool_characters: int = 0
    structured: bool = False
    files: tuple[str, ...] = ()
    max_output: int | None = None
    task: str | None = None
    priority: str | None = None
    session: str | None = None
    user: str | None = None
    caller: str = "anonymous"
    caller_role: str | None = None
    caller_group: str | None = None
    source: str | None = None
    accept_language: str | None = None
    traceparent: str | None = None

    @property
    def question(self) -> str | None:
        """The user's own words: the last message, where the user wrote it. System messages after it are passed over;
        after an assistant's or a tool's message there is no question, so no rule fires twice in a tool loop."""
        for turn in reversed(self.turns):
            if turn.role in ("system", "developer"):
                continue
            return turn.text if turn.role == "user" else None
        return None

    @property
    def answered(self) -> str | None:
        """What the assistant said just before the question, or None on a first turn."""
        seen_user = False
        for turn in reversed(self.turns):
            if turn.role == "user" and not seen_user:
                seen_user = True
            elif turn.role == "assistant":
                return turn.text
        return None
