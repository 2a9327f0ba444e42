"""Where a collector is: what is no address is told with its place."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from pointsman.config.load import load
from pointsman.domain.errors import Problems


def endpoint(folder: Path, text: str) -> str | None:
    path = folder / "pointsman.yaml"
    path.write_text(yaml.safe_dump({"telemetry": {"otlp": {"endpoint": text}}}), encoding="utf-8")
    return load(path, None, {}).config.telemetry.otlp.endpoint


@pytest.mark.parametrize(
    "text", ["http://127.0.0.1:4318", "https://otel.example:443/otlp/", "http://[::1]:4318", "http://collector"]
)
def test_an_address(tmp_path: Path, text: str) -> None:
    assert endpoint(tmp_path, text) == text


@pytest.mark.parametrize(
    "text",
    [
        "", "127.0.0.1:4318", "grpc://x:4317", "ftp://x", "http://", "http://user:word@x:4318", "http://x:99999", "http://x:y",
        "http://[", "http://[:::]:4318", "http://x/?token=1", "http://x/#a", "http://a b", "http://x:0",
    ],
)  # fmt: skip
def test_what_is_none(tmp_path: Path, text: str) -> None:
    with pytest.raises(Problems) as caught:
        endpoint(tmp_path, text)
    assert "telemetry.otlp.endpoint" in str(caught.value) and "http" in str(caught.value)
