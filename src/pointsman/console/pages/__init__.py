"""One page a file: what it asks of the gateway, and the routes to it."""
