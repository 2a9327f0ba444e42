"""Work that runs apart from the gateway: in a process of its own, with limits, killed and waited for whatever happens."""

from pointsman.actions.child.children import Children
from pointsman.actions.child.cores import Cores, action_cores
from pointsman.actions.child.program import Finished
from pointsman.actions.child.work import Limits, Room, Work, limits_of

__all__ = ["Children", "Cores", "Finished", "Limits", "Room", "Work", "action_cores", "limits_of"]
