"""Words and signs of expressions, and what each stands for."""

from __future__ import annotations

from pointsman.domain.said import Said

_SAME = (
    "sin cos tan cot sec csc asin acos atan acot sinh cosh tanh asinh acosh atanh exp ln sqrt cbrt abs sign floor ceil "
    "gcd lcm max min det trace rank transpose inverse eigenvalues eigenvectors re im conj arg gamma erf factorial mean median "
    "mode variance stdev binomial permutations factors round sum_of product_of nth_root phi fibonacci isprime"
)
FUNCTIONS: dict[str, str] = {name: name for name in _SAME.split() if "_" not in name and name != "isprime"} | {
    "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctg": "atan", "arccot": "acot", "tg": "tan", "ctg": "cot",
    "cosec": "csc", "sh": "sinh", "ch": "cosh", "th": "tanh", "arsinh": "asinh", "arcosh": "acosh", "artanh": "atanh",
    "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh",
    "log": "log", "lg": "lg", "log10": "lg", "log2": "log2", "lb": "log2", "sgn": "sign", "signum": "sign",
    "ceiling": "ceil", "Re": "re", "Im": "im", "conjugate": "conj", "tr": "trace", "inv": "inverse", "adj": "adjugate",
    "hcf": "gcd", "GCD": "gcd", "LCM": "lcm", "average": "mean", "avg": "mean", "std": "stdev", "var": "variance",
    "nCr": "binomial", "comb": "binomial", "nPr": "permutations", "perm": "permutations", "Abs": "abs", "Sqrt": "sqrt",
    "square_root": "sqrt", "Γ": "gamma", "root": "nth_root", "pow": "power", "mod": "modulo",
}  # fmt: skip
"""Name as written → op. `log` has its base by what stands around it."""
LISTS = frozenset({"gcd", "lcm", "max", "min", "mean", "median", "mode", "variance", "stdev", "sum_of", "product_of"})
MATRIX = frozenset(["det", "trace", "rank", "transpose", "inverse", "adjugate", "eigenvalues", "eigenvectors"])
TRIG = frozenset(["sin", "cos", "tan", "cot", "sec", "csc"])
INVERSE = {
    "sin": "asin",
    "cos": "acos",
    "tan": "atan",
    "cot": "acot",
    "sinh": "asinh",
    "cosh": "acosh",
    "tanh": "atanh",
}
ARITY = {
    "gcd": (2, 50), "lcm": (2, 50), "max": (1, 200), "min": (1, 200), "mean": (1, 200), "median": (1, 200),
    "mode": (1, 200), "variance": (1, 200), "stdev": (1, 200), "binomial": (2, 2), "permutations": (2, 2), "log": (1, 2),
    "round": (1, 2), "sum_of": (1, 200), "product_of": (1, 200), "nth_root": (2, 2), "power": (2, 2), "modulo": (2, 2),
}  # fmt: skip
"""How many arguments; one where nothing is said."""

GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "zeta": "ζ", "eta": "η",
    "theta": "θ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "rho": "ρ", "sigma": "σ",
    "tau": "τ", "phi": "φ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Delta": "Δ", "Omega": "Ω",
}  # fmt: skip
GREEK_LETTERS = {letter: name for name, letter in GREEK.items() if not name.startswith("var")}
COMMANDS = {
    "cdot": "*", "times": "*", "div": "/", "ast": "*", "le": "<=", "leq": "<=", "leqslant": "<=", "ge": ">=", "geq": ">=",
    "geqslant": ">=", "ne": "!=", "neq": "!=", "to": "→", "rightarrow": "→", "lt": "<", "gt": ">", "int": "∫", "sum": "∑",
    "prod": "∏", "infty": "∞", "lvert": "|", "rvert": "|", "vert": "|", "prime": "'", "partial": "∂", "degree": "°",
    "bmod": "mod", "mod": "mod", "pm": "±", "iint": "∫∫", "lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉", "surd": "√",
    "pi": "π", "mid": "|",
}  # fmt: skip
SKIPPED = frozenset(
    [
        "left",
        "right",
        "displaystyle",
        "limits",
        "nolimits",
        "quad",
        "qquad",
        "big",
        "Big",
        "bigg",
        "Bigg",
        "bigl",
        "bigr",
        "textstyle",
        "mathrm",
        "mathbf",
        "boldsymbol",
        "operatorname",
        "mathit",
        "text",
        "mathop",
        "rm",
        "bf",
    ]
)
"""LaTeX that says nothing of what is meant; a group after it stays as a group."""

ZH: dict[str, tuple[str, str]] = {
    "加上": ("op", "+"), "加": ("op", "+"), "减去": ("op", "-"), "减": ("op", "-"), "乘以": ("op", "*"), "乘上": ("op", "*"),
    "乘": ("op", "*"), "除以": ("op", "/"), "等于": ("op", "="), "大于等于": ("op", ">="), "小于等于": ("op", "<="), "不等于": ("op", "!="),
    "大于": ("op", ">"), "小于": ("op", "<"), "大于或等于": ("op", ">="), "小于或等于": ("op", "<="), "不大于": ("op", "<="),
    "不小于": ("op", ">="), "负": ("op", "neg"), "正": ("op", "pos"), "根号": ("op", "√"), "三次根号": ("op", "cbrt"), "除": ("bad", "除"),
    "的": ("of", "的"), "平方根": ("post", "sqrt"), "算术平方根": ("post", "sqrt"), "立方根": ("post", "cbrt"),
    "平方": ("post", "square"), "立方": ("post", "cube"), "阶乘": ("post", "factorial"), "绝对值": ("post", "abs"),
    "倒数": ("post", "reciprocal"), "相反数": ("post", "neg"), "一半": ("post", "half"), "倍": ("post", "times"),
    "次方": ("post", "power"), "次幂": ("post", "power"), "次方根": ("post", "root"), "正弦值": ("post", "sin"), "正弦": ("post", "sin"),
    "余弦值": ("post", "cos"), "余弦": ("post", "cos"), "正切值": ("post", "tan"), "正切": ("post", "tan"), "自然对数": ("post", "ln"),
    "常用对数": ("post", "lg"), "行列式": ("post", "det"), "逆矩阵": ("post", "inverse"), "转置": ("post", "transpose"),
    "转置矩阵": ("post", "transpose"), "特征值": ("post", "eigenvalues"), "特征向量": ("post", "eigenvectors"), "秩": ("post", "rank"),
    "迹": ("post", "trace"), "伴随矩阵": ("post", "adjugate"), "模": ("post", "abs"), "共轭复数": ("post", "conj"), "共轭": ("post", "conj"),
    "实部": ("post", "re"), "虚部": ("post", "im"), "最大公约数": ("list", "gcd"), "最大公因数": ("list", "gcd"),
    "最小公倍数": ("list", "lcm"), "平均数": ("list", "mean"), "平均值": ("list", "mean"), "均值": ("list", "mean"),
    "中位数": ("list", "median"), "众数": ("list", "mode"), "方差": ("list", "variance"), "标准差": ("list", "stdev"),
    "最大值": ("list", "max"), "最小值": ("list", "min"), "总和": ("list", "sum_of"), "和": ("and", "sum_of"),
    "积": ("list", "product_of"), "乘积": ("list", "product_of"), "差": ("list", "difference"), "商": ("list", "quotient"),
    "与": ("and", ""), "跟": ("and", ""), "及": ("and", ""), "且": ("and", ""), "分之": ("over", ""), "百分之": ("per", "100"),
    "千分之": ("per", "1000"), "万分之": ("per", "10000"), "圆周率": ("const", "pi"), "派": ("const", "pi"), "无穷大": ("const", "oo"),
    "正无穷大": ("const", "oo"), "正无穷": ("const", "oo"), "无穷": ("const", "oo"), "负无穷大": ("const", "-oo"),
    "负无穷": ("const", "-oo"), "矩阵": ("skip", ""), "每": ("op", "/"), "个": ("skip", ""), "模运算": ("op", "mod"), "对": ("op", "mod_zh"),
    "取模": ("post", "taken_mod"), "取余": ("post", "taken_mod"), "弧度": ("unit", "弧度"), "结果": ("skip", ""), "或": ("bad", "或"),
    "二次根号": ("op", "√"), "开平方": ("post", "sqrt"), "开方": ("post", "sqrt"), "开立方": ("post", "cbrt"),
}  # fmt: skip
EN: dict[str, tuple[str, str]] = {
    "plus": ("op", "+"), "minus": ("op", "-"), "times": ("op", "*"), "multiplied by": ("op", "*"), "divided by": ("op", "/"),
    "over": ("op", "/"), "mod": ("op", "mod"), "modulo": ("op", "mod"), "equals": ("op", "="), "is equal to": ("op", "="),
    "is greater than or equal to": ("op", ">="), "is less than or equal to": ("op", "<="), "is greater than": ("op", ">"),
    "is less than": ("op", "<"), "to the power of": ("op", "^"), "raised to the power of": ("op", "^"), "to the power": ("op", "^"),
    "raised to": ("op", "^"), "squared": ("post", "square"), "cubed": ("post", "cube"), "factorial": ("fact", "factorial"),
    "percent": ("op", "%"), "per cent": ("op", "%"), "permille": ("op", "permille"), "of": ("of", "of"), "and": ("and", ""),
    "square root of": ("fn", "sqrt"), "square root": ("fn", "sqrt"), "cube root of": ("fn", "cbrt"), "cube root": ("fn", "cbrt"),
    "fourth root of": ("root", "4"), "fifth root of": ("root", "5"), "absolute value of": ("fn", "abs"),
    "reciprocal of": ("fn", "reciprocal"), "factorial of": ("fn", "factorial"), "half of": ("fn", "half"), "half": ("fn", "half"),
    "twice": ("fn", "twice"), "double": ("fn", "twice"), "triple": ("fn", "thrice"), "a third of": ("part", "3"), "one third of": ("part", "3"),
    "a quarter of": ("part", "4"), "one quarter of": ("part", "4"), "one fourth of": ("part", "4"), "a fifth of": ("part", "5"),
    "one fifth of": ("part", "5"), "a tenth of": ("part", "10"), "two thirds of": ("parts", "2/3"), "three quarters of": ("parts", "3/4"),
    "three fourths of": ("parts", "3/4"), "natural log of": ("fn", "ln"), "natural logarithm of": ("fn", "ln"), "sine of": ("fn", "sin"),
    "cosine of": ("fn", "cos"), "tangent of": ("fn", "tan"), "sum of": ("list", "sum_of"), "product of": ("list", "product_of"),
    "average of": ("list", "mean"), "mean of": ("list", "mean"), "median of": ("list", "median"), "mode of": ("list", "mode"),
    "variance of": ("list", "variance"), "standard deviation of": ("list", "stdev"), "maximum of": ("list", "max"),
    "minimum of": ("list", "min"), "gcd of": ("list", "gcd"), "gcf of": ("list", "gcd"), "hcf of": ("list", "gcd"),
    "greatest common divisor of": ("list", "gcd"), "greatest common factor of": ("list", "gcd"),
    "highest common factor of": ("list", "gcd"), "lcm of": ("list", "lcm"), "least common multiple of": ("list", "lcm"),
    "lowest common multiple of": ("list", "lcm"), "determinant of": ("fn", "det"), "inverse of": ("fn", "inverse"),
    "transpose of": ("fn", "transpose"), "trace of": ("fn", "trace"), "rank of": ("fn", "rank"), "eigenvalues of": ("fn", "eigenvalues"),
    "eigenvectors of": ("fn", "eigenvectors"), "matrix": ("skip", ""), "the": ("skip", ""), "infinity": ("const", "oo"),
    "negative infinity": ("const", "-oo"), "minus infinity": ("const", "-oo"), "plus infinity": ("const", "oo"), "choose": ("op", "choose"),
    "negative": ("op", "neg"), "degrees": ("op", "°"), "degree": ("op", "°"), "deg": ("op", "°"), "radians": ("skip", ""),
    "per": ("op", "/"), "inf": ("const", "oo"), "real part of": ("fn", "re"), "imaginary part of": ("fn", "im"),
    "conjugate of": ("fn", "conj"), "difference of": ("list", "difference"), "quotient of": ("list", "quotient"),
}  # fmt: skip
ZH_LONGEST = sorted(ZH, key=len, reverse=True)
EN_LONGEST = sorted(EN, key=len, reverse=True)
EN_FIRST = frozenset(phrase.split()[0] for phrase in EN)

NOTES = {
    "division": Said(
        "Read from left to right: a/bx is (a/b)·x. Write a/(bx) for the other.",
        "按从左到右的顺序理解：a/bx 即 (a/b)·x。如果指另一种，请写成 a/(bx)。",
    ),
    "log10": Said(
        "log without a base was read as base 10; write ln for base e.",
        "未写底数的 log 按以 10 为底理解；以 e 为底请写 ln。",
    ),
    "ln": Said(
        "log without a base was read as the natural logarithm, as is usual in calculus.",
        "未写底数的 log 按微积分的习惯理解为自然对数 ln。",
    ),
    "radians": Said(
        "Angles without a degree sign were read as radians; write 30° for degrees.",
        "没有写度数符号的角按弧度理解；如果指角度，请写成 30°。",
    ),
    "percent": Said(
        "a + p% was read as p% of a more (as calculators do).",
        "a + p% 按“在 a 的基础上增加 a 的 p%”理解（与计算器相同）。",
    ),
    "scientific": Said("1e5 was read as 1×10^5.", "1e5 按 1×10^5 理解。"),
    "application": Said(
        "The word applies to what stands directly beside it; use brackets for more.",
        "该运算只作用于紧邻的一项；如果要包含更多项，请加括号。",
    ),
    "bytes": Said(
        "MB, GB and so on are steps of 1000; those of 1024 are MiB, GiB.",
        "MB、GB 等按 1000 进位；按 1024 进位的单位是 MiB、GiB。",
    ),
    "year": Said(
        "A year was taken as 365 days (366 in a leap year), a month as a twelfth of it.",
        "一年按 365 天计（闰年为 366 天），一个月按一年的十二分之一计。",
    ),
    "population": Said(
        "Variance and standard deviation are those of the whole population (divided by n).",
        "方差和标准差按总体计算（除以 n）。",
    ),
}
"""Readings that could have been others, said to the person."""
