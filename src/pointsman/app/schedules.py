"""`schedules` of the config: what is wrong with them, what their questions decide to, and the jobs that they become."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

import msgspec

from pointsman.actions.parameters import Checker
from pointsman.actions.report.named import named_plan
from pointsman.app.delivery import A_NAME, NAME, unknown_channels
from pointsman.config.action_schema import REPLIES
from pointsman.config.schedule_schema import Schedule
from pointsman.config.schema import Config
from pointsman.config.timezone import zone_name
from pointsman.domain.action import ActionSpec
from pointsman.domain.decision import Decision
from pointsman.domain.errors import PointsmanError, Problem, did_you_mean
from pointsman.domain.job import SCHEDULED, Submission
from pointsman.domain.request import Request, Turn
from pointsman.domain.said import Said, said
from pointsman.domain.target import Snapshot
from pointsman.domain.wording import Tongue, tongue_of
from pointsman.features.language import language_of
from pointsman.http.auth import Caller
from pointsman.http.jobs.kept import KeptAction, KeptRequest, Onward, encode
from pointsman.pipeline.decide import decide
from pointsman.pipeline.policy import Policy
from pointsman.pipeline.request_passage import by_rule
from pointsman.pipeline.schedules.due import Planned
from pointsman.pipeline.schedules.scheduler import Scheduler
from pointsman.pipeline.schedules.times import VALID, Timing, check_cron, in_utc, next_after
from pointsman.ports.clock import Clock
from pointsman.ports.job_store import JobStore

CHAT = "/v1/chat/completions"
REPORT = "report"
_REPLIES = [[kind] for kind in REPLIES]
_ANYWHERE = ("0.0.0.0", "::", "")  # noqa: S104 - nothing is bound here


def timing_of(schedule: Schedule, config: Config) -> Timing:
    """Raises Problem for a zone that there is not."""
    return Timing(schedule.cron, zone_name(schedule.timezone or config.server.timezone))


def planned_of(config: Config) -> dict[str, Planned]:
    """Those that are switched on."""
    return {
        name: Planned(timing_of(schedule, config), schedule.missed)
        for name, schedule in config.schedules.items()
        if schedule.enabled
    }


# What is wrong


def wrong_schedules(config: Config, specs: Mapping[str, ActionSpec], broken: Collection[str]) -> list[Problem]:
    """As far as it can be told without a policy. `specs` are what actions take. Of sections in `broken` nothing is said that
    they lack."""
    problems: list[Problem] = []
    for name, schedule in config.schedules.items():
        path = f"schedules.{name}"
        if not NAME.fullmatch(name):
            problems.append(Problem(path, said(*_BAD_NAME, name=name), valid=A_NAME))
        problems += _wrong_time(path, schedule)
        problems += _wrong_names(path, schedule, config, broken)
        if "delivery" not in broken:
            problems += unknown_channels(f"{path}.deliver", schedule.deliver, config)
            problems += unknown_channels(f"{path}.on_failure", schedule.on_failure, config)
        if (schedule.ask is None) == (schedule.action is None):
            message = _NEITHER if schedule.ask is None else _BOTH
            problems.append(Problem(path, message, valid=Said("ask, or action", "ask 或 action")))
        elif schedule.action is not None:
            problems += _wrong_action(path, schedule, config, specs, broken)
        elif schedule.parameters:
            problems.append(Problem(f"{path}.parameters", _NO_PARAMETERS))
    return problems


def _wrong_time(path: str, schedule: Schedule) -> Iterator[Problem]:
    try:
        check_cron(schedule.cron)
    except ValueError as error:
        yield Problem(
            f"{path}.cron", said("{it!r}: {why}", "{it!r}：{why}", it=schedule.cron, why=error.args[0]), valid=VALID
        )
    if schedule.timezone is not None:
        try:
            zone_name(schedule.timezone)
        except Problem as problem:
            yield Problem(f"{path}.timezone", problem.message, valid=problem.valid)


def _wrong_names(path: str, schedule: Schedule, config: Config, broken: Collection[str]) -> Iterator[Problem]:
    keys = [key.name for key in config.auth.keys]
    names = (
        ("entries", f"{path}.entry", Said("entry", "入口"), schedule.entry, list(config.entries)),
        ("auth", f"{path}.as.key", Said("key under auth.keys", "密钥（auth.keys）"), schedule.run_as.key, keys),
    )
    for section, place, kind, name, valid in names:
        if section not in broken and name is not None and name not in valid:
            hint = did_you_mean(name, valid)
            en, zh = "there is no {kind} {name!r}{hint}", "没有{kind} {name!r}{hint}"
            message = said(en, zh, kind=kind, name=name, hint=hint)
            yield Problem(place, message, valid=", ".join(valid) or Said("none", "没有"))


def _wrong_action(
    path: str, schedule: Schedule, config: Config, specs: Mapping[str, ActionSpec], broken: Collection[str]
) -> Iterator[Problem]:
    name = schedule.action or ""
    if name in specs:
        try:
            Checker(specs[name]).check(schedule.parameters)
        except PointsmanError as error:
            yield Problem(f"{path}.parameters", error.message)
    elif name != REPORT and name not in config.actions and "actions" not in broken:
        valid = [*specs, REPORT]
        hint = did_you_mean(name, valid)
        message = said("there is no action {name!r}{hint}", "没有动作 {name!r}{hint}", name=name, hint=hint)
        yield Problem(f"{path}.action", message, valid=", ".join(valid))
    elif name in config.actions and "actions" not in broken and config.actions[name].kinds[:1] in _REPLIES:
        message = said("{name!r} does nothing: it is a reply", "{name!r} 只是一段回复，不执行任何操作", name=name)
        yield Problem(f"{path}.action", message, valid=", ".join((*specs, REPORT)))


# What questions would decide to


def decided(name: str, config: Config, policy: Policy, at: float, tongue: Tongue | None = None) -> Decision:
    """What the question of that schedule would decide to at that moment. Raises PointsmanError."""
    schedule = config.schedules[name]
    caller = caller_of(name, schedule, config)
    request = Request(
        "schedule",
        "chat",
        entry_of(schedule, config),
        (Turn("user", schedule.ask or ""),),
        now=at,
        user=schedule.run_as.user,
        caller=caller.name,
        caller_role=caller.role,
        caller_group=caller.group,
    )
    return decide(request, policy, Snapshot.of(()), tongue=tongue)


def wrong_asks(config: Config, policy: Policy, now: float) -> Iterator[Problem]:
    """Questions that no rule takes whole, looked at for the next of their times; and plans of reports that there are not."""
    for name, schedule in config.schedules.items():
        if schedule.action == REPORT:
            try:
                named_plan(schedule.parameters, {spec.name: spec for spec in policy.document.reports})
            except PointsmanError as error:
                yield Problem(f"schedules.{name}.parameters", error.message)
        if schedule.ask is None:
            continue
        at = next_after(timing_of(schedule, config), now) or now
        path = f"schedules.{name}.ask"
        try:
            first, second = (decided(name, config, policy, at, tongue) for tongue in _TONGUES)
        except PointsmanError as error:
            yield Problem(path, error.message)
            continue
        if schedule.allow_model or by_rule(first):
            continue
        if first.clarification is not None:
            message = said(*_ASKS, text=Said(first.clarification, second.clarification or ""))
        elif first.stage == "l0":
            message = said(*_REFUSED, why=Said(first.reason, second.reason))
        else:
            message = said(*_TO_A_MODEL, why=Said(first.reason, second.reason))
        yield Problem(path, message, valid=_WHOLE)


# The jobs


def submission_of(name: str, schedule: Schedule, config: Config, at: float) -> Submission:
    """The job for one time of it: the same, to the byte of its id, whoever makes it."""
    key = f"{SCHEDULED}{name}:{in_utc(at)}"
    digits = f"{int(at) * 1000:011x}{hashlib.sha256(key.encode()).hexdigest()[:14]}"
    caller = caller_of(name, schedule, config)
    body: msgspec.Struct
    if schedule.ask is not None:
        body = _request(schedule, config, caller, f"req_{digits}", at, _onward(name, schedule, config))
    else:
        body = KeptAction(
            action=schedule.action or "",
            parameters=msgspec.json.encode(schedule.parameters),
            request_id=f"req_{digits}",
            language=language_for(schedule, config),
            base_url=f"http://{_host(config)}",
            role=caller.role,
            user=schedule.run_as.user,
            onward=_onward(name, schedule, config),
        )
    return Submission(
        id=f"job_{digits}",
        queue="interactive",
        kind="request" if schedule.ask is not None else "action",
        caller=caller.name,
        created=at,
        body=encode(body),
        key=key,
    )


def _request(
    schedule: Schedule, config: Config, caller: Caller, request_id: str, at: float, onward: Onward
) -> KeptRequest:
    message = {"role": "user", "content": schedule.ask}
    body: dict[str, Any] = {"model": entry_of(schedule, config), "messages": [message]}
    if schedule.run_as.user is not None:
        body["user"] = schedule.run_as.user
    return KeptRequest(
        path=CHAT,
        body=msgspec.json.encode(body),
        caller=caller,
        request_id=request_id,
        received=at,
        headers=((b"host", _host(config).encode()),),
        rules_only=not schedule.allow_model,
        onward=onward,
    )


def _onward(name: str, schedule: Schedule, config: Config) -> Onward:
    return Onward(
        deliver=tuple(dict.fromkeys(schedule.deliver)),
        on_failure=tuple(dict.fromkeys(schedule.on_failure)),
        language=language_for(schedule, config),
        schedule=name,
    )


def caller_of(name: str, schedule: Schedule, config: Config) -> Caller:
    """As whom it asks: the key that it names, else itself."""
    as_key = next((key for key in config.auth.keys if key.name == schedule.run_as.key), None)
    role = schedule.run_as.role
    if as_key is None:
        return Caller(f"{SCHEDULED}{name}", role)
    return Caller(as_key.name, role or as_key.role, usage=as_key.usage, group=as_key.group)


def entry_of(schedule: Schedule, config: Config) -> str:
    return schedule.entry or next(iter(config.entries), "auto")


def language_for(schedule: Schedule, config: Config) -> Tongue:
    """The one of its mails, and of what its action says."""
    if schedule.language is not None:
        return schedule.language
    return tongue_of(language_of(schedule.ask) if schedule.ask else "", config.server.language)


def _host(config: Config) -> str:
    """Where this machine reaches the gateway, for links; `server.public_url` is for everybody else."""
    host = config.server.host
    host = "127.0.0.1" if host in _ANYWHERE or host.startswith("/") else host
    host = f"[{host}]" if ":" in host and not host.startswith("[") else host
    return f"{host}:{config.server.port}" if config.server.port else host


class Schedules:
    """The schedules of one process. `config` is the one there is now."""

    def __init__(self, store: JobStore, clock: Clock, config: Callable[[], Config]) -> None:
        def submission(name: str, at: float) -> Submission:
            return submission_of(name, config().schedules[name], config(), at)

        self._scheduler = Scheduler(store, clock, submission)
        self._task: asyncio.Task[None] | None = None

    def install(self, config: Config) -> None:
        """From here on these are the schedules."""
        idle = tuple(name for name, schedule in config.schedules.items() if not schedule.enabled)
        self._scheduler.install(planned_of(config), idle)

    @property
    def problems(self) -> list[Said]:
        """Why none is looked at now, if none is."""
        why = self._scheduler.problem
        return [] if why is None else [said("no schedule is looked at: {why}", "暂时无法执行计划任务：{why}", why=why)]

    def start(self) -> None:
        self._task = asyncio.create_task(self._scheduler.run())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)


_TONGUES: tuple[Tongue, Tongue] = ("en", "zh")
_BAD_NAME = "{name!r} cannot be the name of a schedule", "{name!r} 不能用作计划任务的名称"
_NEITHER = Said("says nothing of what to do", "没有写明要做什么")
_BOTH = Said("has both ask and action; make it two schedules", "同时写了 ask 和 action；请分成两个计划任务")
_NO_PARAMETERS = Said("belong to an action, and there is none", "parameters 属于 action，而这里没有 action")
_ASKS = ("it would be asked back: “{text}”", "会被反问：“{text}”")
_REFUSED = ("it would be refused: {why}", "会被拒绝：{why}")
_TO_A_MODEL = ("no rule takes it whole, it would go to a model: {why}", "没有规则能完整地接住它，会交给模型：{why}")
_WHOLE = Said(
    "a question that a rule takes whole (`pointsman explain` shows it), or allow_model: true",
    "规则能完整接住的问题（可用 `pointsman explain` 查看），或 allow_model: true",
)
