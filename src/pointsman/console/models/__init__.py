"""Which models are in memory, what they take of it, and an operator's word on that."""
