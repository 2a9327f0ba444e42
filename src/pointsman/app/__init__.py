"""The composition root: the only place where objects are wired."""
