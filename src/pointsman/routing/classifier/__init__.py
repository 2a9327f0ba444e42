"""What a text asks for and how hard that is, told from its spelling: models that ship, or that a user trained."""
