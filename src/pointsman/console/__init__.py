"""The pages under /ui."""
