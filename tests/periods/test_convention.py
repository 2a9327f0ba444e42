"""Every example of docs/time.md, as of Sunday, 29 November 2026; both days of a range included, as it writes them."""

from __future__ import annotations

import datetime
import re
from pathlib import Path

import pytest

from pointsman.periods import find_periods

SUNDAY = datetime.date(2026, 11, 29)
DAY = datetime.timedelta(days=1)
PAGES = [Path(__file__).parents[2] / "docs" / name for name in ("time.md", "time.zh-CN.md")]

# what is written | first day | last day | grain
PAST = """
今天, today | 2026-11-29 | 2026-11-29 | day
昨天, yesterday | 2026-11-28 | 2026-11-28 | day
前天, the day before yesterday | 2026-11-27 | 2026-11-27 | day
大前天 | 2026-11-26 | 2026-11-26 | day
明天, tomorrow | 2026-11-30 | 2026-11-30 | day
后天, the day after tomorrow | 2026-12-01 | 2026-12-01 | day
大后天 | 2026-12-02 | 2026-12-02 | day
3天前, 三天前, 3 days ago, three days ago | 2026-11-26 | 2026-11-26 | day
5天后, in 5 days, 5 days from now | 2026-12-04 | 2026-12-04 | day
两周前, 2个星期前, two weeks ago | 2026-11-15 | 2026-11-15 | day
三个月前, three months ago | 2026-08-29 | 2026-08-29 | day
2 years ago, 两年前 | 2024-11-29 | 2024-11-29 | day
in 3 weeks, 3周后 | 2026-12-20 | 2026-12-20 | day
上周五, Friday last week, 上週五 | 2026-11-20 | 2026-11-20 | day
下周五, Friday next week | 2026-12-04 | 2026-12-04 | day
这周五, 本周五, this Friday | 2026-11-27 | 2026-11-27 | day
周五, 星期五, Friday, on Friday, last Friday | 2026-11-27 | 2026-11-27 | day
周日, 星期天, Sunday | 2026-11-29 | 2026-11-29 | day
last Sunday | 2026-11-22 | 2026-11-22 | day
next Friday | 2026-12-04 | 2026-12-04 | day
next Sunday | 2026-12-06 | 2026-12-06 | day
本周, this week | 2026-11-23 | 2026-11-29 | week
上周, last week | 2026-11-16 | 2026-11-22 | week
上上周, the week before last | 2026-11-09 | 2026-11-15 | week
下周, next week | 2026-11-30 | 2026-12-06 | week
下下周, the week after next | 2026-12-07 | 2026-12-13 | week
周末, this weekend | 2026-11-28 | 2026-11-29 | range
上周末, last weekend | 2026-11-21 | 2026-11-22 | range
下周末, next weekend | 2026-12-05 | 2026-12-06 | range
第35周, 2026年第35周, 第三十五周, W35, 2026-W35, week 35, week 35 of 2026 | 2026-08-24 | 2026-08-30 | week
本月, this month | 2026-11-01 | 2026-11-30 | month
上月, 上个月, last month | 2026-10-01 | 2026-10-31 | month
上上月 | 2026-09-01 | 2026-09-30 | month
下月, 下个月, next month | 2026-12-01 | 2026-12-31 | month
上个月5号 | 2026-10-05 | 2026-10-05 | day
5月, 五月, in May | 2026-05-01 | 2026-05-31 | month
12月, in December | 2025-12-01 | 2025-12-31 | month
5月3日, 3 May, May 3rd | 2026-05-03 | 2026-05-03 | day
3号 | 2026-11-03 | 2026-11-03 | day
30号 | 2026-10-30 | 2026-10-30 | day
2024年5月, 2024-05, 2024/5, May 2024 | 2024-05-01 | 2024-05-31 | month
2024年5月3日, 2024-05-03, 2024.5.3, 20240503, May 3, 2024 | 2024-05-03 | 2024-05-03 | day
上旬 | 2026-11-01 | 2026-11-10 | range
中旬 | 2026-11-11 | 2026-11-20 | range
下旬 | 2026-11-21 | 2026-11-30 | range
10月上旬 | 2026-10-01 | 2026-10-10 | range
上月下旬, 十月下旬 | 2026-10-21 | 2026-10-31 | range
本季度, this quarter | 2026-10-01 | 2026-12-31 | quarter
上季度, last quarter | 2026-07-01 | 2026-09-30 | quarter
下季度, next quarter | 2027-01-01 | 2027-03-31 | quarter
Q3, 三季度, 第三季度 | 2026-07-01 | 2026-09-30 | quarter
2025Q3, 25年Q3, third quarter of 2025, 2025第三季度 | 2025-07-01 | 2025-09-30 | quarter
去年Q4, Q4 last year, last year's Q4 | 2025-10-01 | 2025-12-31 | quarter
上半年, H1, first half of the year | 2026-01-01 | 2026-06-30 | half
下半年, H2 | 2026-07-01 | 2026-12-31 | half
去年下半年, H2 2025, 2025下半年 | 2025-07-01 | 2025-12-31 | half
今年, this year | 2026-01-01 | 2026-12-31 | year
去年, last year | 2025-01-01 | 2025-12-31 | year
前年 | 2024-01-01 | 2024-12-31 | year
大前年 | 2023-01-01 | 2023-12-31 | year
明年, next year | 2027-01-01 | 2027-12-31 | year
2024年, in 2024 | 2024-01-01 | 2024-12-31 | year
FY2025, FY25, 2025财年, 2025财政年度, fiscal 2025, last fiscal year, 上财年 | 2025-01-01 | 2025-12-31 | year
本财年 | 2026-01-01 | 2026-12-31 | year
财年Q1 | 2026-01-01 | 2026-03-31 | quarter
FY25 Q1, Q1 of fiscal 2025, 2025财年Q1 | 2025-01-01 | 2025-03-31 | quarter
最近7天, last 7 days, past week | 2026-11-23 | 2026-11-29 | range
近三个月, last 3 months | 2026-08-30 | 2026-11-29 | range
过去两周, past two weeks | 2026-11-16 | 2026-11-29 | range
近一年, past year | 2025-11-30 | 2026-11-29 | range
past month | 2026-10-30 | 2026-11-29 | range
未来7天, next 7 days | 2026-11-30 | 2026-12-06 | range
接下来两周, the coming two weeks | 2026-11-30 | 2026-12-13 | range
未来三个月, next 3 months | 2026-11-30 | 2027-02-28 | range
前两个月, the previous two months | 2026-09-01 | 2026-10-31 | range
前三个季度, the first three quarters, 今年前三季度 | 2026-01-01 | 2026-09-30 | range
年初至今, 今年以来, YTD, so far this year | 2026-01-01 | 2026-11-29 | range
本月至今, month to date | 2026-11-01 | 2026-11-29 | range
3月以来, since March | 2026-03-01 | 2026-11-29 | range
半年前, half a year ago | 2026-05-29 | 2026-05-29 | day
本周一 | 2026-11-23 | 2026-11-23 | day
下个星期一 | 2026-11-30 | 2026-11-30 | day
上周一 | 2026-11-16 | 2026-11-16 | day
last week Friday, last week's Friday | 2026-11-20 | 2026-11-20 | day
weekend before last | 2026-11-14 | 2026-11-15 | range
去年第35周 | 2025-08-25 | 2025-08-31 | week
from week 10 to week 12 of 2025 | 2025-03-03 | 2025-03-23 | range
十月上旬到中旬 | 2026-10-01 | 2026-10-20 | range
今年第三季度 | 2026-07-01 | 2026-09-30 | quarter
去年1-6月, 去年1月到6月, first six months of 2025 | 2025-01-01 | 2025-06-30 | range
一到三季度, 第1-3季度, Q1-Q3 | 2026-01-01 | 2026-09-30 | range
2024-05-03T10:00, 2024-05-03 10:00 | 2024-05-03 | 2024-05-03 | day
前一个月 | 2026-10-01 | 2026-10-31 | month
2024-2025年, from 2024 to 2025 | 2024-01-01 | 2025-12-31 | range
上月5-10号 | 2026-10-05 | 2026-10-10 | range
3号到9号 | 2026-11-03 | 2026-11-09 | range
2026/11/1-2026/11/15, 20261101-20261115, 11/1-11/15, 2026年11月1日-15日 | 2026-11-01 | 2026-11-15 | range
元旦到春节 | 2026-01-01 | 2026-02-17 | range
从上周三到昨天 | 2026-11-18 | 2026-11-28 | range
去年以来, since last year | 2025-01-01 | 2026-11-29 | range
next year's Spring Festival, 明年春节, Spring Festival next year | 2027-02-06 | 2027-02-06 | day
农历2024年正月初一, 2024年农历正月初一 | 2024-02-10 | 2024-02-10 | day
五一假期, the May Day holiday | 2026-05-01 | 2026-05-05 | range
last year's National Day holiday, 2025年国庆假期 | 2025-10-01 | 2025-10-08 | range
3 working days ago, 3个工作日前 | 2026-11-25 | 2026-11-25 | day
next 3 working days, 未来3个工作日 | 2026-11-30 | 2026-12-02 | range
3月到5月, from March to May, between March and May | 2026-03-01 | 2026-05-31 | range
6-8月 | 2026-06-01 | 2026-08-31 | range
5月1日到15日, May 1–15, 1-15 May | 2026-05-01 | 2026-05-15 | range
2025年12月到2026年2月 | 2025-12-01 | 2026-02-28 | range
工作日, 上个工作日, last working day | 2026-11-27 | 2026-11-27 | day
下个工作日, next business day | 2026-11-30 | 2026-11-30 | day
最近5个工作日, last 5 working days | 2026-11-23 | 2026-11-29 | range
过去三个工作日 | 2026-11-25 | 2026-11-29 | range
国庆假期, 十一假期, 国庆长假, the National Day holiday | 2026-10-01 | 2026-10-07 | range
去年春节假期 | 2025-01-28 | 2025-02-04 | range
国庆节, National Day | 2026-10-01 | 2026-10-01 | day
元旦, New Year's Day | 2026-01-01 | 2026-01-01 | day
劳动节, 五一, Labour Day | 2026-05-01 | 2026-05-01 | day
妇女节 | 2026-03-08 | 2026-03-08 | day
儿童节 | 2026-06-01 | 2026-06-01 | day
圣诞节, Christmas, last Christmas | 2025-12-25 | 2025-12-25 | day
情人节, Valentine's Day | 2026-02-14 | 2026-02-14 | day
双十一, 双11 | 2026-11-11 | 2026-11-11 | day
双十二 | 2025-12-12 | 2025-12-12 | day
618 | 2026-06-18 | 2026-06-18 | day
春节, 大年初一, Chinese New Year, 农历正月初一 | 2026-02-17 | 2026-02-17 | day
除夕 | 2026-02-16 | 2026-02-16 | day
元宵节, Lantern Festival | 2026-03-03 | 2026-03-03 | day
端午节, Dragon Boat Festival | 2026-06-19 | 2026-06-19 | day
七夕 | 2026-08-19 | 2026-08-19 | day
中秋节, Mid-Autumn Festival, 农历八月十五, the 15th day of the 8th lunar month | 2026-09-25 | 2026-09-25 | day
重阳节 | 2026-10-18 | 2026-10-18 | day
腊八节 | 2026-01-26 | 2026-01-26 | day
清明节, Qingming | 2026-04-05 | 2026-04-05 | day
冬至 | 2025-12-21 | 2025-12-21 | day
阴历三月初三 | 2026-04-19 | 2026-04-19 | day
农历正月 | 2026-02-17 | 2026-03-18 | month
农历闰六月 | 2025-07-25 | 2025-08-22 | month
春节后第一个工作日 | 2026-02-24 | 2026-02-24 | day
国庆前最后一个工作日 | 2026-09-30 | 2026-09-30 | day
the first working day after National Day | 2026-10-08 | 2026-10-08 | day
13/04/2024 | 2024-04-13 | 2024-04-13 | day
"""
FUTURE = """
周五, Friday | 2026-12-04 | 2026-12-04 | day
周日, Sunday | 2026-11-29 | 2026-11-29 | day
last Friday | 2026-11-27 | 2026-11-27 | day
5月, in May | 2027-05-01 | 2027-05-31 | month
12月, in December | 2026-12-01 | 2026-12-31 | month
11月, in November | 2026-11-01 | 2026-11-30 | month
3号 | 2026-12-03 | 2026-12-03 | day
29号 | 2026-11-29 | 2026-11-29 | day
Q3 | 2027-07-01 | 2027-09-30 | quarter
Q4 | 2026-10-01 | 2026-12-31 | quarter
上半年 | 2027-01-01 | 2027-06-30 | half
3月到5月, from March to May | 2027-03-01 | 2027-05-31 | range
11月到2月 | 2026-11-01 | 2027-02-28 | range
周五到周一 | 2026-11-27 | 2026-11-30 | range
春节 | 2027-02-06 | 2027-02-06 | day
圣诞节, Christmas, next Christmas | 2026-12-25 | 2026-12-25 | day
last Christmas | 2025-12-25 | 2025-12-25 | day
上周 | 2026-11-16 | 2026-11-22 | week
明年 | 2027-01-01 | 2027-12-31 | year
第48周 | 2026-11-23 | 2026-11-29 | week
第35周 | 2027-08-30 | 2027-09-05 | week
3月以来, since March | 2026-03-01 | 2026-11-29 | range
财年Q1 | 2027-01-01 | 2027-03-31 | quarter
"""
FISCAL_APRIL = """
FY2025, FY25, 2025财年, fiscal 2025 | 2024-04-01 | 2025-03-31 | year
本财年, this fiscal year | 2026-04-01 | 2027-03-31 | year
上财年, last fiscal year | 2025-04-01 | 2026-03-31 | year
财年Q1, fiscal Q1 | 2026-04-01 | 2026-06-30 | quarter
FY25 Q1, Q1 FY25, Q1 of fiscal 2025, 2025财年Q1 | 2024-04-01 | 2024-06-30 | quarter
FY25 H2 | 2024-10-01 | 2025-03-31 | half
上财季, last fiscal quarter | 2026-07-01 | 2026-09-30 | quarter
Q1, 一季度 | 2026-01-01 | 2026-03-31 | quarter
去年, last year | 2025-01-01 | 2025-12-31 | year
"""


def cases(table: str) -> list[tuple[str, str]]:
    found = []
    for line in table.strip().splitlines():
        written, *meant = line.split(" | ")
        words = re.split(r", (?![0-9]{4})", written)
        found += [(word, " ".join(meant)) for word in words]
    return found


def read(text: str, **options: object) -> list[str]:
    periods = find_periods(text, SUNDAY, **options)  # type: ignore[arg-type]
    assert all(text[slice(*period.span)] == period.text for period in periods)
    return [f"{period.start} {period.end - DAY} {period.grain}" for period in periods]


@pytest.mark.parametrize(("text", "meant"), cases(PAST))
def test_reports_look_back(text: str, meant: str) -> None:
    assert read(text) == [meant]
    frame = "{} sales" if text.isascii() else "导出{}的销售"
    assert read(frame.format(text)) == [meant]


@pytest.mark.parametrize(("text", "meant"), cases(FUTURE))
def test_the_future_preferred(text: str, meant: str) -> None:
    assert read(text, prefer="future") == [meant]


@pytest.mark.parametrize(("text", "meant"), cases(FISCAL_APRIL))
def test_fiscal_years_that_begin_in_april(text: str, meant: str) -> None:
    assert read(text, fiscal_start=4) == [meant]


def test_words_that_say_themselves_when_mean_the_same_under_both() -> None:
    for text in (
        "上周",
        "下周五",
        "去年Q4",
        "last month",
        "next year",
        "3天前",
        "最近7天",
        "2024年5月",
        "年初至今",
        "本财年",
    ):
        assert read(text) == read(text, prefer="future") != []


def test_a_slash_is_chinese_or_has_one_reading() -> None:
    assert read("5/3的销售") == ["2026-05-03 2026-05-03 day"]
    assert read("sales on 5/13") == read("sales on 13/5") == ["2026-05-13 2026-05-13 day"]
    assert read("sales on 5/3") == []
    assert read("03/04/2024") == ["2024-03-04 2024-03-04 day", "2024-04-03 2024-04-03 day"]
    assert read("03/04/2024 to 03/25/2024") == ["2024-03-04 2024-03-25 range"]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Q1和Q2", 2),
        ("上周和本周", 2),
        ("Q1、Q2和Q3", 3),
        ("compare last week with this week", 2),
        ("上周和上周", 1),
        ("last week or the week before", 2),
        ("10月15日到10月1日", 2),
    ],
)
def test_several_are_all_given_in_order(text: str, count: int) -> None:
    periods = find_periods(text, SUNDAY)
    assert len(periods) == count
    assert [period.span for period in periods] == sorted(period.span for period in periods)


@pytest.mark.skipif(not PAGES[0].exists(), reason="the wheel is tested without the repository")
def test_what_the_pages_list_is_read() -> None:
    """A word of the first column that is not read would be a promise that nobody keeps."""
    for page in PAGES:
        rows = re.findall(r"^\| (.+?) \|", page.read_text(encoding="utf-8"), re.MULTILINE)
        for row in rows:
            if row in ("written", "写法") or set(row) <= set("-|"):
                continue
            for chunk in re.split(r", (?![0-9]{4})|、", row):
                for word in chunk.split() if re.search(r"[\u4e00-\u9fff]", chunk) else [chunk]:
                    meant = word not in ("到上月为止", "until last month", "before May")
                    assert bool(read(word)) is meant, word


@pytest.mark.parametrize(
    ("text", "words"),
    [("生成本月的库存汇总表", "本月"), ("完成本周报表", "本周"), ("把它做成本季度的", "本季度")],
)
def test_a_verb_before_it_makes_no_cost_of_it(text: str, words: str) -> None:
    [period] = find_periods(text, datetime.date(2026, 11, 29))
    assert period.text == words


@pytest.mark.parametrize("text", ["成本月报怎么写", "降低成本周期", "资本周转率怎么计算"])
def test_a_cost_is_none(text: str) -> None:
    assert find_periods(text, datetime.date(2026, 11, 29)) == ()
