"""`bench l1`: what a model is worth as an arbiter, on this machine."""
