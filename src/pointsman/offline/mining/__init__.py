"""Rules that real questions suggest: frequent patterns with slots, told from the rest of the traffic."""
