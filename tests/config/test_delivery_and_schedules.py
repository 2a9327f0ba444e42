"""Mistakes in `delivery` and `schedules`: each with its place, and what is valid; in both languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from pointsman.app.build import build
from pointsman.config.load import load
from pointsman.domain.errors import Problem, Problems
from pointsman.domain.said import Said

BASE = """\
rules: {packs: [builtin:report-export], files: [rules.yaml]}
sources: {demo: {demo: true}}
models: {light: {backends: [{engine: openai, model: m, base_url: "http://127.0.0.1:9/v1"}]}}
actions: {sum: {maths: {}}, hello: {answer: hi}}
"""
MAIL = "host: smtp.example.com, from: r@example.com, to: [f@example.com]"
RULES = """
rules:
  - id: no_pictures
    when: {any: [画]}
    refuse: {why: 不画, instead: 写}
    examples: [画]
    counter_examples: [写]
    boundary: [{text: 书, takes: false}]
"""


def problems_of(folder: Path, text: str, rules: str = RULES) -> list[Problem]:
    (folder / "rules.yaml").write_text(rules, encoding="utf-8")
    path = folder / "pointsman.yaml"
    path.write_text(BASE + text, encoding="utf-8")
    try:
        build(load(path, {"server.data_dir": str(folder / "data")}, {}))
    except Problems as error:
        for problem in error.problems:
            assert (problem.where and "pointsman.yaml:" in problem.where) or "rules.yaml:" in str(problem.where)
            if isinstance(problem.message, Said):
                assert problem.message.zh != str(problem.message)
        return error.problems
    return []


@pytest.mark.parametrize(
    ("channel", "path", "says", "valid"),
    [
        ("{}", "", "how to deliver", "mail, or webhook"),
        (f"{{mail: {{{MAIL}}}, webhook: {{url: 'http://x.example', secret: 0123456789abcdef}}}}", "", "both", "mail"),
        (f"{{mail: {{{MAIL}, tls: ssl}}}}", ".mail.tls", "'ssl'", "starttls, tls, off"),
        (f"{{mail: {{{MAIL}, user: u}}}}", ".mail.password", "is missing", None),
        (f"{{mail: {{{MAIL}, password: p}}}}", ".mail.user", "is missing", None),
        (f"{{mail: {{{MAIL}, tls: 'off', user: u, password: p}}}}", ".mail.tls", "in the plain", "starttls, tls"),
        (f"{{mail: {{{MAIL}, ca_file: gone.pem}}}}", ".mail.ca_file", "no PEM file", None),
        (f"{{mail: {{{MAIL}, subject: '{{tittle}}'}}}}", ".mail.subject", 'did you mean "title"', "{title}"),
        (f"{{mail: {{{MAIL}, text: {{fr: salut}}}}}}", ".mail.text.fr", "no language", "zh, en"),
        (f"{{mail: {{{MAIL}, attach: big}}}}", ".mail.attach", "'big'", None),
        ("{mail: {host: 'a b', from: r@example.com, to: [f@example.com]}}", ".mail.host", "no host name", "smtp"),
        ("{mail: {host: 'a.b:25', from: r@example.com, to: [f@example.com]}}", ".mail.host", "in port", None),
        ("{mail: {host: h, from: nobody, to: [f@example.com]}}", ".mail.from", "no e-mail address", "finance@"),
        ("{mail: {host: h, from: r@example.com, to: [f@example.com, '财@x.com']}}", ".mail.to[1]", "plain ASCII", "@"),
        ("{mail: {host: h, from: r@example.com, to: []}}", ".mail.to", "must not be empty", None),
        ("{mail: {host: h, to: [f@example.com]}}", ".mail.from", "is missing", None),
        ("{webhook: {url: 'ftp://x.example', secret: 0123456789abcdef}}", ".webhook.url", "ftp", "http://HOST"),
        ("{webhook: {url: 'http://x.example/'}}", ".webhook.secret", "jobs.webhook_secret", None),
        ("{webhook: {url: 'http://x.example/', secret: 'whsec_!!!!!!!!!!!!!!!!'}}", ".webhook.secret", "no base64", None),
        (f"{{mail: {{{MAIL}}}, words: ['']}}", ".words[0]", "is empty", None),
        (f"{{mail: {{{MAIL}}}, word: [x]}}", ".word", 'did you mean "words"', "mail, webhook"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_channel(tmp_path: Path, channel: str, path: str, says: str, valid: str | None) -> None:
    [problem] = problems_of(tmp_path, f"delivery:\n  finance: {channel}\n")
    assert problem.path == f"delivery.finance{path}" and says in problem.message
    assert valid is None or valid in (problem.valid or "")


def test_a_word_means_one_channel(tmp_path: Path) -> None:
    [problem] = problems_of(
        tmp_path,
        f"delivery:\n  finance: {{mail: {{{MAIL}}}, words: [财务]}}\n  board: {{mail: {{{MAIL}}}, words: [Finance]}}\n",
    )
    assert problem.path == "delivery.board.words[0]" and "finance" in problem.message


def test_a_rule_names_a_channel_that_there_is(tmp_path: Path) -> None:
    rules = (
        RULES
        + """
  - id: weekly
    when: {any: [周报]}
    action: export_pdf
    parameters: {deliver: finanse}
    examples: [周报]
    counter_examples: [月报]
    boundary: [{text: 周, takes: false}]
"""
    )
    [problem] = problems_of(tmp_path, f"delivery:\n  finance: {{mail: {{{MAIL}}}}}\n", rules)
    assert problem.path == "rules.weekly.parameters.deliver" and 'did you mean "finance"' in problem.message
    assert problem.valid == "finance"


def test_a_reply_is_nothing_to_deliver(tmp_path: Path) -> None:
    rules = (
        RULES
        + """
  - id: greets
    when: {any: [你好]}
    action: hello
    parameters: {deliver: finance}
    examples: [你好]
    counter_examples: [再见]
    boundary: [{text: 你, takes: false}]
"""
    )
    [problem] = problems_of(tmp_path, f"delivery:\n  finance: {{mail: {{{MAIL}}}}}\n", rules)
    assert problem.path == "rules.greets.parameters.deliver" and "nothing that could be delivered" in problem.message


def test_where_links_lead_is_noted(tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text(RULES, encoding="utf-8")
    path = tmp_path / "pointsman.yaml"
    for server, noted in (("", True), ("server: {public_url: 'https://ai.example.com'}\n", False)):
        path.write_text(BASE + server + f"delivery:\n  finance: {{mail: {{{MAIL}}}}}\n", encoding="utf-8")
        notes = build(load(path, {"server.data_dir": str(tmp_path / "data")}, {})).notes
        assert any("server.public_url" in note for note in notes) is noted


ASK = "ask: 把上周销售报表导出为PDF"


@pytest.mark.parametrize(
    ("schedule", "path", "says", "valid"),
    [
        (f"{{cron: '0 8 * *', {ASK}}}", ".cron", "4 fields, not 5", "minute hour"),
        (f"{{cron: '00 08 * *', {ASK}}}", ".cron", "4 fields, not 5", "0 8 * * 1"),
        (f"{{cron: '0 25 * * 1', {ASK}}}", ".cron", "the hour", "0 8 * * 1"),
        (f"{{cron: '0 8 31 2 *', {ASK}}}", ".cron", "the day", "0 8 * * 1"),
        (f"{{cron: '0 8 * * 1', timezone: Asia/Shangai, {ASK}}}", ".timezone", 'did you mean "Asia/Shanghai"', "IANA"),
        ("{cron: '0 8 * * 1'}", "", "nothing of what to do", "ask, or action"),
        (f"{{cron: '0 8 * * 1', {ASK}, action: sum}}", "", "both", "ask, or action"),
        (f"{{cron: '0 8 * * 1', {ASK}, parameters: {{a: 1}}}}", ".parameters", "belong to an action", None),
        (f"{{cron: '0 8 * * 1', {ASK}, entry: aut}}", ".entry", 'did you mean "auto"', "auto"),
        (f"{{cron: '0 8 * * 1', {ASK}, as: {{key: ann}}}}", ".as.key", "no key", "none"),
        (f"{{cron: '0 8 * * 1', {ASK}, as: {{keys: ann}}}}", ".as.keys", 'did you mean "key"', "key, user, role"),
        (f"{{cron: '0 8 * * 1', {ASK}, deliver: [finanse]}}", ".deliver[0]", 'did you mean "finance"', "finance"),
        (f"{{cron: '0 8 * * 1', {ASK}, on_failure: [x]}}", ".on_failure[0]", "no channel", "finance"),
        (f"{{cron: '0 8 * * 1', {ASK}, missed: all}}", ".missed", "'all'", "once, skip"),
        ("{cron: '0 8 * * 1', action: summ}", ".action", 'did you mean "sum"', "report"),
        ("{cron: '0 8 * * 1', action: hello}", ".action", "is a reply", "sum"),
        ("{cron: '0 8 * * 1', action: sum, parameters: {x: 1}}", ".parameters", "x", None),
        ("{cron: '0 8 * * 1', action: report}", ".parameters", '"plan"', None),
        ("{cron: '0 8 * * 1', ask: 讲个故事}", ".ask", "would go to a model", "allow_model: true"),
        ("{cron: '0 8 * * 1', ask: 把销售报表导出为PDF}", ".ask", "asked back", "allow_model: true"),
        ("{cron: '0 8 * * 1', ask: 画一匹马}", ".ask", "refused", "allow_model: true"),
        ("{cron: '0 8 * * 1', ask: 讲个故事, enabled: false}", ".ask", "would go to a model", "allow_model: true"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_schedule(tmp_path: Path, schedule: str, path: str, says: str, valid: str | None) -> None:
    text = f"delivery:\n  finance: {{mail: {{{MAIL}}}}}\nschedules:\n  weekly: {schedule}\n"
    [problem] = problems_of(tmp_path, text)
    assert problem.path == f"schedules.weekly{path}" and says in str(problem.message)
    assert valid is None or valid in (problem.valid or "")


@pytest.mark.parametrize(
    "schedule",
    [
        f"{{cron: '0 8 * * 1', {ASK}, deliver: [finance], on_failure: [finance], as: {{user: u, role: r}}}}",
        "{cron: '0 8 * * 1', ask: 讲个故事, allow_model: true}",
        "{cron: '*/5 9-17 * * MON-FRI', action: sum, parameters: {question: 1+1}, timezone: Europe/Berlin}",
        "{cron: '0 8 1 * *', action: report, parameters: {plan: {report: sales, format: csv, "
        "period: {start: '2026-01-01', end: '2026-02-01', grain: month}}}}",
    ],
)
def test_what_is_sound(tmp_path: Path, schedule: str) -> None:
    text = f"delivery:\n  finance: {{mail: {{{MAIL}}}}}\nschedules:\n  weekly: {schedule}\n"
    assert [str(problem) for problem in problems_of(tmp_path, text)] == []


def test_a_broken_section_is_told_of_once(tmp_path: Path) -> None:
    schedule = f"{{cron: '0 8 * * 1', {ASK}, deliver: [finance]}}"
    text = f"delivery:\n  finance: {{mail: {{{MAIL}, port: many}}}}\nschedules:\n  w: {schedule}\n"
    [problem] = problems_of(tmp_path, text)
    assert problem.path == "delivery.finance.mail.port"


def test_a_secret_is_not_shown(tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text(RULES, encoding="utf-8")
    path = tmp_path / "pointsman.yaml"
    path.write_text(BASE + f"delivery:\n  finance: {{mail: {{{MAIL}, tls: 'off', user: u, password: '${{P}}'}}}}\n")
    with pytest.raises(Problems) as caught:
        build(load(path, {"server.data_dir": str(tmp_path / "data")}, {"P": "geheim"}))
    assert "geheim" not in str(caught.value)
