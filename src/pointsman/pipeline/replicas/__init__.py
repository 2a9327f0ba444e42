"""A target that several nodes serve: which of them gets a request is decided at the last moment."""
