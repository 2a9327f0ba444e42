from __future__ import annotations

from pointsman.rules import compile_rules, failed_cases, parse_rules


def test_failing_cases_say_what_took_them() -> None:
    rules = parse_rules(
        [
            {
                "id": "export",
                "when": {"any": ["导出"], "role": "admin", "tools": True, "turn": {"min": 2}},
                "action": "x",
                "examples": ["导出报表", "下载报表", "导出发票"],
                "counter_examples": ["导出", "不要导出"],
            },
            {"id": "invoice", "when": {"any": ["发票"]}, "action": "y", "priority": 60},
        ],
        pack="p",
        source="rules.yaml",
    )
    assert [str(case.problem) for case in failed_cases(compile_rules(rules), rules)] == [
        "rules.yaml: rules.export.examples: '下载报表' is taken by no rule and should be by this one",
        "rules.yaml: rules.export.examples: '导出发票' is taken by rule invoice and should be by this one",
        "rules.yaml: rules.export.counter_examples: '导出' is taken by this rule and should not be",
    ]
