"""Rules tried out before they are published, in a process beside the gateway: `python -m
pointsman.offline.drafting.child` reads what it is asked on its input and says what it found on its output
(console/rules/told.py)."""
