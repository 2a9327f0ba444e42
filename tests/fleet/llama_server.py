"""`python llama_server.py -m FILE --port N …`: xllamacpp behind the flags of llama-server, for tests of commands with a real
engine."""

from __future__ import annotations

import argparse
import threading

import xllamacpp

parser = argparse.ArgumentParser()
parser.add_argument("-m", required=True)
parser.add_argument("--port", type=int, required=True)
parser.add_argument("--alias")
parser.add_argument("-c", type=int, default=512)
parser.add_argument("-np", type=int, default=1)
options = parser.parse_args()
params = xllamacpp.CommonParams()
params.model.path = options.m
if options.alias:
    params.model_alias = [options.alias]
params.n_ctx, params.n_parallel = options.c, options.np
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
params.hostnames, params.port = ["127.0.0.1"], options.port
params.endpoint_metrics = True
server = xllamacpp.Server(params)
while True:
    threading.Event().wait()
