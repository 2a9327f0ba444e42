"""Feedback that meets another process than its request did."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from pointsman.store.log_reader import LogReader
from running import Process
from workers.held_engine import held_engine
from workers.lines import CHAT, figure, one_to_each

Start = Callable[..., Process]
FEEDBACK = "/v1/feedback"


def test_whichever_process_it_meets(started: Start, tmp_path: Path) -> None:
    gateway = started()
    first, second = one_to_each(gateway)
    names = []
    for number in range(30):
        line, other = (first, second) if number % 2 else (second, first)
        names.append(line.say("hello").headers["x-pointsman-request-id"])
        reply = other.post(FEEDBACK, {"request_id": names[-1], "rating": 1 + number % 5})
        assert reply.status == 201, reply.body
    assert first.post(FEEDBACK, {"request_id": "req_nobody", "rating": 1}).status == 404
    for line in (first, second):
        assert figure(line, "pointsman_feedback_total", adopted="none") == 30
    gateway.stop()
    reader = LogReader(tmp_path / "data")
    found = {one.request_id: one.rating for one in reader.feedback()}
    reader.close()
    assert found == {name: 1 + number % 5 for number, name in enumerate(names)}


def test_the_last_word_counts_whichever_process_heard_it(started: Start, tmp_path: Path) -> None:
    gateway = started()
    lines = one_to_each(gateway)
    name = lines[0].say("hello").headers["x-pointsman-request-id"]
    for number in range(9):
        assert lines[number % 2].post(FEEDBACK, {"request_id": name, "comment": str(number)}).status == 201
    gateway.stop()
    reader = LogReader(tmp_path / "data")
    assert [one.comment for one in reader.feedback()] == ["8"]
    reader.close()


def test_while_another_process_serves_the_request(started: Start) -> None:
    with held_engine() as engine:
        first, second = one_to_each(started(models=engine.models))
        body = {"model": "auto", "stream": True, "messages": [{"role": "user", "content": "tell me"}]}
        first.http.request("POST", CHAT, json.dumps(body), {"content-type": "application/json"})
        response = first.http.getresponse()
        assert engine.begun.wait(60)
        about = {"request_id": response.headers["x-pointsman-request-id"], "adopted": False}
        assert second.post(FEEDBACK, about).status == 201
        engine.go_on.set()
        assert response.read().endswith(b"data: [DONE]\n\n")
