"""Work that runs apart from the gateway: in a process of its own, with limits, killed and waited for whatever happens."""

from pointsman.actions.child.children import Children
from pointsman.actions.child.program import Finished
from pointsman.actions.child.work import Limits, Room, Work

__all__ = ["Children", "Finished", "Limits", "Room", "Work"]
