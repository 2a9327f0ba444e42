"""Functions of installed packages as actions: entry points of the group `pointsman.actions`."""
