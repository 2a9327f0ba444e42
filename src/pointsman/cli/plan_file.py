"""The file that `fit --plan` reads: models.yaml, or the `models:` of a gateway's config."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from pointsman.cli.fit_asked import USUAL_CONTEXT, asked_types, check_context
from pointsman.config.convert import convert
from pointsman.config.load import load
from pointsman.config.schema import Config
from pointsman.config.section import Section
from pointsman.config.yaml_source import TOP, YamlSource, read_yaml
from pointsman.domain.errors import Problem, Problems
from pointsman.domain.said import Said, said
from pointsman.fleet.model_network import read_model, read_tensors
from pointsman.memory.estimate import Beside, Setup, draft_bytes
from pointsman.memory.network import Unreadable
from pointsman.memory.plan import Wanted
from pointsman.memory.sizes import parse_bytes
from pointsman.memory.vllm import UTILIZATION

EMBEDDED_UBATCH = 256  # tokens of one step of the gateway's own engine
EMBEDDED_SLOTS = 2

Count = Annotated[int, Meta(ge=1, le=1 << 31)]


class PlannedModel(Section, frozen=True):
    """One model, with the options of `fit`; `ctx` is of all its sequences together. `share`: its part of the traffic."""

    model: Annotated[str, Meta(min_length=1)]
    ctx: Count | None = None
    parallel: Annotated[int, Meta(ge=1, le=65_536)] = 1
    unified: bool = False
    kv_type: str = "f16"
    ubatch: Annotated[int, Meta(ge=1, le=1 << 20)] = 512
    gpu_layers: Annotated[int, Meta(ge=0, le=100_000)] | None = None
    mmproj: str | None = None
    draft: str | None = None
    share: Annotated[float, Meta(gt=0, le=1_000_000)] = 1.0
    engine: Literal["llamacpp", "vllm"] = "llamacpp"
    gpu_memory_utilization: Annotated[float, Meta(gt=0, le=1)] = UTILIZATION


class PlanFile(Section, frozen=True):
    """`gpu` and `ram` are sizes, as 24GiB."""

    models: Annotated[dict[str, PlannedModel], Meta(min_length=1)]
    gpu: str | None = None
    ram: str | None = None


class Planned(msgspec.Struct, frozen=True):
    """What a file wants, and what it says of the machine, in bytes. `left_out`: models that take nothing of this
    machine."""

    models: tuple[PlannedModel, ...]
    names: tuple[str, ...]
    gpu: int | None = None
    ram: int | None = None
    left_out: tuple[str, ...] = ()


def read_plan(path: Path) -> Planned:
    """Raises Problems with their lines, OSError never."""
    source = read_yaml(path, variables=True)
    if _is_config(source.data):
        return _of_config(load(path).config)
    source = read_yaml(path)
    problems = list(source.mistakes)
    found: list[Problem] = []
    plan = convert(source.data, PlanFile, "", found) if isinstance(source.data, dict) else None
    if plan is None and not found:
        found.append(Problem(TOP, Said("must be a mapping with models:", "必须是一个映射，其中有 models:")))
    sizes = {"gpu": _size(source, "gpu", plan.gpu, found), "ram": _size(source, "ram", plan.ram, found)} if plan else {}
    problems += [source.place(problem) for problem in found]
    if problems or plan is None:
        raise Problems(problems)
    return Planned(tuple(plan.models.values()), tuple(plan.models), sizes["gpu"], sizes["ram"])


def _is_config(data: object) -> bool:
    models = data.get("models") if isinstance(data, dict) else None
    return isinstance(models, dict) and any(isinstance(each, dict) and "backends" in each for each in models.values())


def _of_config(config: Config) -> Planned:
    """The embedded models: those of other servers are not on this machine's account."""
    names: list[str] = []
    models: list[PlannedModel] = []
    out: list[str] = []
    for name, model in config.models.items():
        for backend in model.backends:
            if backend.engine != "embedded":
                out.append(f"{name} ({backend.engine})")
                continue
            slots = backend.slots or EMBEDDED_SLOTS
            names.append(name if name not in names else f"{name} {len(names) + 1}")
            models.append(
                PlannedModel(
                    model=backend.model,
                    ctx=backend.context * slots if backend.context else None,
                    parallel=slots,
                    ubatch=EMBEDDED_UBATCH,
                    gpu_layers=backend.gpu_layers,
                )
            )
    if not models:
        raise Problems(
            [
                Problem(
                    "models",
                    Said("none of them runs here (engine: embedded)", "没有在本机运行的模型（engine: embedded）"),
                )
            ]
        )
    return Planned(tuple(models), tuple(names), left_out=tuple(out))


def _size(source: YamlSource, key: str, text: str | None, found: list[Problem]) -> int | None:
    try:
        return parse_bytes(text) if text is not None else None
    except Unreadable as error:
        found.append(Problem(key, error.message))
        return None


def wanted(name: str, planned: PlannedModel, card: int) -> Wanted:
    """The model read, for a card of `card` bytes. Raises Problem."""
    at = f"models.{name}"
    network = read_model(planned.model, path=f"{at}.model").network
    trained = network.trained_context
    ctx = planned.ctx or min(USUAL_CONTEXT, trained or USUAL_CONTEXT) * planned.parallel
    try:
        check_context("ctx", ctx, planned.parallel, trained)
        setup = Setup(
            ctx,
            planned.parallel,
            planned.unified,
            asked_types(planned.kv_type, place="kv_type"),
            planned.ubatch,
            gpu_layers=planned.gpu_layers,
        )
    except Unreadable as error:
        raise Problem(at, error.message) from None
    if planned.engine == "vllm":
        return Wanted(name, network, setup, share=planned.share, fixed=int(card * planned.gpu_memory_utilization))
    mmproj = read_tensors(planned.mmproj, path=f"{at}.mmproj") if planned.mmproj else 0
    draft = draft_bytes(read_model(planned.draft, path=f"{at}.draft").network, setup) if planned.draft else 0
    return Wanted(name, network, setup, Beside(mmproj, draft), planned.share)


def no_card() -> Unreadable:
    """What is wrong where nobody says how large the card is."""
    return Unreadable(
        said(
            "how large the card is, nobody says: give --gpu 24GiB, or gpu: in the file",
            "不知道显存有多大：请给出 --gpu 24GiB，或在文件里写 gpu:",
        )
    )
