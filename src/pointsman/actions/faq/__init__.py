"""Answers that somebody wrote: the entry closest to a question, or what came near."""
