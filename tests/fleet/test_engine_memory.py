"""llama.cpp's own lines."""

from __future__ import annotations

from pointsman.fleet.engine_memory import read_engine_memory

MIB = 1 << 20

LOG = """\
0.00.2 I load_tensors: loading model tensors, this can take a while... (load_mode = none)
0.00.3 I llama_kv_cache:        CPU KV buffer size =     0.00 MiB
0.02.6 I load_tensors: loading model tensors, this can take a while... (load_mode = mmap)
0.02.7 I load_tensors:        CUDA0 model buffer size =   150.16 MiB
0.02.7 I load_tensors:   CPU_Mapped model buffer size =   235.16 MiB
0.02.8 I llama_context: constructing llama_context
0.02.8 I llama_context:        CPU  output buffer size =     4.00 MiB
0.02.8 I llama_kv_cache:      CUDA0 KV buffer size =    48.00 MiB
0.02.8 I llama_kv_cache:        CPU KV buffer size =    45.00 MiB
0.02.9 I llama_memory_recurrent:      CUDA0 RS buffer size =    75.38 MiB
0.02.9 I sched_reserve:      CUDA0 compute buffer size =    11.51 MiB
""".splitlines()


def test_the_last_pass_by_kind_and_by_device() -> None:
    found = read_engine_memory(LOG)
    assert found is not None
    assert (found.kv, found.output, found.state) == (93 * MIB, 4 * MIB, round(75.38 * MIB))
    assert found.devices["CUDA0"] == sum(round(each * MIB) for each in (150.16, 48, 75.38, 11.51))
    assert found.total == sum(found.devices.values())


def test_a_quiet_log_says_nothing() -> None:
    assert read_engine_memory(["listening on 127.0.0.1", "compute buffer size = 1.00 MiB"]) is None
    assert read_engine_memory([]) is None
