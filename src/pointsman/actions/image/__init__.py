"""Pictures from words, by a server that draws: Stable Diffusion WebUI, or one that speaks OpenAI's images."""
