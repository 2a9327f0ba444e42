"""Each file judges one thing: `judge` takes the facts that it needs, and reads nothing else."""
