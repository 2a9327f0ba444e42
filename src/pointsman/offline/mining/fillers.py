"""Words that carry no intent of their own, so that no pattern is made of them and their presence is no surprise."""

from __future__ import annotations

FILLERS = frozenset(
    """
的 了 着 过 吧 吗 呢 啊 呀 哦 哈 嘛 嗯 么 把 将 被 给 帮 帮我 帮忙 替 为 为了 成 到 在 从 向 对 跟 和 与 及 以及 或 或者 还是 并 而 且 但 但是
所以 因为 如果 就 就行 就好 就是 也 都 还 又 再 才 只 很 太 最 更 请 请问 麻烦 劳驾 烦请 辛苦 拜托 谢谢 多谢 感谢 您 你 我 他 她 它 我们 你们
他们 咱们 自己 这 那 这个 那个 这些 那些 这里 那里 一下 一个 一份 一张 一些 下 个 份 张 次 点 种 条 想 要 想要 需要 可以 能 能否 能不能 可不可以
可否 可 会 会不会 是否 是 有 没有 没 不 去 来 用 让 使 叫 做 弄 搞 急 急需 急要 尽快 马上 立刻 现在 赶紧 尽量 格式 形式 文件 版 版本 方式 一起 单独
其中 里 里面 中 上 下面 以下 之 等 各 每 每个 全部 所有 按 按照 根据 关于 出来 起来 下来 过来 发 发到 老板 领导 同事 客户 谢谢啦 啦 喽 咯 呗 好 行
之前 以后 然后 先 后 时候 东西 需 该 此 其 某 第 十分 非常 比较 一 二 三 两 几 为 以 于 由 即 如 若 则
a an the of to for in on at by with from and or but if is are was be been do does did can could would will shall may might should please pls thanks
thank you your i me my we us our it its this that these those as so just also now some any all there here have has had get got hi hello
""".split()
)

FORMATS = (
    "pdf", "excel", "xlsx", "xls", "csv", "word", "docx", "doc", "ppt", "pptx", "json", "xml", "txt", "png", "jpg", "markdown", "html",
)  # fmt: skip
