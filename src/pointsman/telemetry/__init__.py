"""Metrics and the operator's log, both made from what the stages report."""
