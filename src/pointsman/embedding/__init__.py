"""The embedding model, in a process of its own that is there while it is wanted."""

from pointsman.embedding.installed import installed_digest, installed_model, other_than
from pointsman.embedding.process import E5

__all__ = ["E5", "installed_digest", "installed_model", "other_than"]
