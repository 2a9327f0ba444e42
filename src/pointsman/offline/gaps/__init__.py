"""What neither a rule nor the arbiter settled, in heaps of questions that are alike."""
