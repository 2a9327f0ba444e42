"""What is asked, in both languages: read whole, or not at all."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.calculation import Node, NotUnderstood, Problem, read, understands
from pointsman.calculation.limits import TooLarge, check
from pointsman.calculation.written import latex, plain


def shown(node: Node) -> str:
    return f"{node.op}({', '.join(map(shown, node.args))})" if node.args else node.text


def asks(text: str) -> str:
    problem = read(text)
    more = "".join(f" ?{name}" for name in problem.unknowns)
    return f"{problem.kind}: {', '.join(map(shown, problem.nodes))}{more}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2x^2+3x", "value: add(mul(2, pow(x, 2)), mul(3, x))"),
        ("2**3**2", "value: pow(2, pow(3, 2))"),
        ("-x^2", "value: neg(pow(x, 2))"),
        ("1/2x", "value: mul(div(1, 2), x)"),
        ("sin x^2", "value: sin(pow(x, 2))"),
        ("sin 2x", "value: sin(mul(2, x))"),
        ("sin^2 x + cos^2 x", "value: add(pow(sin(x), 2), pow(cos(x), 2))"),
        ("xsinx", "value: mul(x, sin(x))"),
        ("|x-2|+3!", "value: add(abs(sub(x, 2)), fact(3))"),
        ("√16+9", "value: add(sqrt(16), 9)"),
        ("x²+2x+1", "value: add(add(pow(x, 2), mul(2, x)), 1)"),
        ("sin 30°", "value: sin(degrees(30))"),
        (r"\frac{1}{2}+\sqrt[3]{8}", "value: add(div(1, 2), nth_root(8, 3))"),
        (r"$\int_0^1 x^2\,dx$", "value: integral(pow(x, 2), x, 0, 1)"),
        (r"\sum_{i=1}^{n} i^2", "value: sum(pow(i, 2), i, 1, n)"),
        (r"\lim_{x\to 0} \frac{\sin x}{x}", "value: limit(div(sin(x), x), x, 0)"),
        (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", "value: matrix(row(1, 2), row(3, 4))"),
        (r"\begin{cases} x+y=3 \\ x-y=1 \end{cases}", "solve: eq(add(x, y), 3), eq(sub(x, y), 1) ?x ?y"),
        ("∫ \\frac{dx}{x}", "value: integral(div(1, x), x)"),
        ("求x^2的导数", "value: derivative(pow(x, 2), x, 1)"),
        ("求 x^3 的二阶导数", "value: derivative(pow(x, 3), x, 2)"),
        ("second derivative of x^3", "value: derivative(pow(x, 3), x, 2)"),
        ("integrate x^2 from 0 to 1", "value: integral(pow(x, 2), x, 0, 1)"),
        ("x^2从0到1的定积分", "value: integral(pow(x, 2), x, 0, 1)"),
        ("limit of (1+1/n)^n as n approaches infinity", "value: limit(pow(add(1, div(1, n)), n), n, oo)"),
        ("当x趋于0时，sinx/x的极限", "value: limit(div(sin(x), x), x, 0)"),
        ("解方程组 x+y=3, x-y=1", "solve: eq(add(x, y), 3), eq(sub(x, y), 1) ?x ?y"),
        ("solve for x: 2x+3=7", "solve: eq(add(mul(2, x), 3), 7) ?x"),
        ("2x+3=7, x=?", "solve: eq(add(mul(2, x), 3), 7) ?x"),
        ("因式分解 x^2-4", "factor: sub(pow(x, 2), 4)"),
        ("360分解质因数", "primes: 360"),
        ("二分之一", "value: div(1, 2)"),
        ("百分之十五的200是多少", "value: mul(percent(15), 200)"),
        ("what is 15% of 80", "value: mul(percent(15), 80)"),
        ("200元打八折后是多少钱", "discount: 200, div(8, 10)"),
        ("从120涨到150涨幅多少", "change: 120, 150"),
        ("30是120的百分之几", "share: 30, 120"),
        ("12和18的最大公约数", "value: gcd(12, 18)"),
        ("3 km/h to m/s", "convert: quantity(3, div(kilometer, hour)), div(meter, second)"),
        ("5英里是多少公里", "convert: quantity(5, mile), kilometer"),
        ("2小时15分钟有多少秒", "convert: add(quantity(2, hour), quantity(15, minute)), second"),
        ("f(x)=x^2+1, f(3)=?", "value: at(add(pow(x, 2), 1), x, 3)"),
        ("9.11和9.9哪个大", "compare: 9.11, 9.9"),
        ("twenty three plus four", "value: add(23, 4)"),
        ("八加九乘以二", "value: add(8, mul(9, 2))"),
        ("3,5,10的平均数", "value: mean(3, 5, 10)"),
        ("mean of 100,200,300 and 5", "value: mean(100, 200, 300, 5)"),
        ("12,180的最大公约数", "value: gcd(12, 180)"),
        ("已知 a=3, b=4，求 a^2+b^2", "value: at(at(add(pow(a, 2), pow(b, 2)), a, 3), b, 4)"),
        ("how many minutes in 3 days", "convert: quantity(3, day), minute"),
        ("1,234+5,678", "value: add(1234, 5678)"),
    ],
)
def test_read(text: str, expected: str) -> None:
    assert asks(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "", "你好", "今天天气怎么样", "what is love", "2024-05-03 的会议纪要", "版本 3.10 有什么新特性", "今天的比分 3:2",
        "C++ 和 C# 哪个好", "解方程是什么意思", "python 3.9和3.11哪个大", "__import__('os').system('touch x')", "lambda: 1",
        "x.__class__", "eval('1')", "().__class__.__bases__", "x2-4=0", "1.2.3", "5除10", "50%(20+30)", "2 3", "x+",
        "((1+2)", "f(3)", "24/7", "11/30", "1920x1080", "x = 5", "E=mc²是什么意思",
        "limit of liability", "1+1=2是什么电影", "3-5", "12", "x", "ab", "call me at 555-1234", "meet at 3pm", "iPhone 15 pro max 512GB",
    ],
)  # fmt: skip
def test_not_taken(text: str) -> None:
    assert not understands(text)


@pytest.mark.parametrize(
    "text",
    ["9**9**9", "10^10^10", "100000!", "expand (x+1)^100000", "(x+1)^100000", "2^(10^9)", "1e99999", "C(10^9, 10^8)"],
)
def test_too_large(text: str) -> None:
    with pytest.raises(TooLarge) as caught:
        check(read(text))
    assert caught.value.message.zh and str(caught.value.message)


def test_what_is_never_written_out_is_not_too_large() -> None:
    check(read("7^1000000 mod 13"))
    check(read("1^(10^10)"))


SIGNS = "0123456789xyzeiπ+-*/^()[]{}|!,.=<>%√∫∑∏²₁°' \\_&;:abcdefsinlogdqrt求导积分解方程的平方根和百分之三十万半个公里"


@given(st.text(SIGNS, max_size=60) | st.text(max_size=40))
def test_any_text_is_read_or_not_understood(text: str) -> None:
    try:
        problem = read(text)
    except NotUnderstood as error:
        assert error.message.zh
        return
    assert isinstance(problem, Problem)
    for node in problem.nodes:
        assert latex(node) and plain(node)
    with contextlib.suppress(TooLarge):
        check(problem)


LEAF = st.integers(0, 99).map(lambda n: Node("num", text=str(n))) | st.sampled_from("xyz").map(
    lambda c: Node("sym", text=c)
)
TREES = st.recursive(
    LEAF,
    lambda inner: st.tuples(st.sampled_from(["add", "sub", "mul", "div"]), inner, inner).map(
        lambda t: Node(t[0], t[1:])
    ),
    max_leaves=12,
)


def bracketed(node: Node) -> str:
    """The slow, sure way of writing it: brackets around everything."""
    if not node.args:
        return node.text
    sign = {"add": "+", "sub": "-", "mul": "*", "div": "/"}[node.op]
    return f"({bracketed(node.args[0])}){sign}({bracketed(node.args[1])})"


@given(TREES)
def test_a_tree_written_out_is_read_as_the_same_tree(tree: Node) -> None:
    tree = Node("add", (tree, Node("num", text="1")))
    assert read(bracketed(tree)).nodes == (tree,)
    assert read(plain(tree)).nodes == (tree,)
    assert read(latex(tree)).nodes == (tree,)
