"""Demo rule packs: one folder a pack, with `pack.yaml` (name, version, guard, summary) and `rules.yaml`."""
