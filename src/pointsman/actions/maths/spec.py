"""What `maths` takes."""

from __future__ import annotations

from pointsman.actions.specs import Surroundings, limited, takes
from pointsman.config.action_schema import ActionConfig
from pointsman.domain.action import QUESTION, ActionSpec

SECONDS = 10.0


def spec_of(name: str, config: ActionConfig, surroundings: Surroundings) -> ActionSpec:
    spec = ActionSpec(
        name=name,
        kind="maths",
        about={
            "en": "Computes expressions, equations, derivatives, integrals, limits, matrices, units and percentages.",
            "zh": "计算表达式、方程、导数、积分、极限、矩阵、单位换算和百分比。",
        },
        parameters=takes(
            {
                QUESTION: {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": 2000,
                    "description": "a calculation in words, plain signs or LaTeX",
                    "x-about": {"en": "the calculation", "zh": "要算的内容"},
                },
                "language": {
                    "enum": ["zh", "en", ""],
                    "default": "",
                    "description": "of the reply; default: the question's",
                    "x-about": {"en": "the language", "zh": "语言"},
                },
            }
        ),
        seconds=SECONDS,
        cpu_seconds=0.2,
    )
    return limited(spec, config)
