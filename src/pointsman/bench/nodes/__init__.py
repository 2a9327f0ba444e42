"""`bench nodes`: several gateways before several nodes, beside an ideal central queue and round robin."""
