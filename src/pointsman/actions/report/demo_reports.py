"""The demo's reports, as a config would say them. Plain data: `demo_reports` turns it into specs."""

from __future__ import annotations

from typing import Any

import msgspec

from pointsman.domain.report import ReportSpec

SOURCE = "demo"

# stored value, English name, other words
REGIONS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("华东", "East China", ("华东区", "华东地区", "East")),
    ("华北", "North China", ("华北区", "华北地区", "North")),
    ("华南", "South China", ("华南区", "华南地区", "South")),
    ("华中", "Central China", ("华中区", "华中地区", "Central")),
    ("西南", "Southwest China", ("西南区", "西南地区", "Southwest")),
    ("东北", "Northeast China", ("东北区", "东北地区", "Northeast")),
)
# name, English name, region, weight in sales
STORES: tuple[tuple[str, str, str, float], ...] = (
    ("上海南京路店", "Shanghai Nanjing Road", "华东", 1.9),
    ("上海徐家汇店", "Shanghai Xujiahui", "华东", 1.5),
    ("杭州西湖店", "Hangzhou West Lake", "华东", 1.3),
    ("南京新街口店", "Nanjing Xinjiekou", "华东", 1.2),
    ("北京王府井店", "Beijing Wangfujing", "华北", 1.7),
    ("北京中关村店", "Beijing Zhongguancun", "华北", 1.2),
    ("天津滨江道店", "Tianjin Binjiang", "华北", 0.8),
    ("广州天河店", "Guangzhou Tianhe", "华南", 1.6),
    ("深圳万象城店", "Shenzhen MixC", "华南", 1.7),
    ("厦门中山路店", "Xiamen Zhongshan Road", "华南", 0.7),
    ("武汉光谷店", "Wuhan Optics Valley", "华中", 1.0),
    ("长沙五一广场店", "Changsha Wuyi Square", "华中", 0.9),
    ("成都春熙路店", "Chengdu Chunxi Road", "西南", 1.4),
    ("重庆解放碑店", "Chongqing Jiefangbei", "西南", 1.1),
    ("沈阳中街店", "Shenyang Zhongjie", "东北", 0.7),
    ("大连青泥洼店", "Dalian Qingniwa", "东北", 0.6),
)
CATEGORIES: tuple[tuple[str, str], ...] = (
    ("手机", "Phones"),
    ("电脑", "Computers"),
    ("音频", "Audio"),
    ("智能家居", "Smart home"),
    ("配件", "Accessories"),
)
# name, English name, category, price in yuan, cost as a share of it, weight in sales
PRODUCTS: tuple[tuple[str, str, str, float, float, float], ...] = (
    ("星河 X1 手机", "Starriver X1 phone", "手机", 3999.0, 0.78, 1.3),
    ("星河 Lite 手机", "Starriver Lite phone", "手机", 1799.0, 0.81, 1.6),
    ("云岭 14 笔记本", "Cloudridge 14 laptop", "电脑", 5699.0, 0.83, 0.7),
    ("云岭 平板", "Cloudridge tablet", "电脑", 2599.0, 0.79, 0.9),
    ("悦音 降噪耳机", "Joytone headphones", "音频", 899.0, 0.58, 1.8),
    ("悦音 蓝牙音箱", "Joytone speaker", "音频", 399.0, 0.55, 1.7),
    ("暖居 智能门锁", "Cosyhome door lock", "智能家居", 1299.0, 0.62, 0.8),
    ("暖居 扫地机器人", "Cosyhome vacuum", "智能家居", 2199.0, 0.66, 0.8),
    ("快充 65W", "65 W charger", "配件", 129.0, 0.41, 3.0),
    ("Type-C 数据线", "USB-C cable", "配件", 39.0, 0.32, 3.4),
    ("手机保护壳", "Phone case", "配件", 69.0, 0.28, 3.2),
    ("钢化膜", "Screen protector", "配件", 29.0, 0.22, 2.8),
)
CHANNELS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("门店", "In store", ("线下", "offline")),
    ("线上", "Online", ("网店", "电商", "web")),
)

_AMOUNT = {
    "name": "amount",
    "titles": {"zh": "销售额", "en": "Sales"},
    "column": "amount",
    "decimals": 2,
    "unit": {"zh": "元", "en": "CNY"},
}
_ORDERS = {"name": "orders", "titles": {"zh": "订单数", "en": "Orders"}, "aggregate": "count"}
_QUANTITY = {
    "name": "quantity",
    "titles": {"zh": "销量", "en": "Units sold"},
    "column": "quantity",
    "unit": {"zh": "件", "en": "pcs"},
}
_PROFIT = {
    "name": "profit",
    "titles": {"zh": "毛利", "en": "Gross profit"},
    "words": ["利润", "profit"],
    "column": "profit",
    "decimals": 2,
    "unit": {"zh": "元", "en": "CNY"},
}
_AVERAGE = {
    "name": "average",
    "titles": {"zh": "客单价", "en": "Average order"},
    "aggregate": "average",
    "column": "amount",
    "decimals": 2,
    "unit": {"zh": "元", "en": "CNY"},
}
_REGION = {
    "name": "region",
    "titles": {"zh": "地区", "en": "Region"},
    "column": "region",
    "words": ["地区", "大区", "区域", "region"],
    "values": [{"value": value, "words": [english, *words]} for value, english, words in REGIONS],
}
_STORE = {
    "name": "store",
    "titles": {"zh": "门店", "en": "Store"},
    "column": "store",
    "words": ["门店", "店铺", "分店", "store", "shop"],
    "values": [{"value": value, "words": [english]} for value, english, _, _ in STORES],
}
_CATEGORY = {
    "name": "category",
    "titles": {"zh": "品类", "en": "Category"},
    "column": "category",
    "words": ["品类", "类别", "类目", "category"],
    "values": [{"value": value, "words": [english]} for value, english in CATEGORIES],
}
_PRODUCT = {
    "name": "product",
    "titles": {"zh": "产品", "en": "Product"},
    "column": "product",
    "words": ["产品", "商品", "单品", "product", "item"],
    "values": [{"value": value, "words": [english]} for value, english, *_ in PRODUCTS],
}
_CHANNEL = {
    "name": "channel",
    "titles": {"zh": "渠道", "en": "Channel"},
    "column": "channel",
    "words": ["渠道", "channel"],
    "values": [{"value": value, "words": [english, *words]} for value, english, words in CHANNELS],
}
_DETAILS = ["sold_on", "region", "store", "category", "product", "channel", "quantity", "amount", "profit"]

REPORTS: list[dict[str, Any]] = [
    {
        "name": "sales",
        "titles": {"zh": "销售报表", "en": "Sales report"},
        "default": True,
        "source": SOURCE,
        "table": "sales",
        "time_column": "sold_on",
        "measures": [_AMOUNT, _ORDERS, _QUANTITY, _PROFIT],
        "dimensions": [_REGION, _STORE, _CATEGORY, _PRODUCT, _CHANNEL],
        "group_by": ["region"],
        "words": ["销售报表", "销售", "销售汇总", "销售数据", "销售额", "sales report", "sales"],
        "detail_columns": _DETAILS,
    },
    {
        "name": "stores",
        "titles": {"zh": "门店业绩报表", "en": "Store performance"},
        "source": SOURCE,
        "table": "sales",
        "time_column": "sold_on",
        "measures": [_AMOUNT, _ORDERS, _AVERAGE, _PROFIT],
        "dimensions": [_REGION, _STORE, _CATEGORY, _PRODUCT, _CHANNEL],
        "group_by": ["region", "store"],
        "words": ["门店业绩", "门店报表", "门店业绩报表", "店铺业绩", "store performance", "store report"],
        "detail_columns": _DETAILS,
    },
    {
        "name": "products",
        "titles": {"zh": "产品销量报表", "en": "Product sales"},
        "source": SOURCE,
        "table": "sales",
        "time_column": "sold_on",
        "measures": [_QUANTITY, _AMOUNT, _PROFIT],
        "dimensions": [_REGION, _STORE, _CATEGORY, _PRODUCT, _CHANNEL],
        "group_by": ["category", "product"],
        "words": ["产品销量", "产品报表", "商品销量", "单品销量", "product sales", "product report"],
        "detail_columns": _DETAILS,
    },
]


def demo_reports() -> tuple[ReportSpec, ...]:
    """销售报表, 门店业绩报表 and 产品销量报表, over the source named `demo`."""
    return msgspec.convert(REPORTS, tuple[ReportSpec, ...])
