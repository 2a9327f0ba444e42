"""A module that cannot be imported."""

raise RuntimeError("no licence for this machine")
