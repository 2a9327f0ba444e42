"""How good models are at kinds of tasks: a set of prompts with checkers, what models make of them, and the table of it."""
