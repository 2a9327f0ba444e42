"""What goes wrong when rules are read."""

from __future__ import annotations

from pointsman.domain.errors import Problems


class RulesError(Problems):
    """Everything that is wrong with the rules, at once: `problems`, each with file and line. The text is English; `said.zh`
    is the same in Chinese."""
