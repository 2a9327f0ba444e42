"""Who may ask: keys, what each may and has used; and a new one, written into the config."""
