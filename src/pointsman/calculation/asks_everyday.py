"""How prices, taxes, interest, series are asked for, and what is asked in the order that people speak: 2^x=64, x 等于几."""
# ruff: noqa: E501, each way of asking is one line

from __future__ import annotations

from pointsman.calculation import builders as make
from pointsman.calculation import everyday as do
from pointsman.calculation import sentences as say
from pointsman.calculation.asking import Ask, Build, pattern
from pointsman.calculation.units import ZH_UNITS

_W = r"[^0-9零〇一二两三四五六七八九十百千万亿负半点a-zA-Z(,;:=+*/^ .%∫∑√|\[-]{0,8}"
"""Words of what it is about: 营收, 库存."""
_MUCH = r"(?:是|为|等于|得|有|要|应该)?(?:多少|几|什么|啥)?(?:钱|元|块)?"
_UP_DOWN = r"(?:上涨|增长|增加|提高|上升|提升|涨|升|下跌|下降|减少|降低|跌|降|减|变)"
_RATE = r"(?:涨幅|跌幅|降幅|增幅|增长率|变化率|百分之几|百分之多少|百分比|多少个?百分点|几个?百分点)"
_U = r"(?P<u>[a-zA-Z](?:_?[0-9])?(?: ?(?:,|和|与|、|and) ?[a-zA-Z](?:_?[0-9])?)*)"
_EQUATION = r"(?:(?:一元|二元|三元|多元|线性)*(?:一次|二次|三次|线性)?(?:方程组|方程|不等式组|不等式))"
_TO = r"(?:趋近于|趋向于|趋于|趋向|趋近|→|到)"
_SIDE = r"(?:从?(?P<s>左|右)(?:侧|边)?)?"
_BEFORE = r"(?:去年|上年|上月|上个月|上季度|之前|原来|以前)"
_NOW = r"(?:今年|本年|本月|这个月|本季度|现在)"
_UNIT = "|".join(sorted(ZH_UNITS, key=len, reverse=True))


def _zh(build: Build, *written: str) -> list[Ask]:
    return [Ask(pattern(one, blanks=False), build) for one in written]


def _en(build: Build, *written: str) -> list[Ask]:
    return [Ask(pattern(one), build) for one in written]


ZH: list[Ask] = [
    *_zh(
        make.pair("change"),
        rf"{_W}(?:从|由)?<a>{_UP_DOWN}了?(?:到|至|成|为)<b>,?{_UP_DOWN}?了?{_RATE}",
        rf"{_BEFORE}{_W}<a>,?{_NOW}{_W}<b>,?(?:同比|环比)?{_UP_DOWN}?了?(?:的)?{_RATE}(?:是)?(?:多少)?",
    ),
    *_zh(
        make.pair("lower", percent=True),
        rf"{_W}<a>,?(?:扣掉|扣除|减掉|扣)<b>,?(?:以后|之后|后)?(?:还剩下|还剩|剩下|剩余|剩|还有){_MUCH}",
    ),
    *_zh(
        make.discount,
        rf"{_W}<a>的?{_W}打?(?P<n>[0-9.]+?|[一二三四五六七八九]{{1,2}})折,?{_W}(?:应收|应付|实收|实付|现价|到手){_MUCH}",
    ),
    *_zh(say.before_discount, rf"打<n>折(?:之后|以后|后)?(?:是|为|卖|花了|付了)?<a>,?(?:那么?)?原价{_MUCH}"),
    *_zh(
        do.without("add"),
        rf"含税(?:价|金额|总价)?(?:是|为)?<a>,?(?:增值)?税率(?:是|为)?<b>,?(?:求|问|那么?)?不含税(?:价|金额)?{_MUCH}",
    ),
    *_zh(do.in_percent, r"(?:把|将)?<e>(?:化成|化为|写成|转成|转为|换成|转换成|转化成|改写成|用)(?:百分数|百分比|百分率)(?:表示)?(?:是多少)?"),
    *_zh(
        do.interest(compound=False),
        rf"本金<a>,?年利率<b>,?(?:按)?单利(?:计算)?,?<n>年后?(?:一共|总共|共)?(?:有)?{_MUCH}利息(?:是)?{_MUCH}",
    ),
    *_zh(
        do.interest(compound=True),
        rf"每年(?:上?涨|增长|增加|递增)<b>,?(?P<a>[0-9.]+(?:万|亿)?(?:元|块)?),?<n>年(?:之后|以后|后){_W}{_MUCH}(?:\(复利\))?",
        rf"本金<a>,?年利率<b>,?(?:按)?复利(?:计算)?,?<n>年(?:之后|以后|后)?{_W}(?:本息和?|一共){_MUCH}",
    ),
    *_zh(do.series("add"), rf"(?:等差数列)?,?首项(?:是|为)?<a>,?公差(?:是|为)?<b>,?前<n>项的?(?:总和|和){_MUCH}"),
    *_zh(do.series("mul"), rf"(?:等比数列)?,?首项(?:是|为)?<a>,?公比(?:是|为)?<b>,?前<n>项的?(?:总和|和){_MUCH}"),
    *_zh(do.first_numbers, rf"前<n>个正?(?P<parity>奇|偶|单|双)数的?(?:和|之和|总和|加起来|相加|(?P<product>积|乘积)){_MUCH}"),
    *_zh(do.powers_between, rf"从?<a>(?:到|至)<b>的?(?P<p>平方|立方)(?:之)?和{_MUCH}"),
    *_zh(make.summed("sum"), rf"∑ ?<e>,?<v>(?:从|=)<a>(?:到|至)<b>(?:的和)?{_MUCH}"),
    *_zh(do.logarithm, rf"以<a>为底,?<b>的对数值?{_MUCH}", rf"以<a>为底的?<b>的?对数值?{_MUCH}"),
    *_zh(make.integral, rf"<e>从<a>积到<b>{_MUCH}", r"积分(?:一下)?:?<E>", rf"∫ ?<e>,?从<a>(?:到|至)<b>(?:的?积分)?{_MUCH}"),
    *_zh(make.derivative, r"(?:请|帮我)?对<v>(?:求偏导数?|求导数?) ?:? ?<E>", rf"<e>,?(?:对<v>)?(?:求导数?|求微分){_MUCH}"),
    *_zh(
        make.limit,
        rf"(?:求|求一下)?(?:极限)?:?当?<v>{_SIDE}{_TO}<a>(?:的?时候?),?<e>的?极限值?{_MUCH}",
        rf"(?:求|求一下)?极限:?当?<v>{_SIDE}{_TO}<a>(?:的?时候?)?,?<e>",
        rf"当<v>{_SIDE}{_TO}<a>,<e>的?极限值?{_MUCH}",
    ),
    *_zh(
        make.solve,
        rf"(?:不等式|方程)?<e>,?{_U}(?:是多少|等于几|等于多少|是几|取哪些值|取什么值|的?取值范围|的?范围)(?:是什么|是多少)?",
        rf"(?:不等式|方程)?<e>,?求{_U}的?(?:取值)?范围",
        rf"<e>,?把{_U}(?:解|求)出来",
        rf"(?:求解|解一下|解出|解下|解)(?:这个|下面的?|以下)?{_EQUATION}:?<e>",
        r"<e>,?(?:怎么解|如何解|解一下|解下|求解|解出来)",
        r"<e>,?(?:这)?(?:两|二|三|四|2|3|4|几)?个?(?:方程|式子)?联立(?:求解|解|起来)?",
        rf"{_EQUATION}?<e>的(?:所有)?复数(?:根|解)",
    ),
    *_zh(make.applied("eigenvalues"), r"(?:求|计算)?(?:矩阵)?<e>的?特征值(?:是多少|是什么)?"),
    *_zh(make.value, r"<e>(?:得|是)(?:什么|哪个)(?:矩阵|数)", r"(?:把|将)<e>(?:化成|化为|写成)最简(?:二次)?根式"),
    *_zh(do.angle("radian"), r"(?P<e>(?:arc|a)(?:sin|cos|tan).+?)(?:是|等于)多少弧度", r"(?:把|将)?(?P<e>[0-9.]+ ?°|[0-9.]+)度?(?:化成|换成|换算成|转成|是多少|等于多少)弧度"),
    *_zh(do.angle("degree"), r"(?P<e>(?:arc|a)(?:sin|cos|tan).+?)(?:是|等于)多少度"),
    *_zh(do.per, r"<e>(?:等于|是|=|合)每<n>多少<b>"),
    *_zh(
        make.convert,
        rf"{_W}(?P<e>[0-9.]+ ?(?:{_UNIT}))[\x{{4e00}}-\x{{9fff}}]{{0,4}}?,?(?:等于|是|合|有|折合|换成|换算成)?(?:多少|几)(?:个)?<b>(?:高|长|重|宽|呀|啊)?",
        rf"{_W}(?P<e>[0-9.]+ ?(?:{_UNIT})) ?(?:换成|换算成|折合成|转成)<b>{_MUCH}",
        r"<e>的?(?:人|身高)?(?:有|是)(?:多少|几)<b>(?:高|长|重|宽)",
    ),
]  # fmt: skip

_TAX = r"(?:sales tax|tax|vat|gst|tip|service charge)"
_YEARS = r"(?:years?|yrs?)"
_FOR_X = r"[,;.]? ?(?:then )?"
_TENDS = r"(?: (?:approaches|goes to|tends to|to) | ?→ ?)"

EN: list[Ask] = [
    *_en(
        make.pair("change"),
        rf"(?:[a-z]+ ){{0,2}}(?:went|rose|fell|grew|dropped|increased|decreased|goes)(?: up| down)? from <a> to <b>{_FOR_X}"
        r"(?:what |by what |how much )?(?:is |was |the )*(?:growth rate|percentage|percent|%)(?: change| increase| decrease)?(?: is that| was that)?(?: in (?:%|percent))?",
        r"(?:[a-z]+ )?from <a> to <b>[,;] ?(?:percentage|percent) (?:change|increase|decrease|growth)",
    ),
    *_en(make.pair("raise", percent=True), rf"add <b> (?:of )?{_TAX} to <a>", rf"<a> plus <b> {_TAX}"),
    *_en(
        make.pair("lower", percent=True),
        rf"(?:an? |the )?[a-z]+ (?:was|costs?|is) <a> (?:and |but )?(?:now )?(?:it's|it is|is) <b> off{_FOR_X}(?:what's|what is|whats) the (?:new )?(?:price|cost)",
    ),
    *_en(do.without("sub"), rf"after an? <b> (?:discount|reduction)(?: i| we)? ?(?:paid|pay|it costs?|it is|the price is) <a>{_FOR_X}(?:what (?:is|was) )?(?:the )?original price(?: was| is)?"),
    *_en(do.without("add"), rf"(?:[a-z]+ )?(?:total|price|amount) (?:of )?<a> (?:incl\.?|including|with) <b> {_TAX} ?[,;:-]* ?(?:what is )?(?:the )?net(?: amount| price)?"),
    *_en(do.share_of, rf"(?:what is )?(?:an? )?<b> {_TAX} on (?:an? |the )?(?P<a>[0-9.,]+)(?: [a-z]+){{0,3}}"),
    *_en(do.in_percent, r"(?:convert|express|write|turn) <e> (?:to|into|as|in) (?:an? )?(?:percentage|percent)", r"<e> as (?:an? )?(?:percentage|percent)"),
    *_en(do.interest(compound=False), rf"(?:what is |the )*simple interest on <a> at <b>(?: a year| per year| p\.a\.)? for <n> {_YEARS}"),
    *_en(do.interest(compound=False, months=True), r"(?:what is |the )*simple interest on <a> at <b>(?: a year| per year| p\.a\.)? for <n> months?"),
    *_en(do.interest(compound=True), rf"<a> (?:invested )?at <b>(?: interest)?,? compounded (?:yearly|annually),? (?:for|over|after) <n> {_YEARS}{_FOR_X}(?:final amount|total|what is it worth|how much)?"),
    *_en(do.powers_between, r"(?:the )?sum of (?:the |all )*(?P<p>squares|cubes) (?:from|between) <a> (?:to|and|through) <b>"),
    *_en(make.numbers_between, r"(?:add up|sum|total)(?: of)? (?:all )?(?:the )?(?:(?P<parity>even|odd) )?(?:whole |natural )?(?:numbers|integers) (?:from|between) <a> (?:to|and|through) <b>"),
    *_en(do.first_numbers, r"(?:the )?(?:sum|(?P<product>product)) of (?:the )?first <n> (?:positive )?(?P<parity>even|odd) (?:numbers|integers)"),
    *_en(make.summed("sum"), r"(?:∑|sum) ?<e>(?: for| over|,)? <v> ?(?:=|from) ?<a> ?(?:\.{2,3}|to|through) ?<b>"),
    *_en(do.logarithm, r"(?:what is |the )*log(?:arithm)?,? base <a>,? (?:of )?<b>"),
    *_en(do.power, r"(?:what (?:do i get|is it|happens) if i |what is )?raised? <a> to the (?P<k>[0-9]{1,3})(?:st|nd|rd|th)? power"),
    *_en(do.chosen, r"(?:in )?how many ways (?:are there |can i |can you )?(?:to )?(?:choose|pick|select) <a> (?:out of|from|of) <b>"),
    *_en(make.derivative, r"(?:find |take |what is |whats |what's )*d/d<v> (?:of|\() ?<E>", r"d\^\(?(?P<k>[2-5])\)?/d(?P<v>[a-z])\^\(?[2-5]\)? (?:of )?<E>", r"(?:take|get|find) (?:the )?derivative of <E>"),
    *_en(make.limit, rf"lim(?:it)?(?: of)? <e> (?:as|when) <v>{_TENDS}<a>(?: from (?:the )?(?P<s>left|right|above|below))?", rf"what does <e> (?:tend|go|converge) to (?:when|as|if) <v>{_TENDS}<a>"),
    *_en(
        make.solve,
        rf"<e>{_FOR_X}(?:solve for|find all|find|what is|what's|whats|solve) (?:the value of )?{_U}",
        r"<e>[,;.]? ?(?:solve(?: the system| it)?|(?:find )?(?:the )?(?:roots|solutions?|solution set))",
        rf"(?:what|which) values? of {_U} (?:makes?|satisf(?:y|ies)|gives?) <e>",
        rf"for (?:which|what) (?:values? of )?{_U} is <e>",
        r"(?:solve )?<e> (?:over the complex numbers|exactly)",
        r"solve <e> exactly",
    ),
    *_en(make.value, r"<e> as an? (?:exact |simplified )?fraction"),
    *_en(do.angle("degree"), r"(?P<e>(?:arc|a)(?:sin|cos|tan).+?) in degrees", r"(?:convert )?(?P<e>[0-9.]*(?: ?\*? ?pi)?(?:/[0-9]+)?) (?:rad|radians) (?:to|in|into) degrees"),
    *_en(do.angle("radian"), r"(?P<e>(?:arc|a)(?:sin|cos|tan).+?) in radians", r"(?:convert )?(?P<e>[0-9.]+) (?:degrees?|deg|°) (?:to|in|into) (?:rad|radians)"),
    *_en(make.convert, r"(?:what is |how much is |convert )?(?P<e>[0-9.]+ [a-z]+) of [a-z]+ ?(?: in | to | into |→|=) ?<b>", rf"(?:[a-z]+ ){{0,4}}is (?P<e>[0-9.]+ [a-z^0-9]+){_FOR_X}how (?:big|long|far|heavy|much) is (?:that|it) in <b>"),
]  # fmt: skip
