"""Where facts come from. Each file looks at one thing, may block, and raises what goes wrong."""
