"""`pointsman doctor`: in both languages, as JSON, with and without a mistake."""

from __future__ import annotations

import pytest

from cli.invoke import Shell
from fleet.test_model_check import whole_gguf
from pointsman.app.doctor.order import PARTS
from pointsman.cli.base_here import base_of

NAMES = [check.name for part in PARTS for check in part.checks]
QUIET = "models: {light: {backends: [{engine: embedded, model: m.gguf}]}}\nfallback: {target: light}\n"


@pytest.fixture
def house(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Shell:
    """A config that is well, at a port of nobody's."""
    monkeypatch.delenv("POINTSMAN_KEY", raising=False)
    shell.write("m.gguf", whole_gguf())
    shell.write("pointsman.yaml", QUIET + "server: {data_dir: data, port: 0}\n")
    return shell


def test_all_is_well(house: Shell) -> None:
    done = house.run("doctor", "--url", "http://127.0.0.1:9")
    assert done.code == 0, done.out
    assert done.out.startswith("Memory\n  ok     weights in memory") and "23 checks" in done.out
    chinese = house.run("doctor", "--url", "http://127.0.0.1:9", "--language", "zh")
    assert chinese.out.startswith("显存与内存\n  正常   权重占用") and "共 23 项检查" in chinese.out
    assert not (house.folder / "data").exists()


def test_as_json(house: Shell) -> None:
    found = house.run("doctor", "--url", "http://127.0.0.1:9", "--json").json
    assert found["ok"] and list(dict.fromkeys(each["check"] for each in found["checks"])) == NAMES
    assert sum(found["counts"].values()) == len(found["checks"])
    for each in found["checks"]:
        assert each["saw"]["en"] and each["saw"]["zh"] and (each["do"] is None) == (each["level"] in ("ok", "unknown"))


def test_what_is_wrong_has_three_lines(house: Shell) -> None:
    house.write("m.gguf", whole_gguf()[:-1])
    done = house.run("doctor", "--url", "http://127.0.0.1:9")
    assert done.code == 1
    at = done.out.splitlines().index("  WRONG  model files")
    saw, means, do = done.out.splitlines()[at + 1 : at + 4]
    assert saw.startswith("           saw    m.gguf: the file ends at")
    assert means.startswith("           means  ") and do.startswith("           do     ")
    chinese = house.run("doctor", "--url", "http://127.0.0.1:9", "--language", "zh").out
    assert "  异常   模型文件\n           看到  m.gguf：文件到" in chinese


def test_a_config_that_is_wrong_stops_nothing(house: Shell) -> None:
    house.write("pointsman.yaml", QUIET + "rulez: 1\nserver: {data_dir: data, port: 0}\n")
    found = house.run("doctor", "--url", "http://127.0.0.1:9", "--json").json
    levels = {each["check"]: each["level"] for each in found["checks"]}
    assert levels["config"] == "wrong" and levels["files"] == "ok" and not found["ok"]


def test_no_time_at_all(house: Shell) -> None:
    found = house.run("doctor", "--url", "http://127.0.0.1:9", "--seconds", "0.000001", "--json").json
    late = [each for each in found["checks"] if each["level"] == "unknown"]
    assert late and all("it hangs" in each["saw"]["en"] and "卡住" in each["saw"]["zh"] for each in late)


def test_wishes_that_cannot_be(house: Shell) -> None:
    assert house.run("doctor", "--days", "0").code == 2
    assert house.run("doctor", "--seconds", "-1").code == 2
    assert house.run("doctor", "-c", "none.yaml").code == 1


def test_where_a_gateway_is() -> None:
    assert base_of("0.0.0.0", 80) == "http://127.0.0.1:80" and base_of("::1", 80) == "http://[::1]:80"
    assert base_of("h", 0) == "http://127.0.0.1:8900"
