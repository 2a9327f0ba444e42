"""What surrounds every page: where one can go, and by which keys."""

from __future__ import annotations

import msgspec

from pointsman.domain.said import Said


class Place(msgspec.Struct, frozen=True):
    """An entry of the menu. `key` goes there after `g`; `name` is what its page says it is."""

    name: str
    path: str
    title: Said
    key: str


PLACES = (
    Place("now", "/ui", Said("Now", "现状"), "n"),
    Place("requests", "/ui/requests", Said("Requests", "请求"), "r"),
    Place("rules", "/ui/rules", Said("Rules", "规则"), "u"),
    Place("decide", "/ui/decide", Said("Decide", "试判"), "d"),
    Place("playground", "/ui/playground", Said("Playground", "对话"), "p"),
    Place("models", "/ui/models", Said("Models & nodes", "模型与节点"), "m"),
    Place("jobs", "/ui/jobs", Said("Jobs", "任务"), "j"),
    Place("replay", "/ui/replay", Said("Replay", "重放"), "y"),
    Place("evaluate", "/ui/evaluate", Said("Evaluate", "评测"), "e"),
    Place("keys", "/ui/keys", Said("Keys", "密钥"), "k"),
    Place("doctor", "/ui/doctor", Said("Doctor", "体检"), "o"),
    Place("help", "/ui/help", Said("Help", "帮助"), "h"),
)
"""In the order of the menu, which shows those that have a page."""


class Key(msgspec.Struct, frozen=True):
    """What a key does, wherever nobody is typing."""

    key: str
    does: Said


KEYS = (
    Key("?", Said("show these keys", "显示这些快捷键")),
    Key("/", Said("to the first field of the page", "跳到页面的第一个输入框")),
    Key("j", Said("to the next row", "下一行")),
    Key("k", Said("to the row before", "上一行")),
    Key("Enter", Said("open the row", "打开这一行")),
    Key("p", Said("hold the live list, or let it go on", "暂停或继续实时列表")),
    Key("Esc", Said("close what is open", "关闭打开的内容")),
)


class Shell(msgspec.Struct, frozen=True):
    """What every page shows of the gateway itself. `zone` is the time zone of what is shown."""

    version: str
    policy: str
    zone: str
