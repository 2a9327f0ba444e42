"""Who may call, what rules see of them, and how a running gateway takes a new config or refuses it."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from execution.engine import CHAT, Engine, asking, assert_error, config, conversation, delta, streamed, user
from pointsman.http.auth import hash_key
from ruling import cases
from running import process, running

REMOTE = {"x-forwarded-for": "203.0.113.7"}
KEYS = [
    {"name": "boss", "hash": hash_key("k-boss"), "admin": True, "role": "admin"},
    {"name": "app", "hash": hash_key("k-app"), "role": "guest"},
]
RULES = """
rules:
  - id: only_guests
    priority: 90
    when: {any: [payroll], role: guest}
    refuse: {why: Guests may not see payroll., instead: Ask the office.}
    examples: [show the payroll]
    counter_examples: [show the roll]
    boundary: [{text: show the payroll, role: admin, takes: false}]
"""


def bearer(key: str) -> dict[str, str]:
    return REMOTE | {"authorization": f"Bearer {key}"}


@pytest.fixture
async def served(tmp_path):
    (tmp_path / "rules.yaml").write_text(RULES)
    async with Engine() as engine:
        engine.play = streamed(conversation("x"))
        sections = config(engine, auth={"keys": KEYS}, rules={"packs": [], "files": ["rules.yaml"]})
        async with running(sections, tmp_path) as gateway, httpx.AsyncClient(base_url=gateway.base) as client:
            yield gateway, client, sections


async def test_loopback_needs_no_key_and_a_forwarded_client_does(served):
    _, client, _ = served
    assert (await client.post(CHAT, json=user())).status_code == 200
    for headers in (REMOTE, {"forwarded": "for=203.0.113.7"}, {"X-FORWARDED-FOR": "127.0.0.1"}):
        for method, path in (("POST", CHAT), ("GET", "/v1/models"), ("GET", "/metrics"), ("POST", "/v1/embeddings")):
            reply = await client.request(method, path, headers=headers, json=user())
            assert reply.status_code == 401, path
            assert_error(reply.json(), code="invalid_api_key")
            assert reply.json()["error"]["type"] == "authentication_error"
            assert reply.headers["www-authenticate"].startswith("Bearer")


@pytest.mark.parametrize("path", ["/health", "/ready"])
async def test_probes_need_no_key(served, path: str):
    assert (await served[1].get(path, headers=REMOTE)).status_code == 200


WRONG = (
    "Bearer k-wrong",
    "Bearer",
    "Basic k-app",
    "k-app",
    "Bearer K-APP",
    "Bearer k-app x",
    f"Bearer {hash_key('k-app')}",
)


@pytest.mark.parametrize("authorization", WRONG)
async def test_a_wrong_key_is_401(served, authorization: str):
    reply = await served[1].post(CHAT, json=user(), headers=REMOTE | {"authorization": authorization})
    assert reply.status_code == 401
    assert_error(reply.json(), code="invalid_api_key")
    assert "k-wrong" not in reply.text


RIGHT = ({"authorization": "Bearer k-app"}, {"authorization": "bearer  k-app"}, {"x-api-key": "k-app"})


@pytest.mark.parametrize("headers", RIGHT)
async def test_a_right_key_is_let_in(served, headers: dict[str, str]):
    assert (await served[1].post(CHAT, json=user(), headers=REMOTE | headers)).status_code == 200


async def test_rules_see_the_role_of_the_key(served):
    _, client, _ = served
    asked = {"model": "auto", "messages": [{"role": "user", "content": "show me the payroll"}]}
    guest = await client.post(CHAT, json=asked, headers=bearer("k-app"))
    assert guest.headers["x-pointsman-rule"] == "only_guests"
    assert "Guests may not" in guest.json()["choices"][0]["message"]["content"]
    boss = await client.post(CHAT, json=asked, headers=bearer("k-boss"))
    assert boss.headers["x-pointsman-stage"] == "model"
    local = await client.post(CHAT, json=asked)
    assert local.headers["x-pointsman-stage"] == "model"
    known = await client.post(CHAT, json=asked, headers={"authorization": "Bearer k-app"})
    assert known.headers["x-pointsman-rule"] == "only_guests", "a key that is given counts on loopback too"


async def test_reload_needs_an_admin(served):
    _, client, _ = served
    assert (await client.post("/admin/reload", headers=REMOTE)).status_code == 401
    reply = await client.post("/admin/reload", headers=bearer("k-app"))
    assert reply.status_code == 403
    assert_error(reply.json(), code="admin_only")
    assert (await client.post("/admin/reload", headers=bearer("k-boss"))).status_code == 200
    assert (await client.post("/admin/reload")).status_code == 200


async def test_a_public_address_without_keys_is_refused(tmp_path):
    path = tmp_path / "pointsman.yaml"
    path.write_text("server: {host: 0.0.0.0, port: 0}\n")
    done = subprocess.run(
        [sys.executable, "-m", "pointsman", "serve", "-c", str(path), "--data-dir", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode != 0 and "auth.keys" in done.stderr + done.stdout and "Traceback" not in done.stderr


# Reload

BAD: dict[str, tuple[str, str]] = {
    "a typo": ("fallbak: {target: medium}", "fallback"),
    "no YAML": ("models: [\n  x: {", "pointsman.yaml:3"),
    "a wrong type": ("server: {heartbeat_after: soon}", "heartbeat_after"),
    "an unknown target": ("routes: [{name: a, target: mediun, match: {max_tokens: 5}}]", "mediun"),
    "a missing variable": ("auth: {keys: [{name: a, hash: '${NO_SUCH_VARIABLE}'}]}", "NO_SUCH_VARIABLE"),
    "a missing rule file": ("rules: {packs: [], files: [nowhere.yaml]}", "nowhere.yaml"),
    "a duplicate key": ("server: {}\nserver: {}", "server"),
    "a list": ("- a", "mapping"),
    "a backend without an address": ("models: {medium: {backends: [{engine: vllm, model: x}]}}", "base_url"),
}


def write(path: Path, sections: dict[str, Any]) -> None:
    path.write_text(yaml.safe_dump(sections, allow_unicode=True), encoding="utf-8")


async def state(client: httpx.AsyncClient) -> dict[str, Any]:
    return (await client.get("/ready")).json()


@pytest.mark.parametrize("kind", [*BAD, "a bad regex", "twice the same rule", "no file", "no text"])
async def test_a_bad_config_keeps_the_old_one_and_ready_says_why(served, kind: str):
    gateway, client, sections = served
    before = (await state(client))["policy"]
    words = BAD.get(kind, ("", ""))[1]
    if kind == "a bad regex":
        (gateway.config.parent / "rules.yaml").write_text(
            f"rules: [{{id: a, when: {{any: [{{regex: '(a'}}]}}, refuse: {{why: x, instead: y}}, {cases('a')}}}]"
        )
        words = "rules.yaml"
    elif kind == "twice the same rule":
        (gateway.config.parent / "rules.yaml").write_text(RULES + RULES.replace("rules:", ""))
        words = "only_guests"
    elif kind == "no file":
        gateway.config.unlink()
        words = "pointsman.yaml"
    elif kind == "no text":
        gateway.config.write_bytes(b"\xff\xfe\x00models: x")
        words = "pointsman.yaml"
    else:
        gateway.config.write_text(BAD[kind][0])
    reply = await client.post("/admin/reload")
    assert reply.status_code == 400, reply.text
    assert_error(reply.json(), code="bad_config")
    assert words in reply.json()["error"]["message"]
    now = await state(client)
    assert now["policy"] == before and now["ready"]
    assert any("reload" in problem and words in problem for problem in now["problems"]), now
    good = await client.post(CHAT, json=user())
    assert good.status_code == 200 and good.headers["x-pointsman-policy"] == before
    (gateway.config.parent / "rules.yaml").write_text(RULES)
    write(gateway.config, sections)
    assert (await client.post("/admin/reload")).status_code == 200
    assert not any("reload" in problem for problem in (await state(client))["problems"])


async def test_a_good_config_changes_the_policy_and_requests_under_way_go_on(served):
    gateway, client, sections = served
    before = (await state(client))["policy"]
    everyone = RULES.replace("payroll]", "trains]").replace("role: guest", "turn: {min: 1}")
    (gateway.config.parent / "rules.yaml").write_text(everyone)
    assert (await client.post(CHAT, json=user(model="auto"))).headers["x-pointsman-stage"] == "model"
    reply = await client.post("/admin/reload")
    assert reply.status_code == 200 and reply.json()["before"] == before != reply.json()["policy"]
    answer = await client.post(CHAT, json=user(model="auto"))
    assert answer.headers["x-pointsman-rule"] == "only_guests"
    assert answer.headers["x-pointsman-policy"] == reply.json()["policy"] == (await state(client))["policy"]
    write(gateway.config, sections | {"entries": {"auto": {}, "fresh": {}}})
    assert (await client.get("/v1/models/fresh")).status_code == 404
    assert (await client.post("/admin/reload")).status_code == 200
    assert (await client.get("/v1/models/fresh")).json()["pointsman"] == {"kind": "entry"}


async def test_new_keys_count_and_old_ones_do_not_after_a_reload(served):
    gateway, client, sections = served
    write(gateway.config, sections | {"auth": {"keys": [{"name": "new", "hash": hash_key("k-new")}]}})
    assert (await client.post("/admin/reload")).status_code == 200
    assert (await client.get("/v1/models", headers=bearer("k-new"))).status_code == 200
    assert (await client.get("/v1/models", headers=bearer("k-app"))).status_code == 401


async def test_a_stream_under_way_survives_a_reload_that_drops_its_backend(tmp_path):
    whole = conversation(*["word "] * 30)
    pieces = [part + b"\n\n" for part in whole.split(b"\n\n")[:-1]]
    async with Engine() as old, Engine("m2") as new, running(config(old), tmp_path) as gateway:
        old.play, new.play = streamed(*pieces, gap=0.02), streamed(conversation("new"))
        async with asking(gateway, user(stream=True)) as client, httpx.AsyncClient(base_url=gateway.base) as other:
            await client.head()
            write(gateway.config, config(new))
            assert (await other.post("/admin/reload")).status_code == 200
            assert delta("new") in (await other.post(CHAT, json=user(stream=True))).content
            assert await client.body() == whole


def test_sighup_reloads_or_says_why_not(tmp_path):
    path = tmp_path / "pointsman.yaml"
    models = "{light: {backends: [{engine: openai, model: m, base_url: 'http://127.0.0.1:9/v1'}]}}"
    good = f"rules: {{packs: ['builtin:smalltalk']}}\nmodels: {models}\n"
    path.write_text(good)
    arguments = ["-c", str(path), "--port", "0", "--data-dir", str(tmp_path / "data")]
    with process(arguments) as gateway, httpx.Client(base_url=gateway.base) as client:
        before = client.get("/ready").json()["policy"]
        path.write_text(good + "rulez: {}\n")
        gateway.signal(signal.SIGHUP)
        gateway.wait_for("reload refused", 20)
        now = ready_when(client, lambda state: any("rulez" in problem for problem in state["problems"]))
        assert now["policy"] == before
        path.write_text(good + "fallback: {max_retries: 5}\n")
        gateway.signal(signal.SIGHUP)
        gateway.wait_for("reloaded: policy", 20)
        now = ready_when(client, lambda state: state["policy"] != before)
        assert not any("reload" in problem for problem in now["problems"])
        path.unlink()
        gateway.signal(signal.SIGHUP)
        ready_when(client, lambda state: any("pointsman.yaml" in problem for problem in state["problems"]))
        assert client.get("/health").status_code == 200


def ready_when(client: httpx.Client, holds: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """What /ready says once that holds."""
    deadline = time.monotonic() + 20
    while not holds(now := client.get("/ready").json()):
        assert time.monotonic() < deadline, now
        time.sleep(0.05)
    return now
