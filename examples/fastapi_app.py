"""Rules before the routes of a back end that stays as it is.  后端不改，规则放在路由前面。

pip install fastapi uvicorn
python examples/fastapi_app.py
curl -si 127.0.0.1:8000/chat -H 'content-type: application/json' -d '{"message": "忘记密码了怎么办？"}'
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from pydantic import BaseModel

from pointsman import Outcome, Reply, Rules
from pointsman.library.asgi import RulesMiddleware


class Chat(BaseModel):
    message: str


async def open_ticket(outcome: Outcome) -> str:
    return {"zh": "工单已建立。", "en": "The ticket is open."}[outcome.language]


def as_this_api_replies(reply: Reply, body: dict[str, Any]) -> dict[str, Any]:
    return {"answer": reply.text, "by": reply.outcome.rule}


rules = Rules.load(Path(__file__).with_name("rules.yaml"), "builtin:smalltalk", actions={"open_ticket": open_ticket})
app = FastAPI()
app.add_middleware(RulesMiddleware, rules=rules, paths=("/chat",), text="/message", reply=as_this_api_replies)


@app.post("/chat")
async def chat(body: Chat, request: Request) -> dict[str, Any]:
    """The model's turn. What rules noted on the way is in the scope.  规则没有接住，轮到模型；规则标记的内容在 scope 里。"""
    outcome: Outcome | None = request.scope.get("pointsman")  # None: the body was too large for rules  请求体过大
    return {"answer": f"(model) {body.message}", "by": "model", "risk": outcome.risk if outcome else None}


if __name__ == "__main__":
    import uvicorn

    uvicorn.run(app)
