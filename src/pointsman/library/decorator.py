"""Rules before a plain function: it is called for what no rule takes."""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, TypeVar

from pointsman.library.asking import check_circumstances
from pointsman.library.outcome import Reply
from pointsman.library.rules import Rules

if TYPE_CHECKING:
    from typing import Unpack

    from pointsman.library.asking import Circumstances

Function = TypeVar("Function", bound=Callable[..., Any])


def rules_first(
    rules: Rules,
    *,
    text: str | None = None,
    reply: Callable[[Reply], Any] = lambda reply: reply.text,
    **about: Unpack[Circumstances],
) -> Callable[[Function], Function]:
    """A decorator for functions, coroutine functions and (async) generators that get a user's text.

    `text` names the argument that holds it; default: the first one besides self and cls. `reply` makes what the function
    would have given (of a generator: its only piece) out of the rule's reply; default: its text. `about` are the
    circumstances of every call. An argument named `history` that the function has is the conversation before the text.
    Raises TypeError or ValueError for circumstances that are none."""

    check_circumstances(about)

    def decorate(function: Function) -> Function:
        signature = inspect.signature(function)
        argument = _argument(signature, text, getattr(function, "__qualname__", repr(function)))

        def asked(args: Any, kwargs: Any) -> tuple[str, Circumstances] | None:
            """The text of a call; None where it has none, and the function itself will say what is wrong."""
            try:
                bound = signature.bind(*args, **kwargs).arguments
            except TypeError:
                return None
            given = bound.get(argument)
            if not isinstance(given, str):
                return None
            history = bound.get("history")
            return given, (about if history is None else {**about, "history": history})

        def taken(args: Any, kwargs: Any) -> Reply | None:
            call = asked(args, kwargs)
            return rules.run(call[0], **call[1]) if call else None

        async def ataken(args: Any, kwargs: Any) -> Reply | None:
            call = asked(args, kwargs)
            return await rules.arun(call[0], **call[1]) if call else None

        wrapped: Callable[..., Any]
        if inspect.isasyncgenfunction(function):

            async def wrapped(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
                found = await ataken(args, kwargs)
                if found is not None:
                    yield reply(found)
                    return
                async with aclosing(function(*args, **kwargs)) as pieces:
                    async for piece in pieces:
                        yield piece

        elif inspect.iscoroutinefunction(function):

            async def wrapped(*args: Any, **kwargs: Any) -> Any:
                found = await ataken(args, kwargs)
                return await function(*args, **kwargs) if found is None else reply(found)

        elif inspect.isgeneratorfunction(function):

            def wrapped(*args: Any, **kwargs: Any) -> Iterator[Any]:
                found = taken(args, kwargs)
                if found is not None:
                    yield reply(found)
                    return
                yield from function(*args, **kwargs)

        else:

            def wrapped(*args: Any, **kwargs: Any) -> Any:
                found = taken(args, kwargs)
                return function(*args, **kwargs) if found is None else reply(found)

        return functools.wraps(function)(wrapped)  # type: ignore[return-value]

    return decorate


def _argument(signature: inspect.Signature, wanted: str | None, function: str) -> str:
    """Raises TypeError where the function has no such argument: when it is decorated, not when it is called."""
    names = [name for name in signature.parameters if name not in ("self", "cls")]
    if wanted is None and names:
        return names[0]
    if wanted not in names:
        valid = ", ".join(names) or "none"
        raise TypeError(f"{function} has no argument {wanted or 'for the text'!r} (it has: {valid})")
    return wanted
