"""Which of several nodes that serve the same target gets a request. Pure."""
