"""The embedding model, in a process of its own that is there while it is wanted."""

from pointsman.embedding.process import E5, installed_model

__all__ = ["E5", "installed_model"]
