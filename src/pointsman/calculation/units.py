"""What units are called, in Chinese and English, and the canonical name of each. How large they are is known elsewhere."""

from __future__ import annotations

_BOTH = """
meter: m 米 公尺 meter metre | kilometer: km 千米 公里 kilometer kilometre | centimeter: cm 厘米 公分 centimeter centimetre
decimeter: dm 分米 decimeter decimetre | millimeter: mm 毫米 millimeter millimetre | micrometer: um μm 微米 micron micrometer micrometre
nanometer: nm 纳米 nanometer nanometre | mile: mi 英里 mile | yard: yd 码 yard | foot: ft 英尺 foot feet | inch: inch inches 英寸
nautical_mile: nmi 海里 nautical_mile | light_year: ly 光年 light_year lightyear light-year | astronomical_unit: au AU 天文单位
li: 里 华里 市里 | zhang: 丈 市丈 | chi: 尺 市尺 | cun: 寸 市寸
gram: g 克 gram gramme | kilogram: kg 千克 公斤 kilogram kilo | milligram: mg 毫克 milligram | microgram: ug μg 微克 microgram
metric_ton: t 吨 公吨 tonne tonnes metric_ton | pound: lb lbs 磅 pound | ounce: oz 盎司 ounce | jin: 斤 市斤 jin
liang: 两 市两 liang | qian: 钱 | carat: ct 克拉 carat | stone: stone 英石
second: s sec secs 秒 秒钟 second | minute: min mins 分 分钟 minute | hour: h hr hrs 小时 钟头 hour | day: d 天 日 day
week: wk 周 星期 礼拜 week | calendar_month: 月 month | calendar_year: yr 年 year | millisecond: ms 毫秒 millisecond
microsecond: us μs 微秒 microsecond | nanosecond: ns 纳秒 nanosecond | century: 世纪 century centuries | decade: decade
square_meter: 平方米 平米 平方公尺 sqm | square_kilometer: 平方公里 平方千米 | square_centimeter: 平方厘米
square_decimeter: 平方分米 | square_millimeter: 平方毫米 | hectare: ha 公顷 hectare | acre: 英亩 acre | mu_area: 亩 市亩
square_foot: 平方英尺 sqft | square_mile: 平方英里 | square_inch: 平方英寸 | qing: 顷
liter: L l 升 公升 liter litre | milliliter: mL ml 毫升 milliliter millilitre cc | cubic_meter: 立方米 | cubic_centimeter: 立方厘米
cubic_decimeter: 立方分米 | cubic_millimeter: 立方毫米 | gallon: gal 加仑 gallon | pint: 品脱 | quart: qt 夸脱 quart | cup: 杯 cup
tablespoon: tbsp 汤匙 tablespoon | teaspoon: tsp 茶匙 teaspoon | fluid_ounce: 液盎司 | barrel: 桶
kph: kph | mph: mph | knot: kn 节 knot | radian: rad 弧度 radian | degree: 角度 degree | gradian: gradian
hertz: Hz 赫兹 赫 hertz | kilohertz: kHz 千赫 kilohertz | megahertz: MHz 兆赫 megahertz | gigahertz: GHz 吉赫 gigahertz | rpm: rpm
newton: N 牛顿 牛 newton | kilonewton: kN 千牛 kilonewton | pascal: Pa 帕斯卡 帕 pascal | kilopascal: kPa 千帕 kilopascal
hectopascal: hPa 百帕 | megapascal: MPa 兆帕 megapascal | bar: bar 巴 | millibar: mbar 毫巴 | atmosphere: atm 大气压 标准大气压 atmosphere
mmHg: mmHg 毫米汞柱 | psi: psi
joule: J 焦耳 焦 joule | kilojoule: kJ 千焦 kilojoule | megajoule: MJ 兆焦 | calorie: cal 卡 卡路里 calorie
kilocalorie: kcal 千卡 大卡 kilocalorie | watt_hour: Wh 瓦时 | kilowatt_hour: kWh 千瓦时 度电 度 kilowatt_hour | electron_volt: eV 电子伏特 | BTU: BTU
watt: W 瓦 瓦特 watt | kilowatt: kW 千瓦 kilowatt | megawatt: MW 兆瓦 megawatt | gigawatt: GW 吉瓦 gigawatt | milliwatt: mW 毫瓦
horsepower: hp horsepower | metric_horsepower: 马力
volt: V 伏 伏特 volt | kilovolt: kV 千伏 kilovolt | millivolt: mV 毫伏 | ampere: A 安 安培 amp ampere | milliampere: mA 毫安
ohm: Ω ohm 欧姆 欧 | kiloohm: kΩ 千欧 | coulomb: 库仑 coulomb | farad: 法拉 farad | mole: mol 摩尔 mole
ampere_hour: Ah 安时 | milliampere_hour: mAh 毫安时
degree_Celsius: °C ℃ 摄氏度 celsius centigrade Celsius | degree_Fahrenheit: °F ℉ 华氏度 fahrenheit Fahrenheit | kelvin: K 开尔文 开 kelvin
bit: b bit 比特 | kilobit: kb Kb kbit Kbit kilobit | megabit: Mb Mbit 兆比特 megabit | gigabit: Gb Gbit gigabit
byte: B byte 字节 | kilobyte: kB KB 千字节 kilobyte | megabyte: MB 兆字节 兆 megabyte | gigabyte: GB 吉字节 gigabyte
terabyte: TB 太字节 terabyte | petabyte: PB petabyte | kibibyte: KiB kibibyte | mebibyte: MiB mebibyte | gibibyte: GiB gibibyte
tebibyte: TiB tebibyte | kbps: kbps Kbps | Mbps: Mbps mbps | Gbps: Gbps gbps
"""
UNITS: dict[str, str] = {}
"""What is written → the canonical name. Words also in the plural."""
for _entry in _BOTH.replace("\n", "|").split("|"):
    _name, _, _written = _entry.partition(":")
    for _one in _written.split():
        UNITS[_one] = _name.strip()
        if _one.isascii() and len(_one) > 2 and _one.isalpha() and _one.islower() and not _one.endswith("s"):
            UNITS.setdefault(_one + "s", _name.strip())
UNITS |= {"knots": "knot", "lbs": "pound", "inches": "inch", "hours": "hour", "KiBs": "kibibyte"}

AMBIGUOUS = frozenset(
    [
        "m",
        "g",
        "t",
        "s",
        "h",
        "d",
        "l",
        "L",
        "N",
        "J",
        "W",
        "V",
        "A",
        "K",
        "B",
        "b",
        "C",
        "F",
        "ct",
        "cal",
        "min",
        "bar",
        "kn",
        "us",
        "yd",
        "mi",
        "hp",
        "ly",
        "au",
        "AU",
        "ha",
    ]
)
"""Written so they are units only where another unit, or the wording, says that units are meant."""
ZH_UNITS = sorted((name for name in UNITS if not name.isascii()), key=len, reverse=True)
PHRASES = {
    "nautical miles": "nmi", "nautical mile": "nmi", "light years": "ly ", "light year": "ly ", "square meters": "m^2",
    "square metres": "m^2", "square meter": "m^2", "square metre": "m^2", "square kilometers": "km^2",
    "square kilometres": "km^2", "square kilometer": "km^2", "square feet": "ft^2", "square foot": "ft^2",
    "square miles": "mile^2", "square mile": "mile^2", "square inches": "inch^2", "square inch": "inch^2",
    "square centimeters": "cm^2", "square yards": "yard^2", "sq ft": "ft^2", "sq m": "m^2",
    "cubic meters": "m^3", "cubic metres": "m^3", "cubic meter": "m^3", "cubic metre": "m^3", "cubic feet": "ft^3",
    "cubic foot": "ft^3", "cubic centimeters": "cm^3", "cubic inches": "inch^3", "fluid ounces": "液盎司",
    "fluid ounce": "液盎司", "fl oz": "液盎司", "degrees celsius": "℃", "degrees fahrenheit": "℉", "degree celsius": "℃",
    "degree fahrenheit": "℉", "degrees c": "℃", "degrees f": "℉", "metric tons": "tonne", "metric ton": "tonne",
    "miles per hour": "mph", "mile per hour": "mph", "kilowatt hours": "kWh", "kilowatt-hours": "kWh",
    "light-years": "ly ", "light-year": "ly ",
}  # fmt: skip
"""English units of several words, as one."""
