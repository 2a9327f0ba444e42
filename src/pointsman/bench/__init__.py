"""Measures of the gateway beside its peers, on this machine, over loopback. What serves requests never imports it.

One idea a file: `canned.py` what is asked and answered; `upstream.py` the engine that answers it; `subjects.py` what stands
in front of that engine; `processes.py` and `usage.py` run those and read what they use; `wrk.py` and `streams.py` are the
load; `relay.py`, `growth.py` and `deciding.py` put them in order; `results.py` keeps raw values, `tables.py` and
`plotting.py` show them."""
