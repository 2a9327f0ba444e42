"""The gate under load: a real engine with little room, arrivals of a real service, and what becomes of each request."""
