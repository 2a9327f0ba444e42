"""OpenAI's dialect: requests into the gateway's terms, decisions and streams back into completions."""
