"""Rules before a LangChain chain.  规则放在 LangChain 链的前面。

pip install langchain-core
python examples/langchain_first.py
"""

from __future__ import annotations

from pathlib import Path

from langchain_core.language_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate

from pointsman import Rules
from pointsman.library.langchain import RulesRunnable

rules = Rules.load(Path(__file__).with_name("rules.yaml"), "builtin:smalltalk")

# In place of a real model.  这里代替真正的模型。
llm = FakeListChatModel(responses=["(model) A mutex lets one thread in at a time."])

prompt = ChatPromptTemplate([("system", "You help with IT."), ("human", "{question}")])
chain = prompt | RulesRunnable(rules, otherwise=llm) | StrOutputParser()


def main() -> None:
    for question in ("忘记密码了怎么办？", "What is Ann's salary?", "What is a mutex?"):
        print(f"{question}  →  {chain.invoke({'question': question})}")


if __name__ == "__main__":
    main()
