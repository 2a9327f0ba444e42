"""A llama.cpp server in a process of its own: `python llamacpp_child.py MODEL.gguf`. Prints its address, serves until
stdin ends."""

import os
import sys

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.n_parallel = 2
params.n_ctx = 4096
params.n_batch = 256
params.warmup = False
params.port = 0
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1  # it spins
report = os.dup(1)
os.dup2(2, 1)
server = xllamacpp.Server(params)
os.write(report, f"{server.listening_address}\n".encode())
sys.stdin.read()
os._exit(0)
