"""The requests of the log decided again, by other weights or another config, in a process beside the gateway."""
