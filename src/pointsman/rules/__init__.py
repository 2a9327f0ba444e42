"""L0: hard rules, decided on the CPU in microseconds. Pure: nothing here reads a clock, a file or a network.

`parse_rules` turns plain objects into `Rule`s, `compile_rules` those into a `RuleSet`, `RuleSet.match` decides."""

from pointsman.rules.cases import RanCase, failed_cases, missing_cases, run_cases
from pointsman.rules.compile import compile_rules, no_pause
from pointsman.rules.match import RuleSet
from pointsman.rules.parse import duplicate_ids, parse_rules
from pointsman.rules.slots import fill, slot_values

__all__ = [
    "RanCase",
    "RuleSet",
    "compile_rules",
    "duplicate_ids",
    "failed_cases",
    "fill",
    "missing_cases",
    "no_pause",
    "parse_rules",
    "run_cases",
    "slot_values",
]
