"""Recorded twins of the engines: see README.md."""

from twins.twin import Fault, Received, Recording, Twin

__all__ = ["Fault", "Received", "Recording", "Twin"]
