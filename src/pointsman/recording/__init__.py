"""What is measured of a request while it passes, and what is kept of it."""
