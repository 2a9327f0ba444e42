"""What a replay says of reasons, parts and places, in both languages."""

from __future__ import annotations

from pointsman.domain.said import Said, said
from pointsman.offline.replay.again import Assumed, Unread
from pointsman.offline.replay.moved import Aspect, Place, PlaceKind
from pointsman.offline.replay.outcome import Cause
from pointsman.offline.replay.parts import ORDER, How, Kind, Part
from pointsman.offline.replay.speeds import From

UNREAD: dict[Unread, Said] = {
    "off": Said("the prompt was not kept (log.prompts: off)", "没有保存提示词（log.prompts: off）"),
    "no_key": Said("the prompt is sealed, and its key is not here", "提示词已加密，这里没有密钥"),
    "older": Said("another version wrote it in a way that is not read", "由其他版本写入，格式无法读取"),
    "no_policy": Said("the log has the policy no more that decided it", "日志里已没有当时的策略"),
    "no_snapshot": Said("the log has the state of the targets no more", "日志里已没有当时的目标状态"),
    "version": Said(
        "its own policy does not lead to what was logged: another version of the gateway decided it",
        "用当时的策略也算不出记录的结果：由其他版本的网关决定",
    ),
    "arbiter": Said(
        "an arbiter would have to be asked that was not asked then", "需要询问仲裁器，而当时没有问过（或意图已变）"
    ),
    "meaning": Said(
        "the embedding model would have to be asked that was not asked then", "需要询问向量模型，而当时没有问过"
    ),
    "cut": Said(
        "time for its rules ran out, and how far others would come is not known",
        "当时规则超时，换了规则不知道会走到哪里",
    ),
}
ASSUMED: dict[Assumed, Said] = {
    "last": Said(
        "the target that its session had is taken as logged, also where an earlier request of it moves",
        "会话上一次的目标按日志取，即使同一会话更早的请求会移动",
    ),
    "hearing": Said("what the arbiter heard is taken as logged", "仲裁器听到的内容按日志取"),
    "idle": Said("a target that was not scored then is taken to be idle", "当时没有评分的目标按空闲处理"),
    "no_last": Said(
        "its session is taken to have had no target: it was not scored then",
        "当时没有评分，所以会话按没有上一个目标处理",
    ),
    "state": Said(
        "goes to a target that was not there then: taken as known at another time, or as its model is elsewhere",
        "去往当时没有的目标：按它在其他时候、或同一模型在别处的情况处理",
    ),
}
ASPECTS: dict[Aspect, Said] = {
    "stage": Said("stage", "层级"),
    "rule": Said("rule", "规则"),
    "action": Said("action", "动作"),
    "target": Said("target", "目标"),
    "order": Said("order", "顺序"),
    "words": Said("words", "措辞"),
    "notes": Said("notes", "标记"),
}
SPEEDS: dict[From, Said] = {
    "log": Said("this log", "本日志"),
    "like": Said("the same model elsewhere", "同一模型的其他后端"),
    "rates": Said("measured rates", "实测速率"),
    "size": Said("a guess by size", "按规模猜测"),
}
_KINDS: dict[Kind, Said] = {
    "rule": Said("rule", "规则"),
    "action": Said("action", "动作"),
    "route": Said("route", "路由"),
    "weights": Said("weights", "权重"),
    "entry": Said("entry", "入口"),
    "target": Said("target", "目标"),
    "name": Said("name", "名称"),
    "quality": Said("quality of", "质量"),
    "classifier": Said("classifier", "分类器"),
    "arbiter": Said("arbiter", "仲裁器"),
    "intent": Said("intent", "意图"),
    "explore": Said("explore", "探索"),
    "fallback": Said("fallback", "兜底"),
    "frame": Said("frame", "框架"),
    "report": Said("report", "报表"),
    "channel": Said("channel", "渠道"),
    "time": Said("time", "时间"),
}
_HOWS: dict[How, Said] = {
    "added": Said("added", "新增"),
    "removed": Said("removed", "删除"),
    "changed": Said("changed", "修改"),
    "moved": Said("in another order", "顺序改变"),
}
_PLACES: dict[PlaceKind, Said] = {
    "rule": Said("rule {name}", "规则 {name}"),
    "intent": Said("intent {name}", "意图 {name}"),
    "question": Said("asks back ({name})", "反问（{name}）"),
    "target": Said("{name}", "{name}"),
    "none": Said("nowhere ({name})", "无处可去（{name}）"),
}
_ORDERED = Said("all", "全部")


def part_text(part: Part) -> Said:
    name = _ORDERED if part.name == ORDER else part.name
    how = _HOWS[part.how]
    if not part.name:
        return said("{kind} {how}", "{kind}{how}", kind=_KINDS[part.kind], how=how)
    return said("{kind} {name} {how}", "{kind} {name} {how}", kind=_KINDS[part.kind], name=name, how=how)


def cause_text(cause: Cause) -> Said:
    """Each of them alone, or all together."""
    texts = [part_text(part) for part in cause.parts]
    if not texts:
        return Said("?", "？")
    en, zh = (" or ", "，或 ") if cause.alone else (" with ", "，加上 ")
    return Said(en.join(texts), zh.join(text.zh for text in texts))


def place_text(place: Place) -> Said:
    template = _PLACES[place.kind]
    return said(template, template.zh, name=place.name or "-")
