"""Other ways to decide the same rules: `python deciders.py naive|rule-engine|zen-engine < task.json > done.json`.

The task holds `rules` (as `policies.Plain`, the first that holds wins), `texts` in lower case, and `seconds` that may be
spent. The libraries, which know no borders of words, are also handed each text with a space for whatever is no Latin
letter or digit; making it is not in their time. Done are, in their order, as many texts as that time allowed:
`decisions` (an id or null), `micros` of each, and `setup_s` that making the rules ready took."""

import gc
import json
import re
import sys
import time
from collections.abc import Callable
from typing import Any

Decide = Callable[[str, str], str | None]
ALONE = r"(?<![a-z0-9]){}(?![a-z0-9])"


def naive(rules: list[dict[str, Any]]) -> Decide:
    """A loop over all rules with `in` and `re`."""

    def finder(word: str) -> Callable[[str], object]:
        if not word.isascii():
            return lambda text: word in text
        search = re.compile(ALONE.format(re.escape(word))).search
        return lambda text: word in text and search(text)

    ready = [
        (
            rule["id"],
            [
                (
                    need["least"],
                    [finder(word) for word in need["words"]] + [re.compile(p).search for p in need["patterns"]],
                )
                for need in rule["needs"]
            ],
            [finder(word) for word in rule["never"]],
        )
        for rule in rules
    ]

    def decide(text: str, spaced: str) -> str | None:
        for name, needs, never in ready:
            for least, finders in needs:
                left = least
                for find in finders:
                    if find(text):
                        left -= 1
                        if not left:
                            break
                if left:
                    break
            else:
                if not any(find(text) for find in never):
                    return str(name)
        return None

    return decide


def rule_engine(rules: list[dict[str, Any]]) -> Decide:
    """One rule_engine.Rule each; the first that matches."""
    import rule_engine as library

    def term(word: str) -> str:
        return f'" {word} " in spaced' if word.isascii() else f'"{word}" in text'

    def need(part: dict[str, Any]) -> str:
        terms = [term(word) for word in part["words"]] + [f'text =~~ "{pattern}"' for pattern in part["patterns"]]
        return some(terms, part["least"])

    def some(terms: list[str], least: int) -> str:
        """That many of them, each looked for once where none is there."""
        if least == 1:
            return " or ".join(terms)
        starts = range(len(terms) - least + 1)
        return " or ".join(f"({terms[at]} and ({some(terms[at + 1 :], least - 1)}))" for at in starts)

    ready = []
    for rule in rules:
        holds = " and ".join(f"({need(part)})" for part in rule["needs"])
        never = " or ".join(term(word) for word in rule["never"])
        ready.append((str(rule["id"]), library.Rule(f"{holds} and not ({never})").matches))

    def decide(text: str, spaced: str) -> str | None:
        fact = {"text": text, "spaced": spaced}
        return next((name for name, matches in ready if matches(fact)), None)

    return decide


def zen_engine(rules: list[dict[str, Any]]) -> Decide:
    """One decision table whose first row that holds wins."""
    import zen

    def term(word: str) -> str:
        return f'contains(spaced, " {word} ")' if word.isascii() else f'contains(text, "{word}")'

    def need(part: dict[str, Any]) -> str:
        if part["patterns"]:
            return " or ".join([*map(term, part["words"]), *(f'matches(text, "{p}")' for p in part["patterns"])])
        within = [json.dumps([word for word in part["words"] if not word.isascii()], ensure_ascii=False), "text"]
        alone = [json.dumps([f" {word} " for word in part["words"] if word.isascii()]), "spaced"]
        if part["least"] == 1:
            return " or ".join(f"some({words}, contains({where}, #))" for words, where in (within, alone))
        counts = " + ".join(f"count({words}, contains({where}, #))" for words, where in (within, alone))
        return f"{counts} >= {part['least']}"

    rows = []
    for rule in rules:
        holds = " and ".join(f"({need(part)})" for part in rule["needs"])
        never = " or ".join(term(word) for word in rule["never"])
        rows.append({"_id": rule["id"], "in": f"{holds} and not ({never})", "out": json.dumps(rule["id"])})
    table = {
        "hitPolicy": "first",
        "inputs": [{"id": "in", "name": "in"}],
        "outputs": [{"id": "out", "name": "out", "field": "rule"}],
        "rules": rows,
    }
    place = {"x": 0, "y": 0}
    nodes = [
        {"id": "begin", "name": "begin", "type": "inputNode", "position": place},
        {"id": "table", "name": "table", "type": "decisionTableNode", "position": place, "content": table},
        {"id": "end", "name": "end", "type": "outputNode", "position": place},
    ]
    edges = [
        {"id": f"{source}-{target}", "sourceId": source, "targetId": target, "type": "edge"}
        for source, target in (("begin", "table"), ("table", "end"))
    ]
    decision = zen.ZenEngine().create_decision(json.dumps({"nodes": nodes, "edges": edges}))

    def decide(text: str, spaced: str) -> str | None:
        result: dict[str, Any] = decision.evaluate({"text": text, "spaced": spaced})["result"]
        found = result.get("rule")
        return None if found is None else str(found)

    return decide


KINDS = {"naive": naive, "rule-engine": rule_engine, "zen-engine": zen_engine}


def main(kind: str) -> None:
    task = json.load(sys.stdin)
    began = time.perf_counter()
    decide = KINDS[kind](task["rules"])
    decide("warm", " warm ")  # what a library puts off until the first use is part of making ready
    setup = time.perf_counter() - began
    gc.collect()
    gc.freeze()
    decisions, micros = [], []
    end = time.perf_counter() + task["seconds"]
    for text in task["texts"]:
        spaced = f" {re.sub('[^a-z0-9]', ' ', text)} "
        start = time.perf_counter()
        decisions.append(decide(text, spaced))
        micros.append((time.perf_counter() - start) * 1e6)
        if len(micros) >= 3 and time.perf_counter() > end:
            break
    json.dump({"setup_s": setup, "micros": micros, "decisions": decisions}, sys.stdout)


main(sys.argv[1])
