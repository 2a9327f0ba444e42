"""A made-up day of traffic: requests for reports in many words, questions that only sound like them, and everything else."""

from __future__ import annotations

import random

PERIODS = """
上周五 上周 昨天 上个月 本月 上季度 Q1 Q2 今年 去年 去年全年 前天 2026年3月 3月份 7月 上半年 近7天 最近三个月
本周 今天 10月1日到10月7日 五一期间 国庆期间 第三季度 今年前三个季度 双十一 9月 上周末
""".split()  # noqa: SIM905
REGIONS = """
华东区 华南 北京 杭州门店 华北大区 成都 线上渠道 二店 西南区 上海 深圳分公司 直营店
""".split()  # noqa: SIM905
OBJECTS = """
销售报表 销售汇总 销售数据 库存报表 订单明细 财务月报 营业额报表 考勤表 退货明细 毛利汇总 日报 周报表 客流数据
门店业绩表 回款明细 应收账款报表 采购清单 费用报表 会员数据 经营报表 流水
""".split()  # noqa: SIM905
FORMATS = """
PDF Excel CSV pdf excel csv xlsx PDF文件 Excel表格
""".split()  # noqa: SIM905

FORMS = """
把{p}{o}导出为{f} 导出{p}{r}{o} 帮我把{p}的{o}做成{f}发我 {p}{o}，{f}格式，谢谢 下载{p}的{r}{o}
麻烦导出一下{p}{o} 生成{p}{r}的{o}，要{f} 请把{r}{p}{o}转成{f} 我要{p}的{o}{f} 给我一份{p}{o}的{f}
来一份{p}的{o} 拉一下{p}{r}的{o} 打印{p}{o} {p}的{o}帮我出一份{f} 能不能把{p}{o}导成{f} {p}{r}{o}导出来，{f}
出一张{p}{o} 帮忙拉个{p}{o}，存成{f} 把{p}的{o}整理成{f}发到我邮箱 需要{p}{r}{o}，{f} {o}导出{p}的，{f}
可以导出{p}的{o}吗 将{p}{o}输出为{f} 发我{p}的{o}，{f}就行 老板急要{p}{o}，导出{f} {p}{o}下载一份{f}
做一份{p}{r}{o} 把{r}的{o}按月汇总，{p}的，导出{f}
""".split()  # noqa: SIM905

BY_HAND = """
把上周五销售报表导出为PDF 导出上季度华东区销售汇总 帮我把昨天的数据做成Excel发我 上个月各门店的营业额拉个表给我
昨儿的流水给我整一份excel 去年Q4的毛利，按区域分，出个PDF 今年1到6月的退货数据导出csv，谢谢啦
急！！上周订单明细，Excel 请将2026年10月的考勤记录导出成表格 开会用，麻烦打印一份本周的销售日报
把前天和昨天的库存数据一起导出来 财务要看上半年费用，帮忙生成报表 本月截至今天的回款表，下载
导一份三月份的采购清单给我
""".split()  # noqa: SIM905

NEAR = """
怎么导出报表 报表怎么导出成PDF 如何把上个月的销售数据导出为Excel 导出报表失败了怎么办
分析报表为什么上个月华东区下滑 写一个导出报表的函数 用Python写个脚本，把上周的订单明细导出成CSV
昨天导出的报表打不开 为什么导出的PDF是乱码 导出按钮点了没反应 报表导出的权限在哪里开 导出Excel时提示内存不足
上周的销售报表里毛利为什么是负数 解释一下这份报表第三列的含义 帮我写一封邮件，提醒大家周五前交上周的销售报表
翻译成英文：请导出上周的销售报表 总结一下上个月销售报表的要点 对比上季度和本季度的销售数据，说说原因
销售报表和销售汇总有什么区别 报表导出功能什么时候上线 PDF怎么转Excel Excel里怎么做数据透视表
怎样让报表每天自动发到邮箱 设计一张销售报表的表结构 写一条SQL查上个月每个门店的营业额 昨天的销售报表是谁导出的
导出的报表里为什么没有华东区 上周导出过的报表能不能找回来 报表模板应该包含哪些字段 不要导出上周的销售报表
先别导出，我还没改完 预测下个季度的销售额 帮我润色一下上周的周报 写一份上周的工作总结 生成一份下周的学习计划
做一个本周的健身计划 给我讲讲上周的数据泄露事件 把这段话整理成表格：苹果3斤，梨2斤 把照片导出到电脑怎么弄
微信聊天记录怎么导出 用Java实现销售数据的CSV下载接口 这个导出接口返回500 上个月销售额是多少 昨天哪家门店卖得最好
库存报表的数据源是哪张表 导出报表要等多久 请问下载报表需要什么权限 上季度华东区销售为什么下降了
给我一些提升门店销售的建议 怎么设置报表的打印边距 评估一下第三季度的经营数据
把上周的销售报表改成按区域展示的思路是什么 请解释Q2财务月报中的毛利率 导出Excel和导出CSV有什么不同
删除昨天生成的报表会影响数据吗 审批上个月费用报表的流程是什么 下载的Excel文件损坏了怎么修复
上周的订单明细为什么少了三条 写个正则匹配报表文件名 优化导出大数据量报表的性能
""".split()  # noqa: SIM905

SUBJECTS = """
量子计算 红楼梦 二叉树 光合作用 相对论 区块链 咖啡 猫 登山 围棋 微服务 神经网络 唐诗 火锅 马拉松 股票 宪法 疫苗
海洋 火星 丝绸之路 敦煌 钢琴 编译器 数据库索引 垃圾回收 梯度下降 哈希表 端午节 二十四节气 茶叶 陶瓷 青蒿素 极光
台风 地震 恐龙 蜜蜂 珊瑚 沙漠 京剧 书法 篆刻 武术 瑜伽 游泳 骑行 摄影 剪纸 风筝 长城 故宫 泰山 西湖 黄河 长江
三峡 高铁 航母 卫星 芯片 电池 光伏 风电 核能 氢能
""".split()  # noqa: SIM905
ELSE = """
什么是{s}
给我介绍一下{s}的历史
写一首关于{s}的诗
写一篇关于{s}的800字作文
{s}和{t}有什么关系
为什么{s}这么重要
用一句话解释{s}
帮我想三个{s}主题的活动名称
{s}适合小孩子学吗
把下面的话翻译成英文：{s}是人类的宝贵财富，{t}也是
用比喻说明{s}的原理
给七岁孩子讲讲{s}
{s}的优缺点各是什么
推荐几本讲{s}的书
我想了解{s}，从哪里开始
关于{s}，常见的误解有哪些
写一个以{s}为主题的短故事，主角叫小{t}
{s}会不会取代{t}
列出{s}的五个关键词
假如没有{s}，世界会怎样
帮我把这句话改得更通顺：{s}使我对{t}产生了兴趣
讨论{s}对{t}的影响
给{s}社团写一句招新口号
{s}最早出现在什么时候
请用英语写一段{s}的介绍
用Python实现一个和{s}有关的小游戏
explain {s} in one paragraph
我对{s}过敏怎么办
你觉得{s}好玩还是{t}好玩
谁是{s}领域最有名的人
{s}一般要花多少钱
周末想去看{s}，有什么建议
做{s}需要准备哪些工具
昨晚梦见{s}是什么意思
{s}的英文怎么说
学{s}对{t}有帮助吗
请评价一下{s}的未来
""".strip().split("\n")
OFFICE = """
这段代码为什么空指针
Python怎么读取{n}个文件
for循环里怎么删除列表元素
帮我写一封请假邮件，请{n}天
下周的会议改到几点合适
{n}乘以{m}等于多少
帮我检查这段SQL：select * from t where id={n}
写一个{n}到{m}的随机数函数
Docker容器{n}端口被占用怎么办
Linux怎么查看{n}端口
git回滚到前{n}个提交
把{n}换算成二进制
我今年{n}岁，适合学编程吗
{n}公里大概要走多久
预算{n}元买什么手机好
一个{n}平米的房子怎么装修
写一条生日祝福给{n}岁的妈妈
Excel第{n}列求和公式是什么
如何给{n}个人分组
给我{n}个英语单词
帮我起{n}个公司名字
你好
谢谢
在吗
好的
你是谁
讲个笑话
再讲一个
继续
能详细点吗
换个说法
最近心情不好
失眠怎么办
感冒了吃什么药
晚饭吃什么
明天天气怎么样
""".strip().split("\n")


def export_requests(count: int = 127, seed: int = 1) -> list[str]:
    chance = random.Random(seed)
    found = dict.fromkeys(BY_HAND)
    while len(found) < count:
        form = chance.choice(FORMS)
        found[
            form.format(
                p=chance.choice(PERIODS), o=chance.choice(OBJECTS), r=chance.choice(REGIONS), f=chance.choice(FORMATS)
            )
        ] = None
    return list(found)[:count]


def near_misses() -> list[str]:
    return list(NEAR)


def other_requests(count: int, seed: int = 2) -> list[str]:
    """Diverse traffic: few words come together more often than by chance, and where they do, the rest is open."""
    chance = random.Random(seed)
    found: list[str] = []
    while len(found) < count:
        form = chance.choice(ELSE if chance.random() < 0.7 else OFFICE)
        found.append(
            form.format(
                s=chance.choice(SUBJECTS), t=chance.choice(SUBJECTS), n=chance.randint(2, 999), m=chance.randint(2, 999)
            )
        )
    return found


def shuffled_words(texts: list[str], seed: int = 3) -> list[str]:
    """The same characters by twos, dealt anew to all texts: how often each occurs stays, what goes with what is lost."""
    chance = random.Random(seed)
    pieces = [text[place : place + 2] for text in texts for place in range(0, len(text), 2)]
    chance.shuffle(pieces)
    rest = iter(pieces)
    return ["".join(next(rest) for _ in range(0, len(text), 2)) for text in texts]


def random_sentences(count: int, seed: int = 4) -> list[str]:
    """Characters by chance."""
    chance = random.Random(seed)
    return [
        "".join(chr(0x4E00 + int(3000 * chance.random() ** 2)) for _ in range(chance.randint(5, 25)))
        for _ in range(count)
    ]


def a_day(seed: int = 0, exports: int = 127, others: int = 2000) -> tuple[list[str], set[str]]:
    """All texts in a random order, and those of them that ask for a report."""
    wanted = export_requests(exports, seed + 1)
    rest = near_misses() + other_requests(others - len(near_misses()), seed + 2)
    texts = wanted + rest
    random.Random(seed).shuffle(texts)
    return texts, set(wanted)
