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

# Behind these stands what is to be exported, and no verb.
TAKERS = (
    *("导出", "下载", "输出", "打印", "生成", "制作", "拉取", "调取", "调出", "保存", "导", "把", "将"),
    *("做个", "出个", "来个", "要个", "拉个", "一份", "一张", "一个", "做份", "出份", "来份", "要份", "拉份", "发份"),
)

# A word that holds one of these is no value, wherever it stands.
NO_VALUE = (
    # what is done with figures, or what they are about
    "分析 预测 趋势 走势 对比 比较 同比 环比 占比 比例 排名 排行 排序 总结 复盘 回顾 评价 点评 评估 解读 解释 说明 介绍 "
    "建议 方案 计划 规划 策略 目标 预算 预计 预估 预期 实际 累计 合计 平均 人均 总体 整体 最高 最低 最大 最小 最好 最差 最佳 "
    "前三 前五 前十 前二 前百 后三 后五 后十 重点 关键 核心 主要 热门 热销 畅销 滞销 爆款 增长 下降 下滑 上涨 上升 提升 提高 "
    "促进 推动 拉动 带动 影响 改善 改进 优化 增加 减少 降低 完成 达成 突破 超过 达到 实现 冲刺 展示 呈现 反映 体现 计算 核算 "
    "汇报 参考 饼图 状图 线图 图形 看板 大屏 概览 总览 均 "
    # times that no period is read from
    "上午 下午 早上 晚上 白天 凌晨 中午 傍晚 夜间 高峰 旬 月初 月中 月底 月末 年初 年底 年末 年中 周末 春节 国庆 中秋 元旦 端午 清明 "
    "节日 节假 假期 长假 寒假 暑假 双十 十一 五一 春天 夏天 秋天 冬天 季 半 第 同期 工作日 截止 截至 开始 结束 以来 以前 以后 前后 左右 "
    # what is no real data, or no data at all
    "模拟 测试 虚拟 随机 示例 样例 范例 样本 演示 虚构 伪造 造假 仿真 练习 假的 假数 空白 模板 模版 范文 教程 教学 培训 接口 方法 "
    "步骤 流程 权限 功能 工具 脚本 程序 系统 公式 图表 图片 海报 文案 文章 邮件 口号 标题 封面 "
    # what happened to a file, or is to be done with it
    "失败 成功 异常 错误 出错 报错 有误 问题 原因 丢失 缺失 遗漏 误删 删除 删掉 修改 更新 更正 调整 提交 上报 上传 审核 审批 核对 "
    "检查 校验 确认 签字 盖章 归档 备份 共享 分享 收到 看到 打开 翻译 润色 编写 撰写 设计 开发 合并 拆分 加密 解密 压缩 上次 上回 "
    "刚才 之前 历史 过期 草稿 初稿 终稿 定稿 样稿 "
    # how it is to be
    "中文 英文 双语 日文 彩色 黑白 横版 竖版 新版 旧版 月度 年度 周度 日度 每日 每周 每月 每天 逐日 逐月 按日 按月 自动 定时 批量 手工 "
    "默认 标准 临时 自定义 "
    # what is compared, negated or meant in general
    "关于 有关 对于 针对 根据 基于 围绕 相关 不同 其他 其它 其余 类似 相同 一样 同样 这样 那样 怎样 什么 哪些 哪个 哪里 多少 如何 "
    "为何 以外 之外 除 不 没 未 别 无法 非 谁 何 几 某 哪 最 更 很 太 只 仅 已 被 让 使 就是 还是 或者 而且 但是 因为 所以 如果"
).split()

NO_VALUE_EN = frozenset("template layout letterhead style design chart charts graph graphs percent comparison".split())
