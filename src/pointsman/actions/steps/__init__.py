"""Actions one after the other: what each gave is there for those that follow."""
