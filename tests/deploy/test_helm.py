"""The Helm chart: Helm lints and renders it, Kubernetes' own schemas take what comes, and all that it names is there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from deploy.test_deploy import unknown_in
from deploy.words import DEPLOY, built, needed, options_of
from pointsman.config.schema import parse_span
from pointsman.telemetry.catalogue import FAMILIES, PREFIX

CHART = DEPLOY / "helm" / "pointsman"
ADAPTER = DEPLOY / "helm" / "prometheus-adapter.yaml"
KUBERNETES = "1.31"
SECRETS: dict[str, Any] = {
    "LINK_KEY": "k" * 16,
    "CLIENT_KEY_HASH": "sha256:" + "1" * 64,
    "METRICS_KEY_HASH": "sha256:" + "2" * 64,
}
GIVEN: dict[str, Any] = {"secrets": {"values": SECRETS}}
ALL: dict[str, Any] = {
    "secrets": {"existing": "keys"},
    "gateway": {
        "autoscaling": {"enabled": True},
        "persistence": {"enabled": False},
        "nodeSelector": {"disk": "fast"},
        "tolerations": [{"key": "gpu", "operator": "Exists"}],
    },
    "worker": {"nodeSelector": {"disk": "fast"}, "tolerations": [{"key": "gpu", "operator": "Exists"}]},
    "engines": {"autoscaling": {"enabled": True}},
    "config": {"registry": {"kind": "kubernetes", "namespace": "models", "services": {"qwen2.5-7b": "vllm"}}},
    "imagePullSecrets": [{"name": "pull"}],
    "serviceAccount": {"annotations": {"a": "b"}},
    "networkPolicy": {"from": [{"namespaceSelector": {}}], "to": [{"ports": [{"port": 6379}]}]},
}

pytestmark = pytest.mark.skipif(not CHART.exists(), reason="the wheel is tested without the repository")


def rendered(values: dict[str, Any]) -> list[dict[str, Any]]:
    with needed("helm_python").Chart.load(str(CHART)) as chart:
        texts = chart.render(values, name="demo", namespace="ns")
    manifests = [text for path, text in texts.items() if not path.endswith(".txt")]
    return [each for text in manifests for each in yaml.safe_load_all(text) if each]


def only(manifests: list[dict[str, Any]], kind: str, name: str = "") -> dict[str, Any]:
    [found] = [each for each in manifests if each["kind"] == kind and each["metadata"]["name"].startswith(name)]
    return found


@pytest.mark.parametrize("values", [GIVEN, ALL], ids=["plain", "everything"])
def test_helm_and_kubernetes_take_it(values: dict[str, Any]) -> None:
    report = needed("helm_python").lint(str(CHART), values, strict=True)
    assert report["errors"] == [] and all(message["severity"] < 2 for message in report["messages"]), report
    schemas = needed("kubernetes_validate")
    for manifest in rendered(values):
        schemas.validate(manifest, KUBERNETES, strict=True)


def test_without_keys_it_says_what_is_needed() -> None:
    with pytest.raises(needed("helm_python").HelmRenderError, match=r"secrets\.values\.CLIENT_KEY_HASH is needed"):
        rendered({})


@pytest.mark.parametrize("values", [GIVEN, ALL], ids=["plain", "everything"])
def test_the_config_is_one(values: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    manifests = rendered(values)
    text = only(manifests, "ConfigMap")["data"]["pointsman.yaml"]
    config = built(text, tmp_path, monkeypatch, STORE="redis://valkey:6379", **SECRETS).config
    assert config.jobs.concurrency == 0 and not config.server.watch
    pod = only(manifests, "StatefulSet")["spec"]["template"]["spec"]
    waits = int(pod["containers"][0]["lifecycle"]["preStop"]["exec"]["command"][1])
    assert pod["terminationGracePeriodSeconds"] > waits + parse_span(config.server.grace) + 15
    names = set(re.findall(r"\$\{(\w+)\}", text))
    assert names == {"STORE", *SECRETS}
    if values is GIVEN:
        assert set(only(manifests, "Secret")["stringData"]) == names


def test_what_runs_can_be_started_so_and_answers_where_it_is_asked() -> None:
    manifests = rendered(GIVEN)
    for kind in ("StatefulSet", "Deployment"):
        pod = only(manifests, kind)["spec"]["template"]["spec"]
        [container] = pod["containers"]
        options_of(container["args"])
        assert container["securityContext"]["readOnlyRootFilesystem"] and pod["securityContext"]["runAsNonRoot"]
        assert {mount["mountPath"] for mount in container["volumeMounts"]} == {"/etc/pointsman", "/data", "/tmp"}
        assert not pod["automountServiceAccountToken"]
        assert container["resources"]["limits"]["memory"] and container["resources"]["requests"]["cpu"]
    gateway = only(manifests, "StatefulSet")["spec"]["template"]["spec"]["containers"][0]
    assert {gateway[f"{name}Probe"]["httpGet"]["path"] for name in ("startup", "liveness", "readiness")} == {
        "/health",
        "/ready",
    }
    assert gateway["readinessProbe"]["httpGet"]["path"] == "/ready"
    assert [port["containerPort"] for port in gateway["ports"]] == [8900]


def test_services_budget_and_policy_are_of_the_gateway_s_pods() -> None:
    manifests = rendered(GIVEN)
    labels = only(manifests, "StatefulSet")["spec"]["template"]["metadata"]["labels"]
    for selector in (
        only(manifests, "PodDisruptionBudget")["spec"]["selector"]["matchLabels"],
        only(manifests, "NetworkPolicy")["spec"]["podSelector"]["matchLabels"],
        only(manifests, "StatefulSet")["spec"]["selector"]["matchLabels"],
        *(each["spec"]["selector"] for each in manifests if each["kind"] == "Service"),
    ):
        assert selector.items() <= labels.items()
    headless = only(manifests, "StatefulSet")["spec"]["serviceName"]
    assert only(manifests, "Service", headless)["spec"]["clusterIP"] == "None"


def test_engines_are_scaled_by_a_metric_that_there_is() -> None:
    manifests = rendered(ALL)
    scaler = only(manifests, "HorizontalPodAutoscaler", "demo-engines")["spec"]
    [metric] = scaler["metrics"]
    name = metric["external"]["metric"]["name"]
    assert name.removeprefix(PREFIX) in FAMILIES and name == "pointsman_queue_wait_seconds"
    [rule] = yaml.safe_load(ADAPTER.read_text())["rules"]["external"]
    assert rule["name"]["as"] == name
    for query in (rule["seriesQuery"], rule["metricsQuery"]):
        plain = query.replace("{<<.LabelMatchers>>}", "").replace('{namespace!=""}', "")
        assert not unknown_in(plain), plain


def test_a_registry_of_kubernetes_may_look_at_endpoints_and_at_nothing_else() -> None:
    manifests = rendered(ALL)
    role = only(manifests, "Role")
    assert role["metadata"]["namespace"] == "models"
    assert role["rules"] == [
        {"apiGroups": ["discovery.k8s.io"], "resources": ["endpointslices"], "verbs": ["list", "watch"]}
    ]
    assert only(manifests, "StatefulSet")["spec"]["template"]["spec"]["automountServiceAccountToken"]
    assert not any(each["kind"] in ("Role", "RoleBinding") for each in rendered(GIVEN))


def test_a_change_of_the_config_rolls_the_pods() -> None:
    def mark(values: dict[str, Any]) -> str:
        template = only(rendered(values), "StatefulSet")["spec"]["template"]
        found: str = template["metadata"]["annotations"]["checksum/config"]
        return found

    assert mark(GIVEN) != mark({**GIVEN, "config": {"server": {"linger": 6}}})
