"""Local model processes: the embedded llama.cpp of each model, started, watched, restarted and ended with the gateway.

Nothing here imports xllamacpp into the gateway's own process: its library is 100 MB, and one process per model is what
gives memory back."""
