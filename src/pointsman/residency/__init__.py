"""Which models are in memory: what is loaded next, and what has to go for it. Pure."""
