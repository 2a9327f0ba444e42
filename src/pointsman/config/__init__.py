"""The one schema of pointsman.yaml, and the reading of everything that a person writes: config, rule files, packs."""
