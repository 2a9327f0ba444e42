"""Work that is kept until it is done: its list, one of it, and an operator's word on it."""
