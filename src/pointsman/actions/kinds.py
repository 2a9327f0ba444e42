"""All kinds of action, each in a package of its own: what it takes (`spec.py`), and what it does (`action.py`)."""

from __future__ import annotations

import importlib
from collections.abc import Callable

from pointsman.actions.specs import Surroundings
from pointsman.actions.tools import Tools
from pointsman.config.action_schema import ACTS, ActionConfig
from pointsman.domain.action import ActionSpec
from pointsman.ports.action import Action

SpecOf = Callable[[str, ActionConfig, Surroundings], ActionSpec]
Made = Callable[[ActionSpec, ActionConfig, Tools], Action]


def spec_of(kind: str) -> SpecOf:
    """What says what an action of that kind takes. It raises Problems, and NotNow."""
    assert kind in ACTS
    found: SpecOf = importlib.import_module(f"pointsman.actions.{kind}.spec").spec_of
    return found


def made_of(kind: str) -> Made:
    """What makes an action of that kind."""
    assert kind in ACTS
    found: Made = importlib.import_module(f"pointsman.actions.{kind}.action").made
    return found
