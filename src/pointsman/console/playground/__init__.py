"""A chat with the gateway as any client has it, and the way of each reply beside it."""
