"""The request log in PostgreSQL: the same rows, which several gateways write."""
