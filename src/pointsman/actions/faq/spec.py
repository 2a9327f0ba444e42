"""What an FAQ takes, and what is wrong with its file."""

from __future__ import annotations

from pointsman.actions.faq.read import read_entries
from pointsman.actions.specs import Surroundings, limited, takes
from pointsman.config.action_schema import ActionConfig
from pointsman.domain.action import QUESTION, ActionSpec
from pointsman.domain.errors import Problem, Problems


def spec_of(name: str, config: ActionConfig, surroundings: Surroundings) -> ActionSpec:
    """Raises Problems, each with its line of the file."""
    assert config.faq is not None
    _, problems = read_entries(surroundings.base / config.faq.file)
    if problems:
        path = f"actions.{name}.faq.file"
        raise Problems([problem if problem.where else Problem(path, problem.said) for problem in problems])
    question = {
        "type": "string",
        "minLength": 1,
        "description": "the question",
        "x-about": {"en": "the question", "zh": "问题"},
    }
    spec = ActionSpec(
        name=name,
        kind="faq",
        about={"en": "Answer from the FAQ.", "zh": "从常见问题中查找答案。"},
        parameters=takes({QUESTION: question}),
    )
    return limited(spec, config)
