"""Pointsman (扳道工): an OpenAI-compatible gateway that puts hard rules first and models last."""

__version__ = "0.1.0"
