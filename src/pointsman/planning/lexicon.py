"""The words around a report: formats, and everything that carries no meaning of its own in such a request."""

from __future__ import annotations

from pointsman.domain.report import Format

FORMATS: dict[str, Format] = {
    "pdf": "pdf",
    "excel": "xlsx",
    "xlsx": "xlsx",
    "xls": "xlsx",
    "电子表格": "xlsx",
    "spreadsheet": "xlsx",
    "workbook": "xlsx",
    "表格": "xlsx",
    "csv": "csv",
}

DETAILS = ("明细", "逐条", "每一笔", "流水", "detail", "details", "detailed", "line items", "row by row")

# Words for a report as such.
NOUNS = (
    *("报表", "报告", "汇总", "数据", "明细", "清单", "统计", "台账", "业绩", "销量"),
    *("report", "reports", "data", "figures", "summary", "spreadsheet", "numbers", "breakdown", "results"),
)

# What may be left of a request when report, period, filters and format are taken out.
FILLER_ZH = (
    "麻烦你 麻烦 劳驾 请问 请你 请 帮我 帮忙 帮 给我 替我 为我 我想要 我想 我要 我需要 需要 想要 想 要 "
    "能不能 能否 可以 可不可以 能 可 吗 吧 呢 啊 哦 哈 呀 啦 了 一下子 一下 下 把 将 的 为 成 到 以 "
    "用 按 从 在 和 与 及 并 跟 或 里 中 内 所有 全部 整个 整体 完整 整 各 每个 每 分 个 导出 导 "
    "输出 生成 制作 做成 做 弄成 弄 转成 转为 转换成 转 换成 存成 存为 存 保存成 保存为 保存 另存为 下载 "
    "打印 打 拉出来 拉 拉取 调出 调 出具 出 汇总成 整理成 整理 提供 发给 发送给 发送 发到 发 传给 传 来 "
    "拿 取 查 做一 一份 一个 一张 份 张 版 版本 格式 形式 文件 文档 文件夹 附件 原始 最新 详细 简单 简要 "
    "正式 今早 现在 马上 尽快 立刻 急 谢谢 多谢 谢啦 谢 辛苦 我 你 您 我们 咱们 老板 领导 经理 同事 "
    "客户看 看看 看 用于 用来 报表 报告 汇总表 汇总 数据 明细表 明细 清单 统计表 统计 总结 总表 台账 表 "
    "情况 记录 信息 内容 资料 结果 全国 公司 我司 单独 出来 过来 好 先 再 选 选择 给 产生 快 都 要用 等着要 "
    "就 行 嗯 那 那个 这 这个 这份 那份 顺便 直接 帮我把 小助手 助手 你好 您好 需 呗 嘛 份儿 期间 时候 "
    "之间 内的 当中 这段 那段 时间 时间段 "
).split()
FILLER_EN = frozenset(
    (
        "a about all also an and as asap attached attachment be between boss breakdown build by can complete copy "
        "could covering create dashboard data dataset detail detailed details doc document download during e-mail "
        "each email entire excel-file export export's exported exporting fetch figures file files final for form "
        "format from full generate get give group grouped have hello help here hey hi i i'd i'll if in into is it "
        "just kindly latest let let's lets like list make manager may me me. my need new now numbers of on one our "
        "out output over overview per period please pls plz possible prepare print produce pull put quick quickly "
        "ready records report reporting reports results run s save send share sheet sheets show showing so some "
        "split summaries summary table team thank thanks that the there this time to today's turn up us version "
        "want wants we whole will with within would you "
    ).split()
)
