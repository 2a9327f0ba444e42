"""How calculations are asked for in English. The first way of asking that is read whole wins: the special before the plain."""

from __future__ import annotations

from pointsman.calculation import builders as make
from pointsman.calculation import sentences as say
from pointsman.calculation.asking import Ask, Build, pattern

_HEAD = (
    r"(?:(?:what is|what's|whats|what are|what will be|what does|calculate|compute|evaluate|find|determine|work out|give me|give|show me|show|"
    r"get|solve|the value of|value of|the result of|result of|the answer to|how much is|the following|expression|the|an?|[:,])[ :]+)*"
)
_TAIL = r"(?: ?[,:]? ?(?:equals?|is equal to|is|=|makes?|comes? to)? ?(?:what|how much|to)?)?"
_ORDER = r"(?:(?P<k>first|second|third|fourth|fifth|1st|2nd|3rd|4th|5th) )?"
_BY = r"(?:with respect to|w\.?r\.?t\.?|respecting|in terms of|for|by|over)"
_TO = r"(?: (?:approaches|goes to|tends to|tending to|approaching|gets close to|to) | ?→ ?)"
_SIDE = r"(?: from (?:the )?(?P<s>left|right|above|below))?"
_UNKNOWNS = r"(?P<u>[a-zA-Z](?:_?[0-9])?(?:(?: and | ?, ?(?:and )?)[a-zA-Z](?:_?[0-9])?)*)"
_WHAT = r"(?:(?:this|the|an?) )?(?:following )?(?:system of |simultaneous |quadratic |linear |cubic )*(?:equations?|inequalit(?:y|ies)|systems?)"
_BASES = {"binary": 2, "octal": 8, "decimal": 10, "hexadecimal": 16, "hex": 16} | {
    f"base {n}": n for n in (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 32, 36)
}


def _ask(written: str, build: Build) -> Ask:
    return Ask(pattern(written), build)


def _either(written: list[str], build: Build) -> list[Ask]:
    return [_ask(one, build) for one in written]


def _calculus() -> list[Ask]:
    derivative = rf"{_ORDER}(?:partial )?derivative of"
    return [
        *_either(
            [
                rf"{_HEAD}{derivative} <e> (?:{_BY} <v> )?(?:at|when|where|for) (?:[a-z] ?= ?)<a>",
                rf"{_HEAD}{derivative} <e> {_BY} <v>",
                rf"{_HEAD}{derivative} <E>",
                rf"differentiate <e> {_BY} <v>",
                r"(?:differentiate|diff|derive) ?:? <E>",
                rf"{_HEAD}<e>'s {_ORDER}derivative",
            ],
            make.derivative,
        ),
        *_either(
            [
                rf"(?:integrate|{_HEAD}(?:definite )?integral of|{_HEAD}area under) <e> (?:{_BY} <v> )?(?:from|between) (?:[a-z] ?= ?)?<a> (?:to|and) (?:[a-z] ?= ?)?<b>",
                rf"(?:integrate|{_HEAD}(?:definite )?integral of) <e> (?:from|between) (?:[a-z] ?= ?)?<a> (?:to|and) (?:[a-z] ?= ?)?<b> {_BY} <v>",
                rf"(?:integrate|{_HEAD}(?:definite )?integral) from <a> to <b> of <e>",
                rf"(?:integrate|{_HEAD}(?:indefinite |definite )?integral of|{_HEAD}(?:antiderivative|anti-derivative|primitive) of) <e> {_BY} <v>",
                rf"(?:integrate|{_HEAD}(?:indefinite )?integral of|{_HEAD}(?:antiderivative|anti-derivative|primitive) of) ?:? <E>",
            ],
            make.integral,
        ),
        *_either(
            [
                rf"{_HEAD}limit of <e> as <v>{_TO}<a>{_SIDE}",
                rf"{_HEAD}limit of <e> (?:when|at|for) <v> ?(?:=|→|to|goes to) ?<a>{_SIDE}",
                rf"{_HEAD}limit as <v>{_TO}<a>{_SIDE} of <e>",
                rf"{_HEAD}<e> as <v>{_TO}<a>{_SIDE}",
            ],
            make.limit,
        ),
        *_either(
            [
                rf"{_HEAD}sum of <e> (?:for|from|over|with) <v> ?(?:=|from) ?<a> (?:to|through|up to) <b>",
                r"sum <e> (?:for|from|over|with) <v> ?(?:=|from) ?<a> (?:to|through) <b>",
                r"∑ ?\( ?<e> ?, ?<v> ?(?:=|,) ?<a> ?(?:,|to|\.\.) ?<b> ?\)",
            ],
            make.summed("sum"),
        ),
        *_either(
            [rf"{_HEAD}product of <e> (?:for|from|over) <v> ?(?:=|from) ?<a> (?:to|through) <b>"],
            make.summed("product"),
        ),
    ]


def _equations() -> list[Ask]:
    return [
        *_either(
            [
                rf"(?:solve|find) (?:for )?{_UNKNOWNS} ?(?::|in|if|when|such that|where|given(?: that)?|from)[: ] ?<e>",
                rf"(?:solve|find the solutions? (?:of|to|for)|find the roots? of|what (?:is|are) the (?:solutions?|roots?) (?:of|to))[ :]+(?:{_WHAT}[ :]+)?<e> (?:for|in terms of) {_UNKNOWNS}",
                rf"(?:solve|find the (?:real |complex )?(?:solutions?|roots?) (?:of|to|for)|what (?:is|are) the (?:solutions?|roots?) (?:of|to)|{_HEAD}(?:solutions?|roots?) (?:of|to))[ :]+(?:{_WHAT}[ :]+)?<E>",
                rf"(?:if|given(?: that)?|suppose) ?<e> ?[,;]? ?(?:then )?(?:what is|what's|find|solve for|what are) ?(?:the value of )?{_UNKNOWNS}",
                rf"(?:what is|what's|what are) (?:the value of )?{_UNKNOWNS} (?:if|when|where|given) <e>",
                rf"<e> ?[,;] ?(?:solve|find|what is|solve for) ?(?:for )?{_UNKNOWNS}",
                r"<e> ?;solve (?P<u>[a-zA-Z])",
                rf"{_WHAT} ?:? <E>",
            ],
            make.solve,
        ),
        _ask(
            rf"(?:find (?:the )?|{_HEAD})(?:zeros?|zeroes|roots?) of (?:the )?(?:function|polynomial|quadratic)? ?<E>",
            say.zeros,
        ),
    ]


def _rewriting() -> list[Ask]:
    asks: list[Ask] = []
    for kind, words in (
        ("primes", rf"(?:{_HEAD}(?:prime factors|prime factorization|prime factorisation|prime decomposition) of)"),
        ("divisors", rf"(?:{_HEAD}(?:all )?(?:the )?(?:divisors|factors) of)"),
        ("factor", "(?:factori[sz]e|factor)"),
        ("simplify", "(?:simplify|reduce)"),
        ("expand", rf"(?:expand|multiply out|{_HEAD}expansion of)"),
        ("square", "(?:complete the square(?: (?:for|of|in))?)"),
        ("apart", rf"(?:{_HEAD}partial fractions? (?:decomposition )?(?:of|for)?|decompose into partial fractions)"),
    ):
        asks += _either(
            [
                rf"{words}(?: the)?(?: expression| polynomial| fraction)? ?:? <e>(?: completely| fully| out| into primes| into prime factors)?"
            ],
            make.rewritten(kind),  # type: ignore[arg-type]
        )
    asks += _either([r"is <e> (?:a )?prime(?: number)?(?: or not)?"], make.rewritten("is_prime"))
    return asks


def _percentages() -> list[Ask]:
    amount = r"(?:an? )?(?:price of |cost of )?"
    return [
        *_either(
            [
                rf"{_HEAD}(?:percentage|percent|%|relative) (?:change|increase|decrease|difference|drop|growth) (?:from|between) <a> (?:to|and) <b>",
                r"by what (?:percentage|percent) (?:does|did|has|is) (?:it )?<a> (?:increased?|decreased?|grown?|changed?|rise|risen|fall|fallen|drop|dropped)? ?to <b>",
                r"(?:it |the price |sales )?(?:went|rose|fell|grew|dropped|increased|decreased|goes) (?:up |down )?from <a> to <b> ?[,.;]? ?(?:what|by what|how much)? ?(?:is|was)? ?(?:the )?(?:percentage|percent|in percent)(?: change| increase| decrease)?(?: is that)?",
                r"from <a> to <b> (?:is|in) (?:what|how many) (?:percent|percentage)(?: change| increase| decrease)?",
            ],
            make.pair("change"),
        ),
        *_either(
            [rf"{_HEAD}<a> (?:increased|raised|plus an increase of) by <b>", rf"(?:increase|raise) {amount}<a> by <b>"],
            make.pair("raise", percent=True),
        ),
        *_either(
            [
                rf"{_HEAD}<a> (?:decreased|reduced|lowered|discounted) by <b>",
                rf"(?:decrease|reduce|lower|discount) {amount}<a> by <b>",
                rf"{_HEAD}<b> off (?:of )?{amount}<a>",
                rf"{_HEAD}{amount}<a> (?:with|at|after|minus) (?:an? )?<b> (?:off|discount)",
            ],
            make.pair("lower", percent=True),
        ),
        *_either(
            [
                r"(?:what|which) (?:percent|percentage|%) (?:of )?<b> is <a>",
                r"(?:what|which) (?:percent|percentage|%) is <a> (?:of|out of) <b>",
                r"<a> is (?:what|how many) (?:percent|percentage|%) of <b>",
                rf"{_HEAD}<a> as (?:a )?(?:percent|percentage|%) of <b>",
                rf"{_HEAD}<a> (?:out )?of <b> as a (?:percent|percentage|%)",
            ],
            make.pair("share"),
        ),
        *_either([r"<a> is <b> of (?:what|which)(?: number)?", r"<b> of (?:what|which)(?: number)? is <a>"], say.whole),
    ]


def _numbers() -> list[Ask]:
    asks: list[Ask] = []
    for name, base in _BASES.items():
        asks.append(
            _ask(
                rf"(?:convert |write |express |{_HEAD})(?:the )?(?:number )?<e> (?:to|in|into|as) (?:an? )?{name}(?: number| notation| form)?",
                say.based(base),
            )
        )
    asks += [
        _ask(rf"{_HEAD}remainder (?:of|when) <a> (?:is )?(?:divided by|over|/|÷) <b>(?: is divided)?", make.remainder),
        _ask(rf"{_HEAD}remainder (?:of|when) (?:dividing )?<a> by <b>", make.remainder),
        _ask(
            r"(?:which|what) (?:one |number )?is (?:the )?(?:larger|bigger|greater|smaller|less|more|higher|lower)(?: number)?[ :,]+(?:between )?<a> (?:or|and) <b>",
            make.compared,
        ),
        _ask(r"(?:compare) <a> (?:and|with|to) <b>", make.compared),
        _ask(r"is <a> (?:larger|bigger|greater|smaller|less) than <b>", make.compared),
        _ask(
            rf"{_HEAD}sum of (?:all )?(?:the )?(?:(?P<parity>even|odd) )?(?:numbers|integers|natural numbers|whole numbers)? ?(?:from|between)? ?<a> (?:to|through) <b>",
            make.numbers_between,
        ),
        _ask(
            rf"(?:round ?)?{_HEAD}<e>{_TAIL} ?[,(]? ?(?:rounded |correct |accurate )?to (?P<k>[0-9]{{1,2}}|[a-z]+) (?:decimal places?|decimals?|dp|d\.p\.?|places?)\)?",
            say.rounded,
        ),
        _ask(rf"(?:round ?){_HEAD}<e> to the nearest (?P<whole>whole number|integer|one|unit)", make.rounded),
        _ask(rf"{_HEAD}<e> ?\+ ?(?:\.\.\.|…+) ?\+ ?<b>{_TAIL}", say.ellipsis),
    ]
    return asks


def _units() -> list[Ask]:
    return _either(
        [
            r"(?:convert|change|express|turn) <e> (?:to|in|into|as) <b>",
            r"how many <b> (?:(?:are|is) )?(?:there )?(?:in|equal to) (?:an? )?<e>",
            r"how many <b> (?:are|is) (?:an? )?<e>",
            r"how many <b> (?:do|does|will|would) <e> (?:have|make|equal)",
            rf"(?:what is|what's|how much is|how long is|how far is|how fast is|how heavy is|{_HEAD}) ?<e> (?:to|in|into|as|converted to|expressed in) (?:an? )?<b>",
            r"<e> ?= ?(?:how many |what |\?+) ?<b>",
            r"<e> (?:is|equals|makes) how many <b>",
        ],
        make.convert,
    )


def _plain() -> list[Ask]:
    return [
        *_either(
            [
                rf"{_HEAD}<e> ?[,;]? ?(?:at|when|where|for|if|with|given) ?(?P<a>[a-z](?:_[0-9])? ?=.+)",
                r"(?:if|when|given|for|let) (?P<a>[a-z](?:_[0-9])? ?= ?.+?) ?[,;] ?(?:then )?(?:what is|find|calculate|compute|evaluate) (?P<e>[^=]+)",
                rf"(?:if|when|given|for|let) ?(?P<a>[a-z](?:_[0-9])? ?= ?[^=]+?) ?[,;] ?(?:then )?{_HEAD}<e>",
            ],
            make.substituted,
        ),
        *_either([rf"{_HEAD}<e>{_TAIL}"], make.value),
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
