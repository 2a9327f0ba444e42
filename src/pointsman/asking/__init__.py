"""How the gateway asks a person: a short question with numbered choices; how it is read back, and what was answered."""
