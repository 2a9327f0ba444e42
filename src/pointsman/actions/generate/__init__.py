"""A routed model's reply as a step."""
