"""Rule packs that ship: one folder a pack, with `pack.yaml` (name, version, guard, summary) and `rules.yaml`."""
