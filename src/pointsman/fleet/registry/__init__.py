"""Where nodes are found: one port (ports/registry.py), several registries."""
