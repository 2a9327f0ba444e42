"""The nouns of the gateway: frozen values that every stage takes and returns. Nothing here does input or output."""
