"""What an audit means: which rules are worth their place, and what to do with the others."""
