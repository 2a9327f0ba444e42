"""The part of the config about a machine under pressure: when new jobs wait."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from pointsman.config.section import Section


class Pressure(Section, frozen=True):
    """When new jobs are parked: the CPU is full while the GPU (without one: the engines) idles, or memory runs out.
    Shares from 0 to 1. See docs/admission.md."""

    watch: Annotated[
        Literal["gpu", "always", "never"],
        Meta(description="gpu: only where there is a GPU that can be asked; always: without one by the engines' load"),
    ] = "gpu"
    cpu: Annotated[float, Meta(gt=0, le=1, description="share of the CPU in use, above it there may be a mismatch")] = (
        0.85
    )
    gpu: Annotated[
        float, Meta(ge=0, le=1, description="share of time in which the GPU, or the engines, work; below: a mismatch")
    ] = 0.2
    memory: Annotated[float, Meta(gt=0, le=1, description="share of the main memory in use; above: too little")] = 0.95
    gpu_memory: Annotated[float, Meta(gt=0, le=1, description="the same of the fullest GPU")] = 0.98
    margin: Annotated[float, Meta(ge=0, lt=1, description="by how much it must be better until it is over")] = 0.1
    dwell: Annotated[float, Meta(ge=0, le=3600, description="seconds that it lasts before jobs wait")] = 10.0
    calm: Annotated[float, Meta(ge=0, le=3600, description="seconds that it is over before they go on")] = 10.0
    longest: Annotated[
        float, Meta(gt=0, le=86_400, description="seconds that jobs wait for it; then they go on all the same")
    ] = 120.0
    jobs: Annotated[
        int, Meta(ge=0, le=100_000, description="jobs that each process parks; what comes then stays in the store")
    ] = 1000
    every: Annotated[float, Meta(ge=0.1, le=60, description="seconds between two looks at the machine")] = 2.0
