"""File names with a known extension, without their folders.

Where a name begins: at a space, a slash, a quotation mark or any mark that names do not hold. Chinese has no spaces, so
words that ask for something are cut off: one after another from the beginning (请帮我打开销售表.xlsx), 把, 将, 的 and
phrases such as 保存为 anywhere, and small words (了, 和, 看, 叫) right before a Latin letter. Between quotation marks a name
may hold spaces.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import re2

from pointsman.extractors.file_names import (
    EXTENSIONS,
    LOGARITHMS_OF,
    METHODS_OF,
    PRODUCTS,
    WORDS_THAT_ARE,
    WORDS_THAT_END,
)
from pointsman.extractors.scan import HAN, WORD_BYTES, Find, byte_at, looks

_EXTENSION: Any = re2.compile(r"(?i)\.(" + "|".join(sorted(EXTENSIONS, key=lambda e: (-len(e), e))) + r")\b")
_NAME: Any = re2.compile(
    rf"(?:[A-Za-z0-9_.\-+~#&@$%\[\]{HAN}\x{{3040}}-\x{{30ff}}\x{{ac00}}-\x{{d7af}}·]|\([0-9A-Za-z]{{1,10}}\)"
    rf"|（[0-9A-Za-z{HAN}]{{1,8}}）)+$"
)
_QUOTED: Any = re2.compile(r"[\"'`“「『《‘]([^\"'`“”「」『』《》‘’/\\:\n]{1,80})$")
_NO_LEADING = tuple(
    word.encode()
    for word in """
    将来 将军 对话 对账 对照 和解 用户 用例 用品 在线 在职 到货 到期 从业 先进 再生 请假
    请购 请款 发票 发布 发货 发展 处理单 合并报表 检查表 检查单 分析报告 总结报告 参考文献
    运行日志 运行记录 执行方案 执行计划 需要 翻译稿 生成器 读书 读者 打印机 下载列表 修改记录
    修改意见
    """.split()  # noqa: SIM905
)
_CLOSING = tuple(mark.encode() for mark in "\"'`”」』》’")
_LEADING: Any = re2.compile(
    r"(?:请问|请|麻烦|帮忙|帮我|帮|给我|给|我想要?|我要|我们?的?(?:想|要)|想要?|需要|把|将|再|先|然后|接着|一下|下载|上传了?|上传|打开|查看|看看|看一下|看下|读取|读一下|"
    r"删除|删掉|发送|发给我|发我|发|导入|导出[为成到]?|解析|翻译|总结|概括|分析下|看下|总结下|翻译下|处理下|检查下|读下|分析|编辑|修改|检查|运行|执行|处理|参考|合并|压缩|解压|保存[为到成]"
    r"|另存为|存[为成到]|"
    r"改名[为成]|重命名[为成]|命名[为成]|名为|名叫|叫做|转换?[为成]|对比一?下?|比较一?下?|和|与|以及|及|跟|还有|或者?|到|在|从|用|对|这个文件|这个|那个|这份|那份|附件是?|文件名?是"
    r"|文件名?为|创建|新建|生成|写入|写到|输出[为到成]?|对比|比较|阅读|读|基于|根据|关于|打印|是|为)+"
)
_ANYWHERE: Any = re2.compile(
    r"(.*(?:把|保存[为到成]|另存为|命名[为成]|名为|名叫|叫做|转换?[为成]|导出[为成到]|存[为成到]|帮我|给我|一下|我的文件|发送|输出[为到成]|写入|文件名?[是为叫]|的|[^即必终]将"
    r"|[A-Za-z](?:打开|读取|编辑|查看|处理|导入|运行)))"
)
_SMALL: Any = re2.compile(
    r"(.*(?:了|看|是|的|在|和|与|用|从|到|对|为|成|叫|给|跟|里|中|个|份|文件|附件|脚本|打开|查看|读取|运行|执行|编译|删除|修改|检查|下载|上传|分析|请|读|写|让|照片|图片|图像|视频"
    r"|音频|录音|文档|表格|代码|程序|压缩包|日志|处理|对比|合并|转换|打包|压缩|解压|解析|翻译|总结|导入|导出|备份|创建|生成|新建|保存|输出|替换|移动|复制|重命名|加载|使用|改|开|及|或"
    r"|见))[A-Za-z0-9_]"
)


def find(data: bytes) -> Iterator[Find]:
    """The value: {"name", "extension"}; narrowed by the extension."""
    last = 0
    for match in looks(_EXTENSION, data):
        dot, end = match.span()
        if dot < last or not _ends_there(data, dot, end):
            continue
        low = max(last, dot - 240)
        stem = _stem(data, low, dot, end)
        if not stem:
            continue
        extension = match.group(1).decode().lower()
        start = dot - len(stem)
        text = stem.decode()
        if _is_no_file(data, text, extension, start, end):
            continue
        name = text + data[dot:end].decode()
        yield Find(start, end, {"name": name, "extension": extension}, extension)
        last = end


def _ends_there(data: bytes, dot: int, end: int) -> bool:
    """No call (obj.sort(…)), no further extension (.tar.gz), no address (docs.rs/serde)."""
    following, second = byte_at(data, end), byte_at(data, end + 1)
    if following == 0x2E and second in WORD_BYTES:
        return False
    if following == 0x28 and not data[end : end + 2].isspace():
        return False
    return following not in b"@=" or following == 0


def _stem(data: bytes, low: int, dot: int, end: int) -> bytes:
    if data.startswith(_CLOSING, end):
        quoted = _QUOTED.search(data[low:dot])
        if quoted:
            inner = quoted.group(1).strip()
            if b" " in inner or _NAME.fullmatch(inner):
                return bytes(inner)
    match = _NAME.search(data[low:dot])
    return _cut(match.group()) if match else b""


def _cut(name: bytes) -> bytes:
    """The name without the Chinese words that were glued before it."""
    if not name.isascii():
        leading = None if name.startswith(_NO_LEADING) else _LEADING.match(name)
        name = (name[leading.end() :] or name) if leading else name
        for pattern in (_ANYWHERE, _SMALL):
            match = pattern.match(name)
            if match:
                name = name[match.end(1) :] or name
    return name.lstrip(b".-+&%~")


def _is_no_file(data: bytes, stem: str, extension: str, start: int, end: int) -> bool:
    low = stem.lower()
    if data[max(0, start - 3) : start] == b"://" or (low.startswith("www.")):
        return True
    if "@" in stem and not any(f"@{n}x" in stem for n in "123"):
        return True
    if f"{low}.{extension}" in PRODUCTS:
        return True
    if (
        byte_at(data, end) == 0x2F
        and byte_at(data, end + 1) in WORD_BYTES
        and "/" not in data[max(0, start - 1) : start].decode("latin-1")
    ):
        return True  # docs.rs/serde
    if extension in WORDS_THAT_END:
        known = LOGARITHMS_OF if extension == "log" else METHODS_OF
        if low.rsplit(".", 1)[-1] in known or low in WORDS_THAT_ARE:
            return True
        if extension == "so" and not (low.startswith("lib") or not low.isalpha()):
            return True
    return (
        len(extension) == 1
        and len(stem) == 1
        and not (data[start - 1 : start] in (b"/", b"\\") or (stem.isalpha() and stem.islower()))
    )


def may_hold(data: bytes) -> bool:
    return b"." in data
