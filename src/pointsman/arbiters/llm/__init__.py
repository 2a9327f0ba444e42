"""A language model as an arbiter: it weighs a closed set of labels, and fills parameters in a closed form."""
