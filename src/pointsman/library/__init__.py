"""The rules (L0) for programs that are not the gateway: no server, no model, and the same decisions.

    from pointsman import Rules

    rules = Rules.load("rules.yaml", "builtin:smalltalk")
    outcome = rules.decide("how do I reset my password?")
    if outcome.taken: print(outcome.text)

`pointsman.library.asgi`, `.decorator` and `.langchain` put them before a web application, a function, a chain.
"""

from pointsman.library.errors import RulesError
from pointsman.library.explanation import Explanation
from pointsman.library.outcome import Outcome, Reply
from pointsman.library.rules import Rules

__all__ = ["Explanation", "Outcome", "Reply", "Rules", "RulesError"]
