"""What a language model is asked as an arbiter, and how what it says is read: pure."""
