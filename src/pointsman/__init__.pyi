from pointsman.library import Explanation as Explanation
from pointsman.library import Outcome as Outcome
from pointsman.library import Reply as Reply
from pointsman.library import Rules as Rules
from pointsman.library import RulesError as RulesError
from pointsman.ports.plugin import Context as Context
from pointsman.ports.plugin import Result as Result

__version__: str
