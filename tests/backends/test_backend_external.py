import pytest

from pointsman.backends.external import is_external


@pytest.mark.parametrize(
    "host",
    [
        "localhost", "LOCALHOST.", "api.localhost", "127.0.0.1", "127.8.8.8", "0x7f000001", "[::1]",
        "[::ffff:10.1.2.3]",
        "10.0.0.5", "172.16.0.1", "172.31.255.255", "192.168.1.9", "169.254.10.1", "[fe80::1]", "[fe80::1%25eth0]",
        "[fd00::1]", "gpu-box", "vllm", "node.local", "gpu.lan", "llm.svc.internal", "nas.home.arpa",
    ],
)  # fmt: skip
def test_local(host: str):
    assert not is_external(f"http://{host}/v1")
    assert not is_external(f"https://{host}:8443")


@pytest.mark.parametrize(
    "host",
    [
        "api.openai.com", "openrouter.ai", "8.8.8.8", "172.32.0.1", "100.64.0.1", "[2001:4860:4860::8888]",
        "[::ffff:8.8.8.8]", "0x08080808", "134744072", "8.8", "example。com", "evil.com.", "localhost.evil.com",
        "mylocal", "a.notlocal", "10.0.0.5.nip.io",
    ],
)  # fmt: skip
def test_external(host: str):
    assert is_external(f"https://{host}/v1") == (host != "mylocal")


@pytest.mark.parametrize(
    "url", ["", "localhost:8000", "ftp://localhost", "http://", "http://[::1", "http://a@127.0.0.1"]
)
def test_what_cannot_be_judged_is_external(url: str):
    assert is_external(url)


def test_a_unix_socket_is_local():
    assert not is_external("http+unix://%2Frun%2Fengine.sock/v1")
