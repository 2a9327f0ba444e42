"""What the log tells its owner, computed apart from serving: what rules are worth, and which are missing."""
