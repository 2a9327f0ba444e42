"""Rules in a program: load, decide, explain, run.  规则作为库：加载、判定、解释、执行。

python examples/library.py
"""

from __future__ import annotations

from pathlib import Path

from pointsman import Outcome, Rules, RulesError

HERE = Path(__file__).parent


def open_ticket(outcome: Outcome) -> str:
    """Called by `run` only, never by `decide`.  只有 run 会调用，decide 不会。"""
    queue, question = outcome.parameters["queue"], outcome.slots["question"]
    said = {"zh": f"已在 {queue} 建立工单：{question}", "en": f"Ticket opened in {queue}: {question}"}
    return said[outcome.language]


def main() -> None:
    rules = Rules.load(HERE / "rules.yaml", "builtin:smalltalk", actions={"open_ticket": open_ticket})

    for text in ("你好", "忘记密码了怎么办？", "What is Ann's salary?", "What is a mutex?"):
        outcome = rules.decide(text)
        print(f"{text}  →  {outcome.action or 'model'}: {outcome.text or outcome.reason}")

    reply = rules.run("Open a ticket for the broken printer")
    print(reply.text if reply else "no rule took it")

    # "ok" answers a question here, and is no small talk.  对话中的“好的”是回答，不是寒暄。
    print(rules.decide("ok", history=[("user", "…"), ("assistant", "Shall I delete it?")]).taken)

    print(rules.explain("I forgot my key"))

    try:
        Rules.parse([{"id": "typo", "wen": {"any": ["x"]}, "answer": "…"}])
    except RulesError as error:
        print(error.problems[0])


if __name__ == "__main__":
    main()
