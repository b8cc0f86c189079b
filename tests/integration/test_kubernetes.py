"""The files for Kubernetes: what can be known of them without a cluster."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from guard.settings import load_settings
from tests.services import (
    FOLDER,
    KUBERNETES,
    Service,
    check_command,
    container,
    deployed,
    manifests,
)

VERSION = "1.34"
OWN_SCHEMA = {"kustomization.yaml", "monitoring.yaml"}
DEPLOYMENTS = {one["metadata"]["name"]: one for one in manifests("Deployment")}
EACH = pytest.mark.parametrize("service", deployed(), ids=lambda service: service.name)
POD = pytest.mark.parametrize("deployment", DEPLOYMENTS.values(), ids=list(DEPLOYMENTS))


def pod(deployment):
    return deployment["spec"]["template"]["spec"]


def ports(deployment):
    return {port["name"]: port["containerPort"] for port in container(deployment).get("ports", ())}


def labelled(labels):
    """The deployments whose pods a selector chooses."""
    return [
        one
        for one in DEPLOYMENTS.values()
        if labels.items() <= one["spec"]["template"]["metadata"]["labels"].items()
    ]


@pytest.mark.parametrize(
    "path", [path for path in KUBERNETES if path.name not in OWN_SCHEMA], ids=lambda path: path.name
)
def test_files_fit_the_schema_of_kubernetes(path: Path) -> None:
    check = [sys.executable, "-m", "kubernetes_validate", "--strict", "-k", VERSION, str(path)]
    done = subprocess.run(check, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_kustomize_names_every_file() -> None:
    (kustomization,) = manifests("Kustomization")
    files = {*kustomization["resources"], "kustomization.yaml"}
    assert files == {path.name for path in KUBERNETES}
    (settings,) = kustomization["configMapGenerator"]
    assert settings == {"name": "evenguard", "files": ["guard.yaml"]}


@EACH
def test_commands_exist_and_listen_where_a_port_is_declared(service: Service) -> None:
    context = check_command(service.command)
    settings = load_settings(service.settings)
    (mount,) = (
        one["mountPath"]
        for one in container(DEPLOYMENTS[service.name])["volumeMounts"]
        if one["name"] == "settings"
    )
    assert context.params["file"] == Path(mount) / service.settings.name
    metrics = {settings.gateway.metrics.port} if service.name == "gateway" else set()
    assert service.ports == {service.port, *metrics} - {0}


@POD
def test_a_pod_may_do_little(deployment) -> None:
    of_pod, of_container = (
        pod(deployment)["securityContext"],
        container(deployment)["securityContext"],
    )
    assert of_pod["runAsNonRoot"]
    assert (
        f"{of_pod['runAsUser']}:{of_pod['runAsGroup']}"
        in (FOLDER.parent / "Dockerfile").read_text()
    )
    assert of_container["readOnlyRootFilesystem"]
    assert of_container["allowPrivilegeEscalation"] is False
    assert of_container["capabilities"] == {"drop": ["ALL"]}
    assert pod(deployment)["automountServiceAccountToken"] is False


@POD
def test_mounts_have_volumes_and_the_spool_is_one(deployment) -> None:
    mounts = {one["name"]: one["mountPath"] for one in container(deployment)["volumeMounts"]}
    assert mounts.keys() == {volume["name"] for volume in pod(deployment)["volumes"]}
    settings = load_settings(FOLDER / "kubernetes/guard.yaml")
    if "spool" in mounts:
        assert Path(settings.store.spool).parent == Path(mounts["spool"])
    assert mounts["tmp"] == "/tmp"


@POD
def test_memory_is_limited_and_asked_for(deployment) -> None:
    resources = container(deployment)["resources"]
    wanted, most = (
        int(resources[key]["memory"].removesuffix("Mi")) for key in ("requests", "limits")
    )
    assert 1.5 * wanted <= most <= 4 * wanted


@POD
def test_probes_ask_what_is_there(deployment) -> None:
    known = {"gateway": {"/readyz", "/healthz"}, "review": {"/sign-in"}}
    for name, probe in container(deployment).items():
        if name.endswith("Probe"):
            asked = probe.get("httpGet") or probe["tcpSocket"]
            assert asked["port"] in ports(deployment)
            assert "path" not in asked or asked["path"] in known[deployment["metadata"]["name"]]


def test_a_gateway_has_time_to_drain() -> None:
    gateway = DEPLOYMENTS["gateway"]
    (pause,) = container(gateway)["lifecycle"]["preStop"]["exec"]["command"][1:]
    drain = load_settings(FOLDER / "kubernetes/guard.yaml").gateway.drain_seconds
    assert pod(gateway)["terminationGracePeriodSeconds"] > int(pause) + drain


def test_there_is_one_exporter_even_while_it_is_replaced() -> None:
    spec = DEPLOYMENTS["exporter"]["spec"]
    assert (spec["replicas"], spec["strategy"]) == (1, {"type": "Recreate"})


@pytest.mark.parametrize("kind", ["Service", "PodDisruptionBudget"])
def test_selectors_choose_one_deployment(kind: str) -> None:
    for one in manifests(kind):
        selector = one["spec"]["selector"]
        (chosen,) = labelled(selector.get("matchLabels", selector))
        assert chosen["metadata"]["name"] == one["metadata"]["name"]
        for port in one["spec"].get("ports", ()):
            assert ports(chosen)[port["targetPort"]] == port["port"]


def test_the_operator_scrapes_as_prometheus_yml_says() -> None:
    shipped = yaml.safe_load((FOLDER / "prometheus/prometheus.yml").read_text(encoding="utf-8"))
    jobs = {job["job_name"]: job["metric_relabel_configs"] for job in shipped["scrape_configs"]}
    for monitor in manifests("ServiceMonitor"):
        (endpoint,) = monitor["spec"]["endpoints"]
        (named,) = endpoint["relabelings"]
        assert named["targetLabel"] == "job"
        (rule,), (wanted,) = endpoint["metricRelabelings"], jobs.pop(named["replacement"])
        assert rule == {"sourceLabels": wanted.pop("source_labels"), **wanted}
        labels = monitor["spec"]["selector"]["matchLabels"]
        (service,) = (one for one in manifests("Service") if one["metadata"]["labels"] == labels)
        assert endpoint["port"] in {port["name"] for port in service["spec"]["ports"]}
    assert jobs == {}


def test_secrets_hold_the_variables_that_are_named() -> None:
    settings = load_settings(FOLDER / "kubernetes/guard.yaml")
    (key,) = (one.key_env for one in settings.gateway.keys)
    names = {key, settings.upstreams["main"].api_key_env}
    text = (FOLDER / "kubernetes/kustomization.yaml").read_text(encoding="utf-8")
    assert all(f"--from-literal={name}=" in text for name in names)
    for deployment in DEPLOYMENTS.values():
        assert container(deployment)["envFrom"] == [{"secretRef": {"name": "evenguard"}}]


def test_rules_become_objects_of_the_operator_as_the_page_says() -> None:
    page = (FOLDER.parent / "docs/containers.md").read_text(encoding="utf-8")
    (script,) = re.findall(r"^for name in .*?^done", page, re.MULTILINE | re.DOTALL)
    said = subprocess.run(
        ["/bin/sh", "-ec", script], cwd=FOLDER.parent, capture_output=True, text=True, check=True
    )
    made = {one["metadata"]["name"]: one for one in yaml.safe_load_all(said.stdout)}
    for name in ("rules", "alerts"):
        rules = made.pop(f"evenguard-{name}")
        shipped = yaml.safe_load((FOLDER / f"prometheus/{name}.yml").read_text(encoding="utf-8"))
        assert (rules["kind"], rules["spec"]) == ("PrometheusRule", shipped)
    assert made == {}
