"""Looking for what is wrong, on demand, in a process beside the gateway."""
