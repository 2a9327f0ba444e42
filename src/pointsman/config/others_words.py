"""What libraries and the system say of a mistake, with the Chinese beside it. Of what is not known here the Chinese says
only the kind; the English is always theirs, as it is."""

from __future__ import annotations

import errno
import re
import socket
from collections.abc import Callable, Sequence

from pointsman.domain.said import Said

_Table = Sequence[tuple[str, str]]

_SYSTEM = {
    errno.ENOENT: "没有这个文件或文件夹",
    errno.EACCES: "没有权限",
    errno.EPERM: "系统不允许",
    errno.EISDIR: "这是文件夹，不是文件",
    errno.ENOTDIR: "路径中有一段不是文件夹",
    errno.EEXIST: "已经存在",
    errno.EFBIG: "文件太大",
    errno.EDQUOT: "磁盘配额已用完",
    errno.ENAMETOOLONG: "名字太长",
    errno.ELOOP: "符号链接层数太多或成环",
    errno.ENOSPC: "磁盘已满",
    errno.EROFS: "文件系统是只读的",
    errno.EIO: "读写出错",
    errno.EMFILE: "打开的文件太多",
    errno.ENFILE: "系统打开的文件太多",
    errno.EINVAL: "参数无效",
    errno.EADDRINUSE: "地址已被占用",
    errno.EADDRNOTAVAIL: "本机没有这个地址",
    errno.EAFNOSUPPORT: "系统不支持这类地址",
    errno.ECONNREFUSED: "连接被拒绝",
    errno.ETIMEDOUT: "连接超时",
}

_YAML: _Table = (
    (r"found undefined alias(?: '(.*)')?", "没有定义过这个别名（*名字）"),
    (r"found duplicate anchor.*", "同一个锚点（&名字）定义了两次"),
    (r"expected a single document in the stream", "一个文件里只能有一个文档（多了一个 ---）"),
    (r"found (?:unhashable|unacceptable) key.*", "列表和映射不能作键"),
    (r"expected a mapping or list of mappings for merging.*", "<< 的值必须是映射，或由映射组成的列表"),
    (r"expected a mapping for merging.*", "<< 的值必须是映射"),
    (r"could not determine a constructor for the tag.*", "不认识这个标签"),
    (r"found undefined tag handle.*", "没有定义过这个标签前缀"),
    (r"did not find expected ',' or '\}'", "缺少“,”或“}”"),
    (r"did not find expected ',' or '\]'", "缺少“,”或“]”"),
    (r"expected ',' or '\}', but got (.*)", "缺少“,”或“}”"),
    (r"expected ',' or '\]', but got (.*)", "缺少“,”或“]”"),
    (r"did not find expected key", "这里应当是一个键，请检查缩进和冒号"),
    (r"did not find expected '-' indicator", "这里应当是以“-”开头的一项，请检查缩进"),
    (r"did not find expected node content", "这里缺少内容"),
    (r"did not find expected <document start>", "这里不应再有内容，请检查缩进"),
    (r"did not find expected alphabetic or numeric character", "锚点或别名后面缺少名字"),
    (r"did not find expected whitespace or line break", "这里缺少空格或换行"),
    (r"did not find expected hexdecimal number", "转义序列里缺少十六进制数字"),
    (r"did not find expected comment or line break", "这里只能是注释或换行"),
    (r"(?:could not|did not) find expected ':'", "缺少“:”"),
    (r"mapping values are not allowed (?:in this context|here)", "这里不能出现“键: 值”；值里含有“: ”时请加引号"),
    (r"block sequence entries are not allowed in this context", "这里不能出现以“-”开头的列表项"),
    (r"mapping keys are not allowed in this context", "这里不能出现映射的键"),
    (r"found character (?:that|'.*' that) cannot start any token.*", "这个字符不能出现在这里（缩进不能用制表符）"),
    (r"found a tab character .*", "缩进不能用制表符"),
    (r"found unknown escape character.*", "不认识这个转义字符"),
    (r"found invalid Unicode character escape code.*", "转义序列不是有效的 Unicode 字符"),
    (r"found unexpected end of stream.*", "内容在这里中断了，可能缺少引号或括号"),
    (r"found unexpected document indicator", "引号里出现了文档分隔符（--- 或 ...）"),
    (r"found unexpected ':'", "这里不能出现“:”"),
    (r"control characters are not allowed|unacceptable character .*", "含有不可见的控制字符"),
    (r"invalid (?:leading|trailing) UTF-8 octet|incomplete UTF-8 octet sequence", "不是有效的 UTF-8"),
    (r"invalid Unicode character", "不是有效的 Unicode 字符"),
)  # fmt: skip

_TYPES = {
    "int": "整数",
    "float": "数字",
    "str": "文本",
    "bool": "布尔值（true 或 false）",
    "array": "列表",
    "object": "映射",
    "null": "空值",
}
_EXPECTED = re.compile(r"Expected `([a-z| ]+)`(?: (?:(of length )?(<=|>=|<|>) (\S+)|.*))?(?:, got `([a-z| ]+)`)?")
_BOUNDS = {">=": "不小于", "<=": "不大于", ">": "大于", "<": "小于"}


def why(error: Exception) -> str:
    """The reason in an error of the system, without number and file name, or else all that it says."""
    return Said(str(getattr(error, "strerror", None) or error), _why_zh(error))


def all_of(error: Exception) -> str:
    """The whole text of an error of the system, file name and number included; in Chinese the reason."""
    return Said(str(error), _why_zh(error))


def message_of(error: Exception) -> str:
    """What an error says, in both languages where it was raised with both."""
    first = error.args[0] if error.args else None
    return first if isinstance(first, Said) else str(error)


def yaml_says(text: str) -> str:
    """A message of the YAML reader."""
    return text if isinstance(text, Said) else Said(text, _look_up(text, _YAML, "这里不符合 YAML 的写法"))


def type_says(text: str) -> str:
    """The Chinese of a message of msgspec on a value of a wrong type or out of bounds."""
    found = _EXPECTED.match(text)
    if not found:
        return "这个值不合要求"
    wanted, length, sign, bound, given = found.groups()
    kinds = "或".join(_TYPES.get(kind, kind) for kind in wanted.split(" | ") if kind != "null")
    if sign:
        bound = bound.rstrip(",")
        bound = bound.removesuffix(".0")
        said = f"长度必须{_BOUNDS[sign]} {bound}" if length else f"必须是{_BOUNDS[sign]} {bound} 的{kinds}"
    else:
        said = f"必须是{kinds}"
    return f"{said}，而不是{_TYPES.get(given, given)}" if given else said


def in_both(text: str, change: Callable[[str], str]) -> str:
    """The text changed, in each of its languages."""
    return Said(change(str(text)), change(text.zh)) if isinstance(text, Said) else change(text)


def _why_zh(error: Exception) -> str:
    said = message_of(error)
    if isinstance(said, Said):
        return said.zh
    if isinstance(error, socket.gaierror):
        return "这个名字无法解析成地址"
    if isinstance(error, OSError) and error.errno is not None:
        return _SYSTEM.get(error.errno, f"系统错误 {error.errno}")
    if isinstance(error, TimeoutError):
        return _SYSTEM[errno.ETIMEDOUT]
    if isinstance(error, ConnectionError):
        return "连接中断"
    if "null byte" in said or "null character" in said:
        return "含有零字节"
    return f"出错（{type(error).__name__}）"


def _look_up(text: str, table: _Table, other: str) -> str:
    return next((zh for pattern, zh in table if re.fullmatch(pattern, text)), other)
