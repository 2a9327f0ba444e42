"""Values that are forgotten: one port (ports/ephemeral.py), several stores."""
