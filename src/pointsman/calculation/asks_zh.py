"""How calculations are asked for in Chinese. The first way of asking that is read whole wins: the special before the plain."""

from __future__ import annotations

from pointsman.calculation import builders as make
from pointsman.calculation import sentences as say
from pointsman.calculation.asking import Ask, Build, pattern

_HEAD = (
    r"(?:(?:求出|求解|求一下|求|计算出|计算一下|计算|算一下|算一算|算下|算算|算出|算|口算|试求|写出|找出|得出|给出|那么|则|下列|下面|以下|函数|"
    r"表达式|式子|算式|一下|[:,]) ?)*"
)
_TAIL = r"(?: ?[,;:]? ?(?:合计|一共|总共|共计)?(?:的值|的结果|的答案|的和|结果|答案|值)? ?(?:应该)?(?:是|等于|为|得|有|=)? ?(?:多少|几|多大|什么|啥|怎么算|怎么求|如何计算)?(?:呢|吗|钱)?)?"
_ORDER = r"(?:(?P<k>[0-9]{1,2}|[一二两三四五六七八九十])阶)?"
_TO = r"(?:趋近于|趋向于|趋于|趋向|趋近|→|到)"
_SIDE = r"(?:从?(?P<s>左|右)(?:侧|边)?)?"
_UNKNOWNS = r"(?P<u>[a-zA-Z](?:_?[0-9])?(?: ?(?:,|和|与|、) ?[a-zA-Z](?:_?[0-9])?)*)"
_EQUATION = (
    r"(?:(?:关于 ?[a-z] ?的)?(?:一元|二元|三元|多元|线性)*(?:一次|二次|三次|分式|线性)?(?:方程组|方程|不等式组|不等式))"
)
_GIVEN = r"(?P<a>[a-z](?:_[0-9])? ?=.+?)"
_UP = r"(?:上涨|涨价|增长|增加|提高|上升|上调|提升|涨|升|加价)"
_DOWN = r"(?:下跌|下降|减少|降低|下调|降价|缩减|跌|降|减)"
_RATE = r"(?:涨幅|跌幅|降幅|增幅|增长率|变化率|增长幅度|下降幅度|变化幅度|下降率|百分之几|百分之多少|百分比|多少百分比|多少个?百分点|几个?百分点)"
_FILL = rf"(?:的|是|了|为|它|那么|请问|多少|几|{_UP}|{_DOWN}|变化|等于|[ ,?])"
_BASES = {
    "二": 2, "2": 2, "三": 3, "3": 3, "四": 4, "4": 4, "五": 5, "5": 5, "六": 6, "6": 6, "七": 7, "7": 7, "八": 8, "8": 8,
    "九": 9, "9": 9, "十": 10, "10": 10, "十二": 12, "12": 12, "十六": 16, "16": 16, "三十二": 32, "32": 32, "三十六": 36, "36": 36,
}  # fmt: skip


def _ask(written: str, build: Build) -> Ask:
    return Ask(pattern(written, blanks=False), build)


def _either(written: list[str], build: Build) -> list[Ask]:
    return [_ask(one, build) for one in written]


def _calculus() -> list[Ask]:
    derivative = r"(?:导数值|导函数|导数|微商|偏导数|偏导|微分)"
    return [
        *_either(
            [
                rf"{_HEAD}<e> 在 (?:点|x轴上的)? <v> = <a> (?:处|点处|点|时)? ?的 ?{_ORDER} ?{derivative}{_TAIL}",
                rf"{_HEAD}<e> (?:对|关于) ?(?:变量)? ?<v> ?的? ?{_ORDER} ?{derivative}{_TAIL}",
                rf"{_HEAD}<e> ?的 ?{_ORDER} ?{derivative}{_TAIL}",
                rf"(?:对|将|把)? ?<e> ?(?:对|关于) ?<v> ?(?:求导|求偏导|求{_ORDER}导数?)",
                rf"(?:对|将|把)? ?<e> ?(?:进行)? ?(?:求导|求{_ORDER}导数?)",
                rf"(?:求导数?|对其求导|微分|求{_ORDER}导数?|导数) ?:? ?<E>",
            ],
            make.derivative,
        ),
        *_either(
            [
                rf"{_HEAD}(?P<e>(?:∫|\\int).+?) ?(?:的)?(?:(?:不定|定)?积分)?{_TAIL}",
                rf"{_HEAD}(?:不定|定|二重)?积分 ?:? ?(?P<e>(?:∫|\\int).+?){_TAIL}",
            ],
            make.value,
        ),
        *_either(
            [
                rf"{_HEAD}<e> (?:对|关于) ?<v> ?从 ?<a> ?到 ?<b> ?的? ?定?积分{_TAIL}",
                rf"{_HEAD}<e> ?(?:从|在) ?<a> ?到 ?<b> ?(?:上|之间|区间上?|范围内)? ?的? ?定?积分{_TAIL}",
                rf"{_HEAD}<e> ?在 ?(?:闭?区间)? ?[\[(] ?<a> ?, ?<b> ?[\])] ?(?:上)? ?的? ?定?积分{_TAIL}",
                rf"(?:对|将|把) ?<e> ?从 ?<a> ?到 ?<b> ?(?:求|进行|做|的)? ?定?积分{_TAIL}",
                rf"{_HEAD}定?积分 ?:? ?<e> ?[,]? ?(?:从|在|区间) ?<a> ?到 ?<b>",
                rf"{_HEAD}<e> ?(?:对|关于) ?<v> ?的? ?(?:不定)?积分{_TAIL}",
                rf"{_HEAD}<e> ?的 ?(?:不定积分|原函数|积分|(?P<definite>定积分)){_TAIL}",
                r"(?:对|将|把) ?<e> ?(?:求|进行|做)? ?(?:不定)?积分",
                rf"(?:{_HEAD}不定积分|求?积分|原函数) ?:? ?<E>",
            ],
            make.integral,
        ),
        *_either(
            [
                rf"{_HEAD}(?:极限)? ?:? ?当? ?<v> ?{_SIDE} ?{_TO} ?<a> ?(?:的?时候?)? ?[,]? ?(?:函数)? ?<e> ?的 ?极限值?{_TAIL}",
                rf"{_HEAD}<e> ?[,]? ?(?:当|在) ?<v> ?{_SIDE} ?{_TO} ?<a> ?(?:的?时候?|处)? ?的? ?极限值?{_TAIL}",
            ],
            make.limit,
        ),
        *_either(
            [
                rf"{_HEAD}(?:极限)? ?:? ?(?P<e>(?:lim|\\lim).+?) ?(?:的)?(?:极限值?)?{_TAIL}",
            ],
            make.value,
        ),
        *_either(
            [rf"{_HEAD}<e> ?[,]? ?(?:对)? ?<v> ?从 ?<a> ?到 ?<b> ?(?:的)? ?(?:求和|的和|之和|总和){_TAIL}"],
            make.summed("sum"),
        ),
    ]


def _equations() -> list[Ask]:
    return [
        *_either(
            [
                rf"(?:请)?(?:求解|解出|解一下|解下列|解|求) ?{_EQUATION}? ?:? ?<e> ?(?:[,;]|中|里)? ?(?:的)? ?(?:求|解出|关于) ?{_UNKNOWNS} ?(?:的值|的解)?{_TAIL}",
                rf"(?:求解|解出|解一下|解下列|解) ?{_EQUATION}? ?:? ?<e> ?(?:的)?(?:解集|解|根)?{_TAIL}",
                rf"{_HEAD}{_EQUATION} ?:? ?<e> ?(?:的)? ?(?:解集|所有解|实数根|实数解|解|根|怎么解|如何解){_TAIL}",
                rf"{_HEAD}{_EQUATION} ?:? ?<e>",
                rf"(?:已知|若|如果|设|当|假设|有)? ?<e> ?[,;]? ?(?:求解|求出|求|则|那么|问|解出|解) ?:? ?{_UNKNOWNS} ?(?:的值|的取值范围|的范围|各|分别)*{_TAIL}",
                r"(?:已知|若|如果)? ?<e> ?;solve (?P<u>[a-zA-Z])",
                rf"{_HEAD}<e> ?的 ?(?:解集|所有解|实数根|解|根){_TAIL}",
                r"<e> ?(?:怎么解|如何解|求解|解方程)",
            ],
            make.solve,
        ),
        _ask(rf"{_HEAD}(?P<zero>)<e> ?的 ?(?:所有)?(?:零点|根){_TAIL}", say.zeros),
    ]


def _rewriting() -> list[Ask]:
    asks: list[Ask] = []
    for kind, words in (
        ("primes", "分解质因数|质因数分解|素因数分解|分解素因数"),
        ("factor", "因式分解|分解因式|分解"),
        ("simplify", "化简|简化|合并同类项|化成最简形式|化为最简"),
        ("expand", "展开|去括号"),
        ("square", "配方|化成顶点式|化为顶点式"),
        ("apart", "部分分式分解|部分分式展开|化成部分分式|拆成部分分式"),
    ):
        build = make.rewritten(kind)  # type: ignore[arg-type]
        asks += _either(
            [
                rf"(?:{_HEAD})(?:{words})(?:因式)? ?(?:多项式|代数式|分式)? ?:? ?<E>",
                rf"(?:{_HEAD})(?:把|将|对)? ?(?:多项式|代数式)? ?<e> ?(?:进行|做|的)? ?(?:{words})(?:式)?{_TAIL}",
            ],
            build,
        )
    asks += _either(
        [rf"{_HEAD}<e> ?的 ?(?:所有|全部)? ?(?:质因数|素因数|质因子)(?:有哪些|分解)?{_TAIL}"], make.rewritten("primes")
    )
    asks += _either(
        [rf"{_HEAD}<e> ?(?:的|有) ?(?:所有|全部|哪些)? ?(?:因数|约数|因子)(?:有哪些|有)?{_TAIL}"],
        make.rewritten("divisors"),
    )
    asks += _either(
        [r"<e> ?是(?:不是|否是|否为)? ?(?:质数|素数|合数)(?:吗|还是合数|还是质数)?"], make.rewritten("is_prime")
    )
    asks += _either([r"判断 ?<e> ?是(?:不是|否是|否为|否)? ?(?:质数|素数)"], make.rewritten("is_prime"))
    return asks


def _percentages() -> list[Ask]:
    return [
        *_either(
            [
                rf"{_HEAD}(?:价格|股价|销量|产量|人口|工资|数量)?从 ?<a> ?(?:{_UP}|{_DOWN}|变)?了?(?:到|至|成|为) ?<b> ?{_FILL}*{_RATE}{_FILL}*",
                rf"{_HEAD}<a> ?(?:{_UP}|{_DOWN}|变)?了?(?:到|至|成) ?<b> ?{_FILL}*{_RATE}{_FILL}*",
            ],
            make.pair("change"),
        ),
        _ask(
            r"<b> ?比 ?<a> ?(?:多|大|高|少|小|低|增长|增加|减少)了? ?(?:百分之几|百分之多少|多少百分比)",
            make.pair("change"),
        ),
        _ask(
            rf"{_HEAD}<a> ?{_UP}了? ?<b> ?(?:以后|之后|后)? ?[,]?(?:是|变成|变为|等于|为)? ?(?:多少|几)?(?:元|钱)?",
            make.pair("raise", percent=True),
        ),
        _ask(
            rf"{_HEAD}<a> ?{_DOWN}了? ?<b> ?(?:以后|之后|后)? ?[,]?(?:是|变成|变为|等于|为|还剩)? ?(?:多少|几)?(?:元|钱)?",
            make.pair("lower", percent=True),
        ),
        _ask(
            rf"{_HEAD}<a> ?(?:是|占|为|相当于) ?<b> ?的 ?(?:百分之几|百分之多少|多少百分比|百分比是多少|百分比)",
            make.pair("share"),
        ),
        _ask(rf"{_HEAD}<a> ?(?:占|在) ?<b> ?(?:的|中的?) ?(?:百分比|比例|占比)(?:是|为)?(?:多少)?", make.pair("share")),
        _ask(rf"{_HEAD}<a> ?是 ?<b> ?的 ?几分之几", say.fraction),
        _ask(
            r"(?:多少|几|什么数|哪个数|一个数|某数|某个数) ?的 ?<b> ?(?:是|等于|为) ?<a>(?: ?[,;]? ?(?:求)?(?:这个数|该数|它)(?:是多少|是几)?)?",
            say.whole,
        ),
        _ask(r"<a> ?是 ?(?:多少|几|什么数|哪个数) ?的 ?<b>", say.whole),
        _ask(
            r"打 ?<n> ?折 ?后?(?:是|为|卖|的价格是|售价是|价格为)? ?<a> ?[,]? ?原价(?:是)?(?:多少)?(?:元|钱)?",
            say.before_discount,
        ),
        _ask(
            r"打 ?(?P<n>[0-9.]+?|[一二三四五六七八九]{1,2}) ?折 ?(?:后|以后)? ?<a> ?(?:是|等于|元|块|多少|钱)*",
            make.discount,
        ),
        _ask(
            rf"{_HEAD}(?:原价|标价|定价|价格)?(?:是|为)? ?<a> ?(?:的)?(?:商品|衣服|东西|书)? ?[,]? ?(?:打|按)? ?(?P<n>[0-9.]+?|[一二三四五六七八九]{{1,2}}) ?折 ?(?:出售|优惠)?(?:以后|之后|后)? ?[,]?(?:的价格|价格|现价|售价)?(?:是|为|卖|要|等于)?(?:多少|几)?(?:元|钱|块)*",
            make.discount,
        ),
    ]


def _numbers() -> list[Ask]:
    asks: list[Ask] = []
    for name, base in _BASES.items():
        asks += _either(
            [
                rf"(?:把|将)?(?:十进制数?)? ?<e> ?(?:转换成|转换为|转化为|转化成|转成|转为|换成|换算成|化成|化为|变成|写成|用|的|转) ?{name} ?进制(?:数)?(?:表示|形式)?{_TAIL}",
            ],
            say.based(base),
        )
    asks += [
        _ask(r"(?:把|将)? ?<a> ?(?:除以|÷|/) ?<b> ?(?:的余数|余多少|余几|余数)(?:是多少|是几|是)?", make.remainder),
        _ask(r"<a> ?(?:对|模) ?<b> ?(?:取模|取余|求余)(?:是多少|等于多少)?", make.remainder),
        _ask(
            r"<a> ?(?:和|与|跟|,) ?<b> ?(?:比较?)?[,]? ?(?:哪个|谁|哪一个|哪个数)(?:数)?(?:更|比较)?(?:大|小)(?:一些|一点)?",
            make.compared,
        ),
        _ask(r"(?:比较) ?<a> ?(?:和|与|跟) ?<b> ?(?:的)?(?:大小)?", make.compared),
        _ask(rf"{_HEAD}(?:从)? ?<a> ?(?:一直)?(?:加到|累加到) ?<b> ?(?:的和)?{_TAIL}", make.numbers_between),
        _ask(
            rf"{_HEAD}(?:从)? ?<a> ?(?:到|至) ?<b> ?(?:之间)?(?:的)?(?:所有|全部)?(?:的)?(?:(?P<parity>奇|偶|单|双)数|整数|自然数|数|数字|正整数)?(?:的|之)?(?:和|总和){_TAIL}",
            make.numbers_between,
        ),
        _ask(rf"{_HEAD}(?:从)? ?<a> ?(?:到|至) ?<b> ?(?:的)?(?:连)?(?P<product>乘积|积){_TAIL}", make.numbers_between),
        _ask(
            rf"{_HEAD}<e>{_TAIL} ?[,;(]? ?(?:结果|答案)?(?:四舍五入)?(?:保留|精确到|取)(?:到)?(?:小数点后)? ?<k> ?位 ?(?:小数)?\)?",
            make.rounded,
        ),
        _ask(
            rf"{_HEAD}<e>{_TAIL} ?[,;(]? ?(?:结果|答案)?(?P<whole>四舍五入到整数|保留整数|取整数|精确到个位|四舍五入取整)\)?",
            make.rounded,
        ),
        _ask(rf"{_HEAD}<e> ?\+ ?(?:\.\.\.|…+|\*{{3}}) ?\+ ?<b>{_TAIL}", say.ellipsis),
    ]
    return asks


def _units() -> list[Ask]:
    return [
        *_either(
            [
                r"(?:把|将|请把)? ?<e> ?(?:等于|是|为|=|有|合|折合|相当于|折算成|换算成|换算为|换成|转换成|转换为|转成|转为|转|化成|化为|换算|就是|变成)(?:是)? ?(?:多少|几) ?(?:个)? ?<b>",
                r"(?:把|将|请把)? ?<e> ?(?:折算成|换算成|换算为|换成|转换成|转换为|转化为|转成|转为|化成|化为|换算到|转) ?<b>(?:是多少|等于多少)?",
                r"(?:多少|几)(?:个)? ?<b> ?(?:等于|是|=) ?<e>",
                r"<e> ?(?:用|以) ?<b> ?(?:表示|作单位)(?:是多少)?",
            ],
            make.convert,
        ),
    ]


def _plain() -> list[Ask]:
    matrix = [
        _ask(rf"{_HEAD}(?:矩阵)?的?{word} ?:? ?(?:矩阵)? ?<E>", make.applied(op))
        for word, op in (
            ("行列式", "det"), ("逆矩阵", "inverse"), ("逆", "inverse"), ("特征值", "eigenvalues"), ("特征向量", "eigenvectors"),
            ("转置", "transpose"), ("秩", "rank"),
        )
    ]  # fmt: skip
    return [
        *_either(
            [
                rf"(?:已知|若|如果|设|当)? ?{_GIVEN} ?(?:的?时候?)? ?[,;]? ?(?:求|则|计算|那么)+ ?(?:代数式|多项式)? ?(?P<e>[^=]+?) ?(?:的值)?{_TAIL}",
                rf"{_HEAD}当? ?{_GIVEN} ?(?:的?时候?[,]?|[,;]) ?(?:求|代数式|多项式|函数)? ?<e> ?(?:的值)?{_TAIL}",
                rf"(?:已知|若|如果|设) ?{_GIVEN} ?[,;] ?(?:求|则|那么|计算)* ?(?:代数式|多项式)? ?<e> ?(?:的值)?{_TAIL}",
                rf"{_HEAD}<e> ?[,;]? ?(?:当|在|其中|若|如果) ?(?:点)? ?{_GIVEN} ?(?:的?时候?|处)? ?(?:的值|的函数值)?{_TAIL}",
            ],
            make.substituted,
        ),
        *matrix,
        *_either(
            [
                rf"{_HEAD}<e>{_TAIL}",
                rf"{_HEAD}(?:多少|几)? ?(?:是|等于) ?<e>",
            ],
            make.value,
        ),
    ]


ASKS: list[Ask] = [
    *say.ASKS,
    *_calculus(),
    *_rewriting(),
    *_percentages(),
    *_numbers(),
    *_units(),
    *_equations(),
    *_plain(),
]
