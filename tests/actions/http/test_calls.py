"""What becomes of a call: answers good and bad, tries, and outcomes that nobody knows."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import msgspec
import pytest

from actions.http.service import Service, answer, calling, dies, floods, raw, trickles, waits
from actions.workshop import CHINESE, OCCASION
from pointsman.domain.errors import PointsmanError
from pointsman.ports.action import ActionFailed

JOB = msgspec.structs.replace(OCCASION, effect="req_1.0.1")


def http_of(service: Service, **more: Any) -> dict[str, Any]:
    return {"url": f"{service.url}/items/{{sku}}", "allow": [f"127.0.0.1:{service.port}"], **more}


async def test_an_answer_by_a_template_in_each_language(tmp_path: Path) -> None:
    words = {
        "en": "{sku}: {body.stock.0.count} left ({status}) {body.none}",
        "zh": "{sku} 还有 {body.stock.0.count} 件",
    }
    async with Service(answer(200, {"stock": [{"count": 7}], "名": "x"})) as service:
        async with calling(tmp_path, http_of(service, answer=words)) as action:
            effect = await action.run({"sku": "A1"}, OCCASION)
            assert effect.text == "A1: 7 left (200) —" and effect.outcome == "ok"
            assert effect.values == {"status": 200, "body": {"stock": [{"count": 7}], "名": "x"}}
            assert (await action.run({"sku": "A1"}, CHINESE)).text == "A1 还有 7 件"
        assert service.got[0].target == "/items/A1" and service.got[0].headers["accept-encoding"] == "identity"
        assert "idempotency-key" not in service.got[0].headers


@pytest.mark.parametrize(
    ("play", "en", "zh"),
    [
        (answer(200, {"name": "bolt", "count": 3}), "- name: bolt\n- count: 3", "- name：bolt\n- count：3"),
        (answer(200, [{"a": 1}] * 12), "and 2 more", "另有 2 条"),
        (answer(200, []), "Nothing was found.", "没有结果。"),
        (answer(204), "Done.", "已完成。"),
        (answer(200, "你好\x1b[31m\u202e".encode(), kind="text/plain; charset=utf-8"), "你好[31m", "你好[31m"),
        (answer(200, b"\x89PNG", kind="image/png"), "image/png, 4 bytes", "image/png，4 字节"),
        (answer(200, b"{oops", kind="application/json"), "no JSON", "不是有效的 JSON"),
        (answer(200, b"[" * 5000 + b"]" * 5000), "no JSON", "不是有效的 JSON"),
        (answer(404, {"detail": "no such item\x07"}), "(404): no such item", "（404）：no such item"),
        (answer(422, {"errors": [{"message": "too\r\nmany"}]}), "(422): too many", "（422）：too many"),
        (answer(500, b"<html><b>Oops</b></html>", kind="text/html"), "failed (500): Oops", "服务出错（500）：Oops"),
        (answer(401, {}), "who calls (401).", "身份（401）。"),
        (answer(301, None, "location: http://x/"), "points elsewhere", "转到别处"),
    ],
)
async def test_answers_in_both_languages(tmp_path: Path, play: Any, en: str, zh: str) -> None:
    async with Service(play) as service, calling(tmp_path, http_of(service)) as action:
        one, two = [await action.run({"sku": "A"}, occasion) for occasion in (OCCASION, CHINESE)]
        assert en in one.text and zh in two.text


async def test_bombs_and_floods_are_not_taken_in(tmp_path: Path) -> None:
    packed = gzip.compress(b"0" * 50_000_000)
    cases: list[tuple[Any, str]] = [
        (floods, "too_large"),
        (answer(200, packed, "content-encoding: gzip"), "bad_answer"),
        (answer(200, packed, "content-encoding: br, gzip"), "bad_answer"),
        (trickles, "no_answer"),
        (waits, "no_answer"),
        (raw(b"SSH-2.0-OpenSSH\r\n\r\n"), "no_answer"),
        (raw(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 7\r\n\r\nabcde"), "no_answer"),
        (raw(b"HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\nabc"), "no_answer"),
        (raw(b"HTTP/1.1 200 OK\r\n" + b"x: " + b"a" * 100_000 + b"\r\n\r\n"), "no_answer"),
        (raw(b""), "no_answer"),
    ]
    for play, code in cases:
        async with Service(play) as service, calling(tmp_path, http_of(service), timeout="2s") as action:
            effect = await action.run({"sku": "A"}, OCCASION)
            assert (effect.outcome, effect.error) == ("failed", code), play


async def test_a_call_that_may_have_happened_is_uncertain_and_not_tried_again(tmp_path: Path) -> None:
    for number, play in enumerate((dies, waits, raw(b"garbage\r\n\r\n"), answer(504, {}), trickles)):
        async with Service(play) as service:
            http = http_of(service, method="POST", body={"n": 1})
            async with calling(tmp_path, http, timeout="1s") as action:
                assert action.spec.repeatable == "no" and action.spec.effect
                here = msgspec.structs.replace(JOB, effect=f"req_{number}.0.1")
                first = await action.run({"sku": "A"}, here)
                assert (first.outcome, first.error) == ("failed", "uncertain") and "check there first" in first.text
                assert await action.run({"sku": "A"}, here) == first  # published: every later try tells the same
            assert len(service.got) == 1
    async with Service(dies) as service, calling(tmp_path, http_of(service, method="PATCH", body={})) as action:
        effect = await action.run({"sku": "A"}, CHINESE)
        assert effect.error == "uncertain" and "无法确定" in effect.text and len(service.got) == 1


async def test_what_does_no_harm_is_tried_once_more(tmp_path: Path) -> None:
    for method in ("GET", "PUT", "DELETE"):
        async with Service() as service:
            service.plays = [dies]
            async with calling(tmp_path, http_of(service, method=method)) as action:
                assert (await action.run({"sku": "A"}, OCCASION)).outcome == "ok"
            assert len(service.got) == 2
            assert len({got.headers.get("idempotency-key") for got in service.got}) == 1
            service.play = dies
            async with calling(tmp_path, http_of(service, method=method)) as action:
                assert (await action.run({"sku": "A"}, OCCASION)).error == "no_answer"
                with pytest.raises(ActionFailed) as raised:
                    await action.run({"sku": "A"}, JOB)
                assert raised.value.again


async def test_a_keyed_call_carries_the_same_key_for_each_try_of_a_job(tmp_path: Path) -> None:
    async with Service() as service:
        service.plays = [dies, dies, answer(503, {}), answer(201, {"id": 1})]
        async with calling(tmp_path, http_of(service, method="POST", body={}, keyed=True)) as action:
            assert action.spec.repeatable == "keyed"
            for _ in range(2):
                with pytest.raises(ActionFailed) as raised:
                    await action.run({"sku": "A"}, JOB)
                assert raised.value.again
            assert (await action.run({"sku": "A"}, JOB)).values["body"] == {"id": 1}
            assert (await action.run({"sku": "A"}, JOB)).values["body"] == {"id": 1}
            keys = {got.headers["idempotency-key"] for got in service.got}
            assert len(service.got) == 4 and len(keys) == 1
            await action.run({"sku": "A"}, msgspec.structs.replace(JOB, effect="req_2.0.1"))
            await action.run({"sku": "A"}, msgspec.structs.replace(OCCASION, request_id="req_3"))
            assert len({got.headers["idempotency-key"] for got in service.got}) == 3


async def test_nothing_went_out_so_it_may_be_tried_again(tmp_path: Path) -> None:
    async with Service() as service:
        port = service.port
    http = {"url": f"http://127.0.0.1:{port}/x", "allow": ["127.0.0.1"], "method": "POST", "body": {}}
    async with calling(tmp_path, http) as action:
        for _ in range(2):  # the mark that it left is taken back
            with pytest.raises(ActionFailed) as raised:
                await action.run({}, JOB)
            assert raised.value.code == "no_answer" and raised.value.again
            assert str(port) not in raised.value.message


async def test_a_run_that_was_killed_on_its_way_is_uncertain(tmp_path: Path) -> None:
    """Its mark is there, its effect is not: nobody knows."""
    async with Service() as service, calling(tmp_path, http_of(service, method="POST", body={})) as action:
        files = action._inner._files  # type: ignore[attr-defined]
        await files.publish("effects/req_1.0.1.begun", b"1")
        effect = await action.run({"sku": "A"}, JOB)
        assert effect.error == "uncertain" and service.got == []


async def test_secrets_are_sent_and_never_shown(tmp_path: Path) -> None:
    token = "s3cr3t-token-value"
    async with Service() as service:
        echo = {"error": f"bad token {token}", "you": {"sent": [f"Bearer {token}"]}, token: token}
        service.plays = [answer(200, echo), answer(403, echo)]
        http = http_of(
            service, headers={"Authorization": f"Bearer {token}", "X-Api-Key": token}, query={"api_key": token}
        )
        async with calling(tmp_path, http) as action:
            assert token not in msgspec.json.encode(action.spec).decode()
            for _ in range(2):
                assert token not in repr(await action.run({"sku": "A"}, OCCASION))
        assert service.got[0].headers["authorization"] == f"Bearer {token}" and token in service.got[0].target


async def test_basic_is_encoded(tmp_path: Path) -> None:
    async with Service() as service:
        async with calling(tmp_path, http_of(service, headers={"Authorization": "Basic me:p:w"})) as action:
            await action.run({"sku": "A"}, OCCASION)
        assert service.got[0].headers["authorization"] == "Basic bWU6cDp3"


async def test_bad_values_are_refused_before_anything_goes_out(tmp_path: Path) -> None:
    async with Service() as service, calling(tmp_path, http_of(service)) as action:
        with pytest.raises(PointsmanError) as raised:
            action.check({"sku": "../admin"})
        assert raised.value.status == 400
        effect = await action.run({"sku": "../admin"}, OCCASION)
        assert (effect.outcome, effect.error) == ("refused", "bad_value") and service.got == []


async def test_an_answer_too_large_to_pass_on_after_something_was_done(tmp_path: Path) -> None:
    async with Service(answer(200, {"x": "y" * 5000})) as service:
        http = http_of(service, method="POST", body={})
        async with calling(tmp_path, http, output="1KB") as action:
            effect = await action.run({"sku": "A"}, JOB)
            assert effect.outcome == "ok" and effect.values["body"] is None and "Done" in effect.text
