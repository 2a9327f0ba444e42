"""Several models that take turns in memory: loads beside the fewest that could do, times beside the engine's own."""
