"""What can be proved of a whole policy without asking anybody: rules that take nothing, that others hide, that meet;
keywords and names that do nothing. Pure. Each claim is either a proof or comes with a request that the engine was asked
about."""

from pointsman.rulecheck.check import Report, check_rules
from pointsman.rulecheck.dangling import Names
from pointsman.rulecheck.finding import SEVERITY, Finding, Severity, Witness

__all__ = ["SEVERITY", "Finding", "Names", "Report", "Severity", "Witness", "check_rules"]
