"""Routers on questions that several models answered: how much of the heavy model's worth they recover, by what it costs."""
