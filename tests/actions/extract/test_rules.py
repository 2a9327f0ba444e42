"""What is read of passages without a model."""

from __future__ import annotations

from typing import Any

import pytest

from pointsman.actions.extract.by_rules import read
from pointsman.actions.extract.field import Field, field_of
from pointsman.actions.extract.found import passages_of
from pointsman.framing import chunks_of

SCHEMA: dict[str, dict[str, Any]] = {
    "steps": {"type": "array", "x-labels": ["解锁步骤", "steps"], "description": {"zh": "解锁步骤", "en": "the steps"}},
    "sla": {"type": "string", "x-kind": "duration", "x-labels": ["SLA", "处理时限", "response time"]},
    "phone": {"type": "string", "x-kind": "phone"},
    "owner": {"type": "string", "x-labels": ["负责人", "Owner"]},
    "copies": {"type": "integer", "x-labels": ["份数"], "maximum": 99},
    "state": {"type": "string", "enum": ["Open", "Closed"]},
    "mails": {"type": "array", "items": {"type": "string"}, "x-kind": "email"},
}
FIELDS: list[Field] = [field_of(name, schema, True, name) for name, schema in SCHEMA.items()]


def found(*contexts: str) -> dict[str, Any]:
    values = {
        name: [item.value for item in one.items] for name, one in read(FIELDS, passages_of(chunks_of(contexts))).items()
    }
    return {name: value if name in ("steps", "mails") else value[0] for name, value in values.items()}


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        (
            "账号锁定\n解锁步骤：\n1. 联系IT支持\n2. 提供工号验证\n\n处理时限：2小时内响应。电话 400-800-1234\n负责人是张三。份数：3",
            {
                "steps": ["联系IT支持", "提供工号验证"],
                "sla": "2小时内",
                "phone": "400-800-1234",
                "owner": "张三",
                "copies": 3,
            },
        ),
        (
            "Steps: call IT support; show your badge. SLA: within 2 hours (business days)\nOwner: Jane Doe\nstate: open",
            {
                "steps": ["call IT support", "show your badge"],
                "sla": "within 2 hours",
                "owner": "Jane Doe",
                "state": "Open",
            },
        ),
        (
            "## Steps\n\n- Call IT, ext. 8001\n- Show your badge\n\n## Response time\n2 hours\n\n| Owner | Jane |\n| copies | 3 |",
            {"steps": ["Call IT, ext. 8001", "Show your badge"], "sla": "2 hours", "owner": "Jane", "copies": 3},
        ),
        ("steps: 1) call IT 2) show badge, then wait", {"steps": ["call IT", "show badge, then wait"]}),
        ("steps: call IT, show badge and then wait", {"steps": ["call IT", "show badge and then wait"]}),
        ("解锁步骤是：联系IT，提供工号，然后等待", {"steps": ["联系IT", "提供工号", "等待"]}),
        ("**SLA**: 4h\n**Owner** : Bob", {"sla": "4h", "owner": "Bob"}),
        ("The desk reacts within 2 hours.", {"sla": "within 2 hours"}),
        ("写信到 a@b.com 或 c@d.com，a@b.com 优先", {"mails": ["a@b.com", "c@d.com"]}),
        # what cannot be told apart is left to a model
        ("[1] SLA: 2 hours\n[2] SLA: 4 hours", {}),
        ("[1] SLA: 2 hours\n[2] response time is 120 minutes", {"sla": "2 hours"}),
        ("within 2 hours; kept for 30 days", {}),
        # what is no value
        ("SLA: not 2 hours\nSLA：\nSLA是多少？\nOwner: \n份数: 300\nstate: unknown", {}),
        ("slab: 2\nOwners: x", {}),
        ("SLA: 2-4 hours", {}),
        ("Owner: " + "x" * 500, {}),
        ("", {}),
    ],
)
def test_what_rules_read(context: str, expected: dict[str, Any]) -> None:
    assert found(context) == expected


@pytest.mark.parametrize(
    "bit", ["SLA:", "SLA: 2 hours\n", "Owner: x\n", "steps:\n- a\n", "- a\n", "负责人是", "1 hour ", "no 5 ", "a@b.co "]
)
def test_hostile_passages_come_to_an_end(bit: str) -> None:
    found(bit * (100_000 // len(bit)))
