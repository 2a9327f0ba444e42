"""`pointsman fit`: one model, plans, vLLM; and what it says of what cannot be."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.invoke import Shell
from memory.networks import GEMMA_3_27B, LLAMA_31_8B
from memory.test_vllm import METRICS
from pointsman.cli import fit_asked
from pointsman.fleet.gpu import GpuMemory

MIB = 1 << 20
SMOL = "builtin:smollm2-135m"


@pytest.fixture(autouse=True)
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fit_asked, "largest_gpu", lambda: None)


@pytest.fixture
def llama(shell: Shell) -> str:
    return str(shell.write("llama/config.json", json.dumps(LLAMA_31_8B)).parent)


def test_json_has_every_part(shell: Shell) -> None:
    done = shell.run("fit", SMOL, "--ctx", "8192", "--parallel", "4", "--gpu", "2GiB", "--json")
    assert done.code == 0
    found = done.json
    assert found["kv_bytes"] == 180 * MIB and found["device"] == {"kind": "gpu", "size": 2048 * MIB, "used": None}
    parts = ("weights", "kv_bytes", "compute", "output", "mmproj", "draft", "cuda_context", "margin")
    assert found["total"] == sum(found[part] for part in parts)
    assert found["fits"] and found["spare"] == 2048 * MIB - found["total"]
    assert (found["tokens_per_sequence"], found["kv_cells"]) == (2048, {"all": 8192})
    assert found["weights"] + found["host"]["weights"] > 92 * MIB and found["weights_source"] == "tensors"


def test_without_a_gpu_main_memory_counts(shell: Shell) -> None:
    found = shell.run("fit", SMOL, "--json").json
    assert found["device"]["kind"] == "memory" and found["host"] is None and found["ctx"] == 4096
    assert round(found["weights"] / MIB, 2) == 92.10 and found["cuda_context"] == 0
    assert shell.run("fit", SMOL, "--gpu", "none", "--json").json == found


def test_the_card_is_read(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fit_asked, "largest_gpu", lambda: GpuMemory("GPU-1", 25_757_220_864, 7 * MIB))
    device = shell.run("fit", SMOL, "--json").json["device"]
    assert device == {"kind": "gpu", "size": 25_757_220_864, "used": 7 * MIB}
    assert "In use on it now: 7.0 MiB" in shell.run("fit", SMOL, "--language", "en").out


def test_the_table_in_both_languages(shell: Shell) -> None:
    asked = ("fit", SMOL, "--gpu", "1500MiB", "--ctx", "32768", "--parallel", "4")
    en = shell.run(*asked, "--language", "en")
    assert en.code == 1
    assert "KV cache          720.0 MiB            -" in en.out
    assert "It does not fit: 658.7 MiB are missing on the GPU (1,500.0 MiB)." in en.out
    assert "Any one of these makes it fit:\n  --ctx 3072" in en.out and "  --gpu-layers 5" in en.out
    zh = shell.run(*asked, "--language", "zh")
    assert "KV 缓存" in zh.out and "放不下：显卡（1,500.0 MiB）还差 658.7 MiB。" in zh.out
    assert shell.run("fit", SMOL, "--gpu", "24GiB").code == 0


def test_a_config_in_llama_cpp(shell: Shell, llama: str) -> None:
    asked = ("fit", llama, "--engine", "llamacpp", "--gpu", "24GiB", "--ctx", "32768")
    found = shell.run(*asked, "--json").json
    assert found["kv_bytes"] == 4096 * MIB and found["weights_source"] == "config"
    assert "weights are counted" in found["notes"][0]
    half = shell.run(*asked, "--kv-type", "q8_0,f16", "--json").json
    assert half["kv_bytes"] == 2048 * MIB * 34 // 64 + 2048 * MIB and half["kv_type"] == {"k": "q8_0", "v": "f16"}


def test_projector_and_draft_stand_beside_it(shell: Shell) -> None:
    plain = shell.run("fit", SMOL, "--gpu", "4GiB", "--json").json
    found = shell.run("fit", SMOL, "--gpu", "4GiB", "--draft", SMOL, "--mmproj", SMOL, "--json").json
    assert found["draft"] == plain["weights"] + plain["kv_bytes"] + plain["compute"]
    assert round(found["mmproj"] / MIB, 2) == 92.10
    assert found["total"] == plain["total"] + found["draft"] + found["mmproj"]


def test_vllm_by_its_config(shell: Shell, llama: str) -> None:
    done = shell.run("fit", llama, "--gpu", "24GiB", "--ctx", "16384", "--parallel", "2", "--json")
    found = done.json
    assert done.code == 0 and found["engine"] == "vllm" and found["blocks_per_sequence"] == 512
    assert found["budget"] == int(24 * 1024 * MIB * 0.9) and found["kv_tokens"] == found["blocks"] * 16
    more = shell.run("fit", llama, "--gpu", "24GiB", "--gpu-memory-utilization", "0.85", "--ctx", "8192", "--json").json
    assert more["blocks"] < found["blocks"]
    told = shell.run("fit", llama, "--gpu", "24GiB", "--language", "en")
    assert told.code == 1 and "vLLM would not start. Fits: --max-model-len 48016" in told.out
    small = shell.run("fit", llama, "--gpu", "8GiB", "--language", "zh")
    assert "单是权重就太大" in small.out
    many = shell.run("fit", llama, "--gpu", "24GiB", "--ctx", "131072", "--parallel", "4", "--language", "en")
    assert many.code == 1 and "4 at once do not fit at full length" in many.out


class Metrics(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        found = self.path == "/metrics"
        self.send_response(200 if found else 404)
        self.end_headers()
        self.wfile.write(METRICS.encode() if found else b"")

    def log_message(self, *words: object) -> None:
        pass


@pytest.fixture
def engine() -> Iterator[str]:
    server = http.server.HTTPServer(("127.0.0.1", 0), Metrics)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_vllm_by_its_metrics(shell: Shell, engine: str) -> None:
    for url in (engine, f"{engine}/v1/", f"{engine}/metrics"):
        found = shell.run("fit", "--metrics", url, "--json").json
        assert (found["blocks"], found["kv_tokens"], found["kv_tokens_free"]) == (5730, 91_680, 45_840)
    said = shell.run("fit", "--metrics", engine, "--language", "en").out
    assert "5,730 blocks of 16 tokens: 91,680 tokens, 45,840 of them free now" in said and "82%" in said
    gone = shell.run("fit", "--metrics", f"{engine}/nothing", "--language", "zh")
    assert gone.code == 2 and "没有应答" in gone.err
    assert "is no URL" in shell.run("fit", "--metrics", "engine:8000", "--language", "en").err


PLAN = f"""\
gpu: 1900MiB
ram: 4GiB
models:
  light: {{model: "{SMOL}", ctx: 8192, parallel: 4, share: 2}}
  medium: {{model: "{SMOL}", ctx: 8192, kv_type: q8_0}}
"""


def test_a_plan(shell: Shell) -> None:
    shell.write("models.yaml", PLAN)
    found = shell.run("fit", "--plan", "models.yaml", "--json").json
    assert [each["models"] for each in found["together"]] == [["light"], ["medium"]]
    assert found["fits"] and sum(each["total"] for each in found["placed"]) + found["left"] == (1900 - 1024) * MIB
    assert {each["name"]: each["kv_type"]["k"] for each in found["placed"]} == {"light": "f16", "medium": "q8_0"}
    assert found["method"] == "tried: all 3 sets of models, and every number of layers of each model"
    en = shell.run("fit", "--plan", "models.yaml", "--language", "en")
    assert en.code == 0 and "All 2 at once, with layers on the CPU where that costs least:" in en.out
    wide = shell.run("fit", "--plan", "models.yaml", "--gpu", "8GiB", "--language", "zh")
    assert "light + medium：" in wide.out and "2 个同时运行：" in wide.out
    tight = shell.run("fit", "--plan", "models.yaml", "--margin", "1899MiB", "--language", "en")
    assert tight.code == 0 and "none of them" in tight.out  # all of it on the CPU
    shell.write("models.yaml", PLAN.replace("4GiB", "100MiB"))
    short = shell.run("fit", "--plan", "models.yaml", "--margin", "1899MiB", "--language", "en")
    assert short.code == 1 and "main memory is too small" in short.out


def test_a_plan_of_a_config(shell: Shell) -> None:
    shell.write(
        "pointsman.yaml",
        f"""\
models:
  light: {{backends: [{{engine: embedded, model: "{SMOL}", context: 1024, slots: 4}}]}}
  heavy: {{backends: [{{engine: vllm, model: m, base_url: "http://127.0.0.1:8000/v1"}}]}}
fallback: {{target: light}}
""",
    )
    found = shell.run("fit", "--plan", "pointsman.yaml", "--gpu", "4GiB", "--json").json
    assert [(each["name"], each["ctx"], each["parallel"]) for each in found["placed"]] == [("light", 4096, 4)]
    assert found["left_out"] == ["heavy (vllm)"]
    assert "heavy (vllm)" in shell.run("fit", "--plan", "pointsman.yaml", "--gpu", "4GiB").out


def test_vllm_in_a_plan_takes_its_share(shell: Shell, llama: str) -> None:
    text = f'models:\n  big: {{model: "{llama}", engine: vllm, gpu_memory_utilization: 0.8}}\n  small: {{model: "{SMOL}"}}\n'
    shell.write("models.yaml", text)
    found = shell.run("fit", "--plan", "models.yaml", "--gpu", "24GiB", "--json").json
    assert found["placed"][0]["total"] == int(24 * 1024 * MIB * 0.8) and len(found["together"]) == 1


@pytest.mark.parametrize(
    ("arguments", "en", "zh"),
    [
        ([], "give one of MODEL, --metrics URL, --plan FILE", "请给出 MODEL"),
        ([SMOL, "--ctx", "0"], "--ctx 0: out of bounds (valid: 1 to", "--ctx 0：超出范围"),
        ([SMOL, "--ctx", "-4096"], "--ctx -4096: out of bounds", "--ctx -4096：超出范围"),
        ([SMOL, "--parallel", "-1"], "--parallel -1: out of bounds", "--parallel -1：超出范围"),
        ([SMOL, "--ubatch", "0"], "--ubatch 0: out of bounds", "--ubatch 0：超出范围"),
        ([SMOL, "--gpu-layers", "-1"], "--gpu-layers -1: out of bounds", "--gpu-layers -1：超出范围"),
        ([SMOL, "--gpu=-24GiB"], "'-24GiB' is no size", "不是容量"),
        ([SMOL, "--margin", "0"], "'0' is no size", "不是容量"),
        ([SMOL, "--kv-type", "q9_0"], '--kv-type: there is no "q9_0" (valid: f32, f16, bf16, q8_0', "没有“q9_0”"),
        ([SMOL, "--kv-type", "f16,"], '--kv-type: there is no ""', "没有“”"),
        ([SMOL, "--kv-type", "q8_0", "--no-flash-attention"], "refuses a quantised V cache", "不接受量化的 V 缓存"),
        (
            [SMOL, "--ctx", "32768", "--parallel", "2"],
            "trained for 8192 tokens a sequence (valid: up to 16384)",
            "训练时每个序列最长 8192",
        ),
        ([SMOL, "--engine", "vllm"], "vLLM needs a GPU", "vLLM 需要显卡"),
        ([SMOL, "--engine", "vllm", "--unified"], "--unified: vLLM, for which this is computed", "它没有这个选项"),
        ([SMOL, "--engine", "vllm", "--gpu-layers", "0"], "--gpu-layers: vLLM, for which", "它没有这个选项"),
        ([SMOL, "--gpu-memory-utilization", "0.5"], "llama.cpp, for which this is computed, has no", "它没有这个选项"),
        (
            [SMOL, "--engine", "vllm", "--gpu", "8GiB", "--kv-type", "q8_0"],
            'there is no "q8_0" (valid: f16',
            "没有“q8_0”",
        ),
        (
            [SMOL, "--engine", "vllm", "--gpu", "8GiB", "--gpu-memory-utilization", "2"],
            "gpu_memory_utilization is 2.0 (valid: above 0, at most 1)",
            "gpu_memory_utilization 是 2.0",
        ),
    ],
)
def test_what_cannot_be_asked(shell: Shell, arguments: list[str], en: str, zh: str) -> None:
    done = shell.run("fit", *arguments, "--language", "en")
    assert done.code == 2 and en in done.err and not done.out
    assert zh in shell.run("fit", *arguments, "--language", "zh").err


def test_q4_0_wants_heads_of_whole_blocks(shell: Shell) -> None:
    config = {**LLAMA_31_8B, "head_dim": 80}
    place = str(shell.write("odd/config.json", json.dumps(config)).parent)
    done = shell.run("fit", place, "--engine", "llamacpp", "--gpu", "80GiB", "--kv-type", "q4_0", "--language", "en")
    assert done.code == 2 and "K cannot be kept as q4_0: heads have 80 numbers, no multiple of 32" in done.err


def test_what_is_no_model(shell: Shell) -> None:
    missing = shell.run("fit", "nothing.gguf", "--language", "en")
    assert missing.code == 1 and 'MODEL: no file "nothing.gguf"' in missing.err
    shell.write("a.gguf", b"PK\3\4" + bytes(60))
    assert "at byte 0" in shell.run("fit", "a.gguf", "--language", "en").err
    assert "第 0 字节处" in shell.run("fit", "a.gguf", "--language", "zh").err
    zero = str(shell.write("zero/config.json", json.dumps({**LLAMA_31_8B, "num_attention_heads": 0})).parent)
    assert "has no heads" in shell.run("fit", zero, "--gpu", "8GiB", "--language", "en").err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[]", "must be a mapping with models:"),
        ("models: {}", "models: must not be empty"),
        ("models: {a: {model: 5}}", "models.a.model: expected str, got int"),
        (f'models: {{a: {{model: "{SMOL}", ctx: -1}}}}', "models.a.ctx: expected int >= 1"),
        (f'models: {{a: {{model: "{SMOL}", contxt: 1}}}}', "models.a.contxt: unknown key"),
        (f'gpu: much\nmodels: {{a: {{model: "{SMOL}"}}}}', "models.yaml:1: gpu: 'much' is no size"),
        (
            f'gpu: 1GiB\nmodels: {{a: {{model: "{SMOL}", ctx: 9000}}}}',
            "models.a: ctx 9000: the model was trained for 8192",
        ),
        (f'gpu: 1GiB\nmodels: {{a: {{model: "{SMOL}", kv_type: x}}}}', 'models.a: kv_type: there is no "x"'),
        ("gpu: 1GiB\nmodels: {a: {model: none.gguf}}", 'models.a.model: no file "none.gguf"'),
        (f'models: {{a: {{model: "{SMOL}"}}}}', "how large the card is, nobody says"),
    ],
)
def test_plans_that_are_none(shell: Shell, text: str, words: str) -> None:
    shell.write("models.yaml", text)
    done = shell.run("fit", "--plan", "models.yaml", "--language", "en")
    assert done.code in (1, 2) and words in done.err
    assert words not in shell.run("fit", "--plan", "models.yaml", "--language", "zh").err


def test_no_plan_there(shell: Shell) -> None:
    assert shell.run("fit", "--plan", str(Path("none.yaml"))).code == 1


def test_windows_are_told_in_cells(shell: Shell) -> None:
    place = str(shell.write("gemma/config.json", json.dumps(GEMMA_3_27B)).parent)
    found = shell.run("fit", place, "--engine", "llamacpp", "--gpu", "80GiB", "--ctx", "32768", "--json").json
    assert found["kv_bytes"] == 3184 * MIB and found["kv_cells"] == {"all": 32_768, "window 1024": 1536}
