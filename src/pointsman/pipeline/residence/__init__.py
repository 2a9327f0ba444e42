"""Models that come and go: what residency/ decides is carried out, and what is known of it is told."""
