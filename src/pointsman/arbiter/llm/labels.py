"""From the probabilities of a model's next tokens to those of the labels of a closed set. Pure.

A label can be spelled in many tokens (`export`, `ex` + `port`, `"export`), and a token can begin several labels. So every
token that goes on towards a label counts: for the label, if it is the only one left, else for the text so far, which is
then asked about again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Tokens = Sequence[tuple[str, float]]
"""Texts of next tokens, and their probabilities."""

_BEFORE = " \t\r\n\"'`*“”‘’「」《》([{:：-"
"""What models put before a label, as if it were quoted."""


def candidates(text: str, labels: Iterable[str]) -> list[str]:
    """The labels that a reply which begins with `text` can still be. Case does not matter, and what is put before a label
    neither; a label may be followed by what cannot be a part of a name."""
    form = text.lstrip(_BEFORE).casefold()
    return [label for label in labels if _goes_on(form, label.casefold())]


def _goes_on(form: str, label: str) -> bool:
    if label.startswith(form):
        return True
    return form.startswith(label) and not _in_name(form[len(label)])


def _in_name(character: str) -> bool:
    return character.isalnum() or character in "_-.:/"


def settle(prefix: str, tokens: Tokens, labels: Sequence[str]) -> tuple[dict[str, float], dict[str, float]]:
    """What the next tokens after `prefix` say: shares of labels that are decided, and of longer texts which several labels
    begin with. Together they are 1; all 0 where no token leads to a label."""
    decided: dict[str, float] = {}
    open_texts: dict[str, float] = {}
    for token, probability in tokens:
        text = prefix + token
        left = candidates(text, labels)
        if len(left) > 1 and text == prefix:  # the reply ends here
            left = [label for label in left if label.casefold() == text.lstrip(_BEFORE).casefold()]
        if len(left) == 1:
            decided[left[0]] = decided.get(left[0], 0.0) + probability
        elif left:
            open_texts[text] = open_texts.get(text, 0.0) + probability
    total = sum(decided.values()) + sum(open_texts.values())
    if total <= 0.0:
        return {}, {}
    return (
        {label: share / total for label, share in decided.items()},
        {text: share / total for text, share in open_texts.items()},
    )


def split(text: str, share: float, labels: Sequence[str]) -> dict[str, float]:
    """A share that is too small to ask about: to all labels that `text` begins, evenly."""
    left = candidates(text, labels)
    return {label: share / len(left) for label in left}
