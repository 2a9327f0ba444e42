"""Learning from texts with whole numbers alone: the same texts give the same bytes on every machine, without any library."""
