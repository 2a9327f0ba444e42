"""Protocols between the stages and the world: what the pipeline needs of a backend, a recorder and a clock."""
