"""One gateway takes the place of another on the same port, and no client notices.

The one that serves listens on a Unix socket in the data folder (`giving.py`). The new one asks there for the listening
socket (`taking.py`), comes up beside it, takes connections, and says so; only then the old one takes no more, finishes
what is under way, and ends. Until then the old one serves on, whatever becomes of the new one."""
