"""Whether what there is still suffices for what comes: signs that last, and what they mean in words."""
