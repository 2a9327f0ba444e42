"""What docs/arbiter.md and docs/admission.md show, in both languages: the configs load and mean what the pages say."""

from __future__ import annotations

from pathlib import Path

import yaml

from docs.pages import blocks, needs_docs, text_of
from pointsman.app.build import build
from pointsman.config.load import load

pytestmark = needs_docs


def test_the_config_loads(tmp_path: Path) -> None:
    config, roles = blocks(text_of("arbiter.md"), "yaml")
    data = yaml.safe_load(config)
    data["arbiter"]["intents"] |= yaml.safe_load(roles)
    data["actions"]["sql"] = {"sql": {}}
    data["models"] = {"light": {"backends": [{"engine": "ollama", "model": "m"}]}}
    path = tmp_path / "pointsman.yaml"
    path.write_text(yaml.safe_dump(data, allow_unicode=True), encoding="utf-8")
    rules = build(load(path, None, {})).policy.document.arbiter
    assert rules is not None and {"account_unlock", "apply_leave", "sql_review"} <= {i.name for i in rules.intents}
    assert (rules.gate, rules.least, rules.most_asked, rules.drop) == (0.7, 0.35, 2, 0.1)


def test_the_config_of_admission_loads(tmp_path: Path) -> None:
    text, *more = blocks(text_of("admission.md"), "yaml")
    path = tmp_path / "pointsman.yaml"
    for other in more:
        path.write_text(other, encoding="utf-8")
        load(path, None, {})
    path.write_text(text, encoding="utf-8")
    config = build(load(path, None, {})).config
    assert config.models["medium"].backends[0].limits.sequences == 12
    assert config.admission == type(config.admission)(), "the page shows the defaults"
