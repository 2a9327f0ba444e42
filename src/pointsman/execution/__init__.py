"""Carrying out a decision: attempts at targets in turn, until the first byte of a good reply."""
