"""Several processes on one port: the hub, which listens and serves nothing, and the workers, which share the rest.

The hub owns what there must be once (the listening socket, embedded models, the reading of the config, places of
limits); a worker is the gateway of one process, with what it shares asked of the hub."""
