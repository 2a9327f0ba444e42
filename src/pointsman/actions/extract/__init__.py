"""Answers of a set form, filled with what passages say and nothing else."""
