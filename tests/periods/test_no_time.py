"""What is no time, is too vague for one, or is a question about a word; and what stands right beside it and is one."""

from __future__ import annotations

import datetime

import pytest

from pointsman.periods import find_periods

SUNDAY = datetime.date(2026, 11, 29)

VAGUE = """
最近
最近几天
近期
最近的销售怎么样
这几天
过去几个月
月初
月底
上月底
11月底的数据
本月初
年底
2025年底
年初
早些时候
几天前
两三天前
半个月前
过去一年半
去年同期
上月第一个周一
5月最后一周
本月最后一天
本月第一个工作日
今年第一天
上季度末
一季度末
三季度前两个月
10月前三天
前一天
国庆中秋双节
春节七天
5、6月
一、二季度
一二季度
5月到6月底
本月初到昨天
中秋到国庆
3月到月底
国庆以来
上月第二周
11月第二周
上半月
去年今天
春节期间
国庆前后
节后第一个工作日
recently
a few days ago
several weeks ago
end of the month
the end of last month
early October
sales in late May
mid-March
the last few days
this time last year
half a month ago
last Friday of May
the second Tuesday of next month
the first week of October
first 10 days of May
Friday week
FY2024/25
from March on
the same period last year
"""
NO_TIME = """
一周年庆
一周年庆活动
五一路
五一路店的销售
五一广场
双十一路店
国庆路12号
元旦小区
618号
618元
房间618
3号楼
人民路3号
3号线
5号电池
周一鸣
周一鸣的业绩
周大福
王国庆
一天到晚
三月不知肉味
三天打鱼两天晒网
五月天演唱会
半年报告制度
今日头条
明日方舟
后天性
透明天花板
说明日期
以前年度损益
目前天下
成本月报
线下周边
样本周期
本周期
24小时客服
七天无理由退货
3天内发货
5个工作日内到账
工作日志
工作日报
每个工作日
每周五
每月3号
每年5月
一周一次
星期五餐厅
周一二三都行
十一个人
五一个
二五一十
1/3的门店
约3/4
(14+6)*3/4 = ?
24/7
Python 3.10
version 3.10
version 2024.1
version 2024.5.3
v2024.05.03
单号20240503
order 20240503
192.168.1.1
192.168.2024.1.5
https://example.com/2024/05/03/post
report-2024-05.pdf
2024-05-03.log
订单号2026112900123
我在3号门等你
1号店
2024 元
a price of 2024 元
in 2024 words
Q1 of a quiz
Q2 of the exam
H1N1
H1 标签
奥迪Q3
SCI Q1
the second quarter-final
the first half of the game
may I ask
you may go
they march on
the second one
a week-old bug
a two-day-old child
the May Company
Black Friday deals
every Friday
within 3 working days
Christmas tree
error [W7] slow
week 3 of the course
怀孕第12周
培训第二周
第三季
30年老店
"""
A_TERM = """
Q1 是什么意思
Q1 是什么意思？
Q1和Q2是什么意思
什么是Q1
H2 指的是什么
“上旬”怎么理解
what does YTD mean
what does Q1 stand for?
what is YTD?
define fiscal 2025
how do you say yesterday in Chinese
"""
NO_SUCH_DAY = """
2月30日
4月31日
2024年2月30日
2024年13月
2026-13-01
2025-02-29
Feb 30
31 April
32号
第60周
W60
农历十三月
2030年国庆假期
明年国庆假期
"""
OPEN = """
到上月为止
截至昨天
上周之前
下周五之前完成
5月以后
国庆节前
until last month
before May
by Friday
after October
up to Q2
"""


@pytest.mark.parametrize("text", "".join((VAGUE, NO_TIME, A_TERM, NO_SUCH_DAY, OPEN)).strip().splitlines())
@pytest.mark.parametrize("prefer", ["past", "future"])
def test_none(text: str, prefer: str) -> None:
    if text:
        assert find_periods(text, SUNDAY, prefer=prefer) == ()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("五一路店上周的销售", "上周"),
        ("周一鸣周五的业绩", "周五"),
        ("3号楼在3号的电费", "3号"),
        ("一周年庆在5月3日", "5月3日"),
        ("本周一共卖了多少", "本周"),
        ("本周日均销售额", "本周"),
        ("上周5个订单", "上周"),
        ("5月30个订单", "5月"),
        ("比如今天的数据", "今天"),
        ("上周前三名", "上周"),
        ("昨天下午三点", "昨天"),
        ("Q3 的销售额是什么情况", "Q3"),
        ("解释一下Q3数据", "Q3"),
        ("what is YTD revenue", "YTD"),
        ("Q1是什么意思？上周的销售呢", "上周"),
        ("三月不知肉味，3月的账单", "3月"),
        ("release 2024.1 of last week", "last week"),
        ("you may see the sales of May 2024", "May 2024"),
        ("2024年13月不对，是2024年12月", "2024年12月"),
        ("the week-old report of last month", "last month"),
    ],
)
def test_a_time_beside_it_is_read(text: str, read: str) -> None:
    assert [period.text for period in find_periods(text, SUNDAY)] == [read]
