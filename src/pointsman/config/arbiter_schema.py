"""The part of the config about the arbiter (L1): which intents there are, what each leads to, how sure it must be."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from pointsman.config.report_schema import Title
from pointsman.config.section import Section

Ratio = Annotated[float, Meta(ge=0, le=1)]
Example = Annotated[str, Meta(min_length=1, max_length=2000)]


class Role(Section, frozen=True):
    """What an intent leads to for callers of one role: what is given here, the rest as for all."""

    action: Annotated[str, Meta(min_length=1, description="another action")] | None = None
    parameters: Annotated[dict[str, Any], Meta(description="values for the action's parameters")] = {}


class IntentConfig(Section, frozen=True):
    """One thing that people ask for; `about` is what they are shown when they are asked. It leads to an `action`, or to a
    `target` or `task` by which its requests are routed; without any of them the log shows the intent, and the request goes
    on."""

    about: Title
    examples: Annotated[list[Example], Meta(max_length=2000, description="texts that mean it")] = []
    counter_examples: Annotated[
        list[Example], Meta(max_length=2000, description="texts that look like it, and mean something else")
    ] = []
    action: (
        Annotated[str, Meta(min_length=1, description="a name under `actions:`, or export_report, export_pdf, …")]
        | None
    ) = None
    parameters: Annotated[dict[str, Any], Meta(description="values for the action's parameters")] = {}
    target: Annotated[str, Meta(min_length=1, description="tier, alias or model that its requests go to")] | None = None
    task: Annotated[str, Meta(description="task type that its requests are routed by")] | None = None
    gate: Annotated[Ratio, Meta(description="confidence that it needs; default: arbiter.gate")] | None = None
    risk: Annotated[
        Literal["low", "medium", "high"],
        Meta(description="high: a second arbiter must agree (arbiter.verify), or else the person"),
    ] = "low"
    roles: Annotated[dict[str, Role], Meta(description="role of the caller → what is different for it")] = {}


class Clarify(Section, frozen=True):
    """What is done where the arbiter is not sure enough."""

    least: Annotated[
        Ratio, Meta(description="confidence below which nothing is asked: the request goes on to a model")
    ] = 0.35
    most: Annotated[int, Meta(ge=0, le=2, description="questions to the user about one request")] = 2
    then: Annotated[
        str, Meta(min_length=1, description="open_ended: on to a model; or an action that hands the request over")
    ] = "open_ended"


class Drift(Section, frozen=True):
    """When the arbiter's confidence is out of the ordinary."""

    window: Annotated[int, Meta(ge=2, le=10_000, description="requests that the mean is taken of")] = 20
    drop: Annotated[Ratio, Meta(description="so far below the mean of the window, a decision gets a second look")] = 0.1


class Arbiter(Section, frozen=True):
    """What L0 could not tell is put to an arbiter, where an entry has one. See docs/arbiter.md."""

    gate: Annotated[Ratio, Meta(description="confidence below which the user is asked")] = 0.7
    intents: Annotated[dict[str, IntentConfig], Meta(description="name → something that people ask for")] = {}
    files: Annotated[
        list[str], Meta(description="YAML files of more intents, in the same form, relative to this file")
    ] = []
    shipped: Annotated[
        bool, Meta(description="intents that come with the gateway, for the reports and actions that there are")
    ] = True
    outside: Annotated[
        list[Example],
        Meta(max_length=20_000, description="texts that mean none of the intents, besides those that ship"),
    ] = []
    timeout: Annotated[
        float, Meta(gt=0, le=300, description="seconds; then the request goes on as if there were no arbiter")
    ] = 2.0
    concurrency: Annotated[
        int,
        Meta(
            ge=1,
            le=256,
            description="queries at a time; 16 times as many may wait, others go on without it",
        ),
    ] = 4
    fill: (
        Annotated[
            str,
            Meta(
                min_length=1,
                description="model that reads parameters in the text; off; default: the arbiter, if it is a model",
            ),
        ]
        | None
    ) = None
    verify: Annotated[str, Meta(min_length=1, description="off, embedded, or a model: the second arbiter")] = "off"
    clarify: Clarify = msgspec.field(default_factory=Clarify)
    drift: Drift = msgspec.field(default_factory=Drift)
