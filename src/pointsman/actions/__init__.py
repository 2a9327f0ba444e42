"""What a rule can do, besides answering."""
