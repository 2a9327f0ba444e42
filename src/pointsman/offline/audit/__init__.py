"""What each rule did in a period of the log: one pass, bounded memory, every number with the requests behind it."""
