"""Every decision of the log made again under another policy: what moves, why, and what that will come to."""
