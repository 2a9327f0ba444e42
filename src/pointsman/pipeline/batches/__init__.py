"""Batches: a file of requests → a job for each of them → a file of replies."""
