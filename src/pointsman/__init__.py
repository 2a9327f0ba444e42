"""Pointsman (扳道工): an OpenAI-compatible gateway that puts hard rules first and models last.

As a library: `from pointsman import Rules`, see docs/library.md; `Context` and `Result` are for functions that are actions,
see docs/actions.md. What these need is imported when it is first asked for.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"
__all__ = ["Context", "Explanation", "Outcome", "Reply", "Result", "Rules", "RulesError", "__version__"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'pointsman' has no attribute {name!r} (valid: {', '.join(__all__)})")
    home = "pointsman.ports.plugin" if name in ("Context", "Result") else "pointsman.library"
    found = globals()[name] = getattr(import_module(home), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
