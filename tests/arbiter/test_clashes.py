"""Examples under two intents are found, and named."""

from __future__ import annotations

from pointsman.arbiter.clashes import clashes
from pointsman.arbiter.shipped_intents import shipped_intents
from pointsman.arbiter.shipped_outside import shipped_outside
from pointsman.domain.intent import Intent


def test_the_same_text_in_another_dress() -> None:
    [clash] = clashes(
        [
            Intent("leave", examples=("怎么请年假？", "I want a day off")),
            Intent("faq", examples=("怎麼請年假", "where is the canteen")),
        ]
    )
    assert (clash.intent, clash.other, clash.same) == ("faq", "leave", True)
    assert (clash.text, clash.other_text) == ("怎麼請年假", "怎么请年假？")


def test_nearly_the_same() -> None:
    found = clashes(
        [
            Intent("a", examples=("please export the sales report of the last quarter for me", "draw a cat")),
            Intent(
                "b", examples=("please export the sales report of the last quarters for me", "draw a dog and a cat")
            ),
        ]
    )
    assert [(clash.intent, clash.other, clash.same) for clash in found] == [("a", "b", False)]


def test_a_counter_example_that_is_an_example() -> None:
    [clash] = clashes([Intent("a", examples=("draw a cat",), counter_examples=("Draw a cat!", "draw a conclusion"))])
    assert clash.intent == clash.other == "a" and clash.other_text == "Draw a cat!"


def test_what_may_be() -> None:
    """Twice in one intent, and a counter-example that is another intent's example."""
    intents = [
        Intent("a", examples=("draw a cat", "draw a cat"), counter_examples=("plot the sales",)),
        Intent("b", examples=("plot the sales",)),
    ]
    assert clashes(intents) == ()


def test_thousands_of_the_same_do_not_take_forever() -> None:
    intents = [Intent(f"i{place}", examples=("export the report",) * 20) for place in range(200)]
    assert 0 < len(clashes(intents)) < 10_000


def test_what_ships_does_not_clash() -> None:
    intents = shipped_intents()
    assert clashes(list(intents.values())) == ()
    assert all(len(intent.examples) >= 40 and set(intent.about) == {"zh", "en"} for intent in intents.values())
    outside = shipped_outside()
    assert len(outside) == len(set(outside)) >= 200
    assert not set(outside) & {text for intent in intents.values() for text in intent.examples}
