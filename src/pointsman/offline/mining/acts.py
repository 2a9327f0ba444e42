"""What a person asks to be done with a thing, as far as words of asking tell it.

导出上周的报表, 怎么导出报表 and 写一个导出报表的函数 have their nouns and a verb in common and want three things. Which of
them is wanted is in few words that are the same in every field, so they stand here, and only they: what is asked *about*
is learned from the traffic. Acts are evidence for telling questions apart; no rule is made of them alone.
"""

from __future__ import annotations

from typing import Any

import re2

_NOUN = "表报单数据记录日周月"
"""分析报表 is a kind of report, 分析一下报表 is something to be done."""

_LIGHT, _ASKING = "导倒拉打出做整跑弄备", ("给我", "我", "个", "份", "张", "一个", "一份", "一张", "一版", "出来", "成")

_ACTS: dict[str, tuple[str, ...]] = {
    "export": (
        "导出", "汇出", "产出", "导成", "导为", "导个", "导一", "倒出", "生成", "做成", "制作", "制成", "下载", "打印", "输出", "保存", "存成", "存为", "另存",
        "转成", "转为", "转换成", "整理成", "汇总成", "合成", "弄成", "弄个", "弄一份", "发我", "发给我", "发到", "发份", "发一份", "发过来",
        "传我", "传给我", "给我", "给个", "给一份", "我要", "想要", "需要", "急需", "要一份", "要个", "要份", "来个", "来份", "来一份", "来一张",
        "来张", "拉个", "拉份", "拉一", "拉出", "拉取", "拉下", "调出", "取出", "提取", "出个", "出份", "出一", "出张", "出具", "做个", "做份",
        "做一份", "做一张", "整个", "整份", "整一份", "跑个", "跑一", "跑份", "提供", "备一份", "打出", "打一份",
        "export", "download", "generate", "print", "save", "produce", "send me", "give me", "i need", "pull", "make me", "get me",
        "prepare", "output", "create",
        *(verb + rest for verb in _LIGHT for rest in _ASKING),
    ),
    "how": (
        "怎么", "怎样", "如何", "咋", "步骤", "教程", "方法", "流程", "办法", "在哪", "哪里", "哪儿", "入口", "思路", "怎麼",
        "how to", "how do", "how can", "how should", "how would", "where", "steps",
    ),
    "why": ("为什么", "为何", "为啥", "原因", "怎么回事", "凭什么", "why", "reason"),
    "what": (
        "是什么", "什么是", "什么意思", "是啥", "啥意思", "哪些", "有什么", "什么", "区别", "不同", "含义", "意思", "定义", "哪个", "哪张", "哪家",
        "是谁", "谁的", "多久", "什么时候", "何时", "多少", "几个", "是不是", "有没有", "支持吗", "哪种", "哪几",
        "what is", "what's", "what are", "what does", "what do", "which", "when", "who", "difference between", "meaning", "how long", "how many", "what were", "what was", "did",
        "how much",
    ),
    "trouble": (
        "失败", "报错", "出错", "错误", "异常", "打不开", "无法", "不了", "不出来", "乱码", "卡住", "卡死", "没反应", "崩溃", "丢失", "不见了", "不对",
        "超时", "灰色", "损坏", "缺少", "少了", "不一致", "返回", "提示", "慢", "bug", "error", "fails", "failed", "broken", "can't", "cannot",
        "doesn't", "not working", "wrong", "crash", "slow",
    ),
    "code": (
        "代码", "函数", "脚本", "接口", "正则", "编程", "算法", "程序", "公式", "组件", "变量", "表结构", "python", "java", "javascript", "sql", "api",
        "code", "function", "script", "regex", "class", "bug", "vba",
    ),
    "write": (
        "写", "撰写", "起草", "编写", "拟", "润色", "改写", "作文", "文案", "邮件提醒", "口号", "写信",
        "write", "draft", "compose", "proofread", "rewrite",
    ),
    "translate": ("翻译", "译成", "翻成", "英文怎么说", "translate"),
    "analyse": (
        "分析", "对比", "比较", "解读", "解释", "评估", "预测", "总结", "归纳", "概括", "点评",
        "讲讲", "讲一下", "说说", "介绍", "说明", "提炼", "要点", "下降", "上升",
        "analyse", "analyze", "explain", "summarise", "summarize", "compare", "forecast", "review",
    ),
    "advise": ("建议", "推荐", "怎么看", "应该", "值得", "适合", "好不好", "suggest", "recommend", "should", "advice", "ideas"),
    "change": (
        "修改", "删除", "上传", "导入", "设计", "设置", "设成", "配置", "开发", "权限", "修复", "优化", "取消", "审批", "提交", "改成", "改为", "更新", "上线",
        "功能", "模板", "定时", "自动", "delete", "upload", "import", "design", "configure", "modify", "schedule", "change",
    ),
    "plan": ("计划", "规划", "方案", "安排", "plan"),
    "done": (
        "导出的", "导出过", "导出了", "下载的", "下载过", "下载了", "生成的", "生成过", "发我的", "打印的", "忘了", "忘记", "收到", "放哪",
        "exported", "downloaded",
    ),
    "refer": (
        "这份", "这张", "这个(?:[^月季星周礼]|$)", "已经", "刚才", "刚刚", "上次", "附件", "下面", "以下", "如下",
        "this report", "this file", "this sales", "this pdf", "you sent", "you made", "your", "already", "here's", "here is",
        "attached", "below",
    ),
    "find": ("查询", "查一下", "查下", "查看", "看一下", "看看", "找一下", "找到", "查", "show", "look up", "find", "check"),
    "switch": ("打开", "关闭", "关掉", "启动", "停止", "重启", "重置", "开通", "申请", "预订", "预约", "turn on", "turn off", "reset", "book", "open"),
}  # fmt: skip
FORMS = {word: f"/{word}(?:[^{_NOUN}]|$)/" for word in ("分析", "对比", "比较", "计划", "写")} | {
    "这个": "/这个(?:[^月季星周礼]|$)/"
}
"""How a rule says it: a pattern, where the word alone would be in a noun too."""
ENDS_WITH_FORMAT = (
    r"/(?:pdf|excel|xlsx?|csv|表格)(?:格式|文件|表格|版|的|就行|就好|即可|吧|哈|[,.!~ ]|谢谢|多谢|啦|了|要)*$/"
)
"""上周的订单明细，Excel: who names a format last wants it made, without a verb."""
LIGHT_VERB = f"/[{_LIGHT}](?:{'|'.join(_ASKING)})/"
"""导给我, 打一份, 拉成一张表: the verb says little, what is behind it asks for a thing."""
DOCUMENT = r"/\p{Han}(?:[表账单](?:[^格号户位独价元]|$)|[日周月季年]报|明细|汇总|流水|统计)/"
"""对账表, 缺货清单, 台账: what a business keeps is called by its last character."""
MADE_UP = frozenset(("write", "translate", "analyse", "code", "advise", "plan"))
"""What is asked for is written anew each time; no rule can have it ready."""
COMMONEST: dict[str, tuple[str, ...]] = {
    "how": ("怎么", "如何", "怎样", "how to"),
    "why": ("为什么", "为何", "原因", "why"),
    "what": ("什么", "哪些", "区别", "多久"),
    "trouble": ("失败", "报错", "打不开", "乱码", "异常"),
    "code": ("代码", "函数", "脚本", "接口"),
    "write": (FORMS["写"],),
    "translate": ("翻译", "translate"),
    "analyse": (FORMS["分析"], "总结", "解释"),
    "change": ("自动", "权限", "功能"),
    "done": ("导出的", "导出过", "下载的", "忘了", "放哪"),
    "refer": ("已经", "上次", "刚才"),
}
"""The words by which an act nearly always shows, whether or not the traffic had them."""
OTHER_WISHES = frozenset(("how", "why", "what", "trouble", "code", "write", "translate"))
"""Whoever asks so wants something else than whoever does not, whatever it is about."""
NOT_TO_BE_DONE = OTHER_WISHES | {"done", "change"}
"""Who wants a thing made does not say that it was made, nor how it should be made from now on."""


def _pattern(words: tuple[str, ...]) -> Any:
    """Latin words end where words end."""
    parts = [
        rf"\b{word}\b" if word.isascii() and "(" not in word else FORMS.get(word, word).strip("/") for word in words
    ]
    return re2.compile(f"(?:{'|'.join(parts)})")


_PATTERNS = {act: _pattern(words) for act, words in _ACTS.items()}
_ANY: Any = re2.compile("|".join(pattern.pattern for pattern in _PATTERNS.values()))


def acts_of(folded: str) -> dict[str, tuple[str, ...]]:
    """The acts of a folded text, each with its words as they stand there."""
    if _ANY.search(folded) is None:
        return {}
    found = {}
    for act, pattern in _PATTERNS.items():
        words = tuple(dict.fromkeys(_plain(match.group(), act) for match in pattern.finditer(folded)))
        if words:
            found[act] = words
    return found


def _plain(found: str, act: str) -> str:
    """The word of a match that looked at the character behind it too."""
    return found if found in _ACTS[act] or found[:-1] not in (*FORMS, "这个") else found[:-1]
