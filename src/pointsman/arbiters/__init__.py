"""Adapters of `ports.Arbiter`."""
