"""Pictures from servers that draw, and from those that do not."""

from __future__ import annotations

import asyncio
import base64
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from actions.image import recorded
from actions.image.painter import Painter, broken, flood, hanging
from actions.left import held
from actions.workshop import CHINESE, OCCASION, Asked, workshop
from execution.engine import Play, replied
from pointsman.actions.image import sdwebui
from pointsman.domain.errors import PointsmanError
from pointsman.ports.action import Action, ActionFailed, Effect

TXT2IMG, GENERATIONS = "/sdapi/v1/txt2img", "/v1/images/generations"


@asynccontextmanager
async def studio(
    folder: Path, engine: str = "sdwebui", *, asks: Asked | None = None, timeout: str = "20s", **settings: Any
) -> AsyncIterator[tuple[Action, Painter]]:
    """The action before a server that draws; nothing is left open after it."""
    before = held()
    async with Painter().listening() as painter:
        base = painter.host + ("/v1" if engine == "openai" else "")
        image = {"engine": engine, "base_url": base} | settings
        async with workshop(folder, {"image": {"image": image, "timeout": timeout}}, asks) as actions:
            yield actions["image"], painter
        assert list((folder / "work").glob("*")) == []
    assert held().children == before.children


def stored(effect: Effect, folder: Path) -> list[bytes]:
    assert effect.outcome == "ok", effect.text
    return [(folder / "files" / file.key).read_bytes() for file in effect.files]


async def test_words_become_a_picture(tmp_path: Path) -> None:
    async with studio(tmp_path, negative_prompt="blurry", steps=24, cfg=6.5, sampler="Euler a", model="dream") as (
        action,
        painter,
    ):
        effect = await action.run({"question": "用AI画一只穿西装的猫"}, CHINESE)
        [asked] = painter.of(TXT2IMG)
    assert asked.fields["force_task_id"].startswith("task(")
    assert asked.fields | {"force_task_id": ""} == {"force_task_id": ""} | {
        "prompt": "一只穿西装的猫", "negative_prompt": "blurry", "width": 512, "height": 512, "batch_size": 1, "n_iter": 1,
        "send_images": True, "save_images": False, "steps": 24, "cfg_scale": 6.5, "sampler_name": "Euler a",
        "override_settings": {"sd_model_checkpoint": "dream"},
    }  # fmt: skip
    assert "authorization" not in asked.headers
    assert stored(effect, tmp_path) == [recorded.png(512, 512)]
    [file] = effect.files
    assert (file.name, file.media_type) == ("一只穿西装的猫.png", "image/png")
    head, picture = effect.text.split("\n\n")
    assert head == "“一只穿西装的猫”（512 × 512）："
    assert picture.startswith("![一只穿西装的猫](http://gateway/files/") and picture.endswith(")")
    [shown] = effect.values["images"]
    assert (shown["width"], shown["height"], shown["seed"]) == (512, 512, 1234567) and shown["url"] in picture


async def test_several_of_a_shape_without_their_grid(tmp_path: Path) -> None:
    async with studio(tmp_path) as (action, painter):
        painter.grid = True
        effect = await action.run({"question": "draw three pictures of a lighthouse, portrait format"}, OCCASION)
        fields = painter.of(TXT2IMG)[0].fields
    assert (fields["n_iter"], fields["batch_size"], fields["width"], fields["height"]) == (3, 1, 512, 768)
    assert stored(effect, tmp_path) == [recorded.png(512, 768)] * 3
    assert [file.name for file in effect.files] == ["a lighthouse.png", "a lighthouse-2.png", "a lighthouse-3.png"]
    assert [shown["seed"] for shown in effect.values["images"]] == [1234567, 1234568, 1234569]
    assert effect.text.startswith("“a lighthouse” (512 × 768):") and effect.text.count("![a lighthouse](") == 3


async def test_parameters_go_before_words(tmp_path: Path) -> None:
    async with studio(tmp_path, size="256x256") as (action, painter):
        given = {
            "prompt": "a bridge",
            "question": "画三只猫，竖版",
            "size": "320x200",
            "count": 2,
            "seed": 7,
            "negative_prompt": "fog",
        }
        effect = await action.run(given, OCCASION)
        fields = painter.of(TXT2IMG)[0].fields
    assert (fields["prompt"], fields["seed"], fields["negative_prompt"]) == ("a bridge", 7, "fog")
    assert (fields["width"], fields["height"], fields["n_iter"]) == (320, 200, 2)
    assert len(effect.files) == 2
    async with studio(tmp_path / "again", size="256x256") as (action, painter):
        effect = await action.run({"question": "a fox", "shape": "竖版"}, OCCASION)
        assert (effect.values["images"][0]["width"], effect.values["images"][0]["height"]) == (256, 384)


async def test_more_than_four(tmp_path: Path) -> None:
    async with studio(tmp_path, size="64x64") as (action, painter):
        effect = await action.run({"question": "画十张猫"}, CHINESE)
        assert painter.of(TXT2IMG)[0].fields["n_iter"] == 4 and len(effect.files) == 4
        assert "一次最多画 4 张" in effect.text
        effect = await action.run({"question": "猫", "count": 5}, CHINESE)
        assert effect.error == "bad_parameters" and effect.outcome == "refused"


async def test_openai_images(tmp_path: Path) -> None:
    settings = {"api_key": "sk-1", "model": "gpt-image-2", "size": "1024x1024", "extra": {"quality": "low"}}
    async with studio(tmp_path, "openai", **settings) as (action, painter):
        effect = await action.run({"question": "draw me a red fox, 16:9"}, OCCASION)
        [asked] = painter.of(GENERATIONS)
    assert asked.headers["authorization"] == "Bearer sk-1"
    assert asked.fields == {
        "model": "gpt-image-2",
        "prompt": "a red fox",
        "n": 1,
        "size": "1536x1024",
        "quality": "low",
    }
    assert stored(effect, tmp_path) == [recorded.png(1536, 1024)]


async def test_local_servers_get_what_openai_does_not_know(tmp_path: Path) -> None:
    async with studio(tmp_path, "openai", steps=8, cfg=3, seed=5, negative_prompt="fog", model="z-image") as (
        action,
        painter,
    ):
        await action.run({"question": "a fox"}, OCCASION)
        fields = painter.of(GENERATIONS)[0].fields
    assert fields == {
        "model": "z-image", "prompt": "a fox", "n": 1, "size": "512x512", "response_format": "b64_json", "seed": 5,
        "negative_prompt": "fog", "num_inference_steps": 8, "guidance_scale": 3.0,
    }  # fmt: skip


async def test_pictures_behind_links_of_the_same_server(tmp_path: Path) -> None:
    async with studio(tmp_path, "openai", api_key="sk-1") as (action, painter):
        painter.links = True
        effect = await action.run({"question": "two pictures of a fox"}, OCCASION)
        fetched = [asked for asked in painter.asked if asked.method == "GET"]
    assert len(stored(effect, tmp_path)) == 2 and len(fetched) == 2
    assert all(
        "authorization" not in asked.headers for asked in fetched
    )  # a link may lead anywhere: no key goes with it


@pytest.mark.parametrize(
    "link",
    [
        "http://127.0.0.1:{other}/x.png", "http://localhost:{other}/x.png", "http://169.254.169.254/latest/meta-data/",
        "http://10.0.0.1/x.png", "http://[::1]:{other}/x.png", "file:///etc/passwd", "ftp://127.0.0.1/x", "//x", "x", "http://",
        "http://127.0.0.1:{own}@10.0.0.1/x.png",
    ],
)  # fmt: skip
async def test_links_that_lead_elsewhere(link: str, tmp_path: Path) -> None:
    async with studio(tmp_path, "openai") as (action, painter), Painter().listening() as other:
        url = link.format(other=other.port, own=painter.port)
        painter.plays[GENERATIONS] = replied(200, recorded.localai([url]))
        effect = await action.run({"question": "draw a fox"}, OCCASION)
        assert (effect.outcome, effect.error) == ("failed", "bad_answer") and other.asked == []
        # a redirect of its own host leads nowhere, too
        painter.plays["/here.png"] = replied(302, b"", f"location: http://127.0.0.1:{other.port}/x.png")
        painter.plays[GENERATIONS] = replied(200, recorded.localai([f"{painter.host}/here.png"]))
        effect = await action.run({"question": "draw a fox"}, OCCASION)
        assert (effect.outcome, effect.error) == ("failed", "bad_answer") and other.asked == []


async def test_the_servers_own_redirect_is_not_followed(tmp_path: Path) -> None:
    async with studio(tmp_path) as (action, painter), Painter().listening() as other:
        painter.plays[TXT2IMG] = replied(307, b"", f"location: {other.host}{TXT2IMG}")
        effect = await action.run({"question": "draw a fox"}, OCCASION)
        assert (effect.outcome, effect.error) == ("failed", "setup") and other.asked == []


NO_PICTURE = ("failed", "bad_answer", "不是图片")
FAILURES: list[tuple[str, str, Callable[[], Play], str, str, str]] = [
    ("sdwebui", "no memory", lambda: replied(500, recorded.WEBUI_NO_MEMORY), "failed", "gpu_memory", "显存不足"),
    ("sdwebui", "no sampler", lambda: replied(404, recorded.WEBUI_NO_SAMPLER), "failed", "setup", "没有这个模型"),
    ("sdwebui", "no api", lambda: replied(404, recorded.WEBUI_NO_API), "failed", "setup", "不提供画图接口"),
    ("sdwebui", "no key", lambda: replied(401, recorded.WEBUI_NO_KEY), "failed", "setup", "不接受所配置的密钥"),
    ("openai", "policy", lambda: replied(400, recorded.OPENAI_POLICY), "refused", "filtered", "内容规则"),
    ("openai", "busy", lambda: replied(429, recorded.OPENAI_BUSY), "failed", "busy", "正忙"),
    ("openai", "no key", lambda: replied(401, recorded.OPENAI_NO_KEY), "failed", "setup", "密钥"),
    ("openai", "bad", lambda: replied(400, recorded.OPENAI_BAD), "failed", "bad_answer", "拒绝了请求"),
    ("openai", "loading", lambda: replied(500, recorded.LOCALAI_LOADING), "failed", "loading", "正在加载模型"),
    ("openai", "no model", lambda: replied(404, recorded.LOCALAI_NO_MODEL), "failed", "setup", "没有这个模型"),
    ("openai", "503", lambda: replied(503, b"upstream not ready", type="text/plain"), "failed", "loading", "正在加载模型"),
    ("openai", "500", lambda: replied(500, b"<html>oops</html>", type="text/html"), "failed", "bad_answer", "出错了"),
    ("sdwebui", "html", lambda: replied(200, b"<html>hello</html>", type="text/html"), *NO_PICTURE),
    ("sdwebui", "list", lambda: replied(200, [1, 2]), *NO_PICTURE),
    ("sdwebui", "nothing", lambda: replied(200, {"images": [], "parameters": {}, "info": "{}"}), *NO_PICTURE),
    ("sdwebui", "null", lambda: replied(200, {"images": None, "parameters": {}, "info": "x"}), *NO_PICTURE),
    ("sdwebui", "no base64", lambda: replied(200, {"images": ["§§"], "info": "{}"}), *NO_PICTURE),
    ("sdwebui", "a page", lambda: replied(200, {"images": [recorded.b64(b"<html></html>")]}), *NO_PICTURE),
    ("sdwebui", "half", lambda: replied(200, {"images": [recorded.b64(recorded.png()[:60])]}), *NO_PICTURE),
    ("openai", "no data", lambda: replied(200, {"created": 1}), *NO_PICTURE),
    ("openai", "neither", lambda: replied(200, {"data": [{"revised_prompt": "x"}]}), *NO_PICTURE),
    ("openai", "no http", lambda: broken(b"\x15\x03\x01\x00"), "failed", "unreachable", "无法连接"),
    ("openai", "cut", lambda: broken(b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{"), "failed", "unreachable", "断开"),
    ("openai", "hang", hanging, "failed", "timeout", "没有在规定时间内"),
    ("sdwebui", "hang", hanging, "failed", "timeout", "没有在规定时间内"),
    ("sdwebui", "ten GB", lambda: flood(10 << 30), "failed", "too_large", "超过上限"),
    ("openai", "ten GB", lambda: flood(10 << 30), "failed", "too_large", "超过上限"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("engine", "what", "play", "outcome", "code", "zh"), FAILURES, ids=[f"{e[0]}: {e[1]}" for e in FAILURES]
)
async def test_what_servers_do_besides_drawing(
    engine: str,
    what: str,
    play: Callable[[], Play],
    outcome: str,
    code: str,
    zh: str,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """In words, in both languages, logged; and the next one is drawn."""
    path = GENERATIONS if engine == "openai" else TXT2IMG
    async with studio(tmp_path, engine, timeout="2s", max_picture="1MB", api_key="user:word") as (action, painter):
        painter.plays[path] = play()
        with caplog.at_level(logging.WARNING):
            english = await action.run({"question": "draw a fox"}, OCCASION)
            chinese = await action.run({"question": "画一只狐狸"}, CHINESE)
        for effect in (english, chinese):
            assert (effect.outcome, effect.error, effect.files) == (outcome, code, ()), effect.text
        assert zh in chinese.text and english.text.isascii() and "user:word" not in caplog.text
        assert "action image failed" in caplog.text
        painter.plays.clear()
        assert (await action.run({"question": "draw a fox"}, OCCASION)).outcome == "ok"


async def test_a_server_that_is_off(tmp_path: Path) -> None:
    async with Painter().listening() as gone:
        base = gone.host
    async with workshop(tmp_path, {"image": {"image": {"engine": "sdwebui", "base_url": base}}}) as actions:
        effect = await actions["image"].run({"question": "draw a fox"}, OCCASION)
        assert (effect.outcome, effect.error) == ("failed", "unreachable") and "may be off" in effect.text
        job = msgspec.structs.replace(OCCASION, effect="req_1.0.0")
        with pytest.raises(ActionFailed) as failed:  # a job tries it again
            await actions["image"].run({"question": "draw a fox"}, job)
        assert failed.value.again


async def test_black_pictures(tmp_path: Path) -> None:
    async with studio(tmp_path, size="64x64") as (action, painter):
        painter.image = lambda width, height: recorded.png(width, height, (0, 0, 0))
        effect = await action.run({"question": "draw a fox"}, OCCASION)
        assert (effect.outcome, effect.error, effect.files) == ("refused", "filtered", ())
        images = iter([recorded.png(64, 64, (0, 0, 0)), recorded.png(64, 64)])
        painter.image = lambda width, height: next(images)
        effect = await action.run({"question": "draw two pictures of a fox"}, OCCASION)
        assert effect.outcome == "ok" and len(effect.files) == 1 and "1 of 2 came out well" in effect.text


async def test_nothing_to_draw(tmp_path: Path) -> None:
    async with studio(tmp_path) as (action, painter):
        effect = await action.run({"question": "画一张图"}, CHINESE)
        assert (effect.outcome, effect.error) == ("refused", "no_prompt") and effect.text.startswith("请说明要画什么")
        for wrong in ({}, {"question": "draw a picture"}, {"prompt": " "}, {"question": "a fox", "size": "9000x9000"}):
            with pytest.raises(PointsmanError):
                action.check(wrong)
        assert painter.asked == []


async def test_progress_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sdwebui, "POLL", 0.01)
    for knows in (True, False):
        told: asyncio.Queue[tuple[int, int]] = asyncio.Queue()

        async def tell(done: int, of: int, told: asyncio.Queue[tuple[int, int]] = told) -> None:
            told.put_nowait((done, of))

        async with studio(tmp_path, size="64x64") as (action, painter):
            painter.slow, painter.knows_tasks = True, knows
            drawing = asyncio.create_task(
                action.run({"question": "a fox"}, msgspec.structs.replace(OCCASION, tell=tell))
            )
            assert await told.get() == (40, 100)
            painter.share = 0.8
            while await told.get() != (80, 100):
                pass
            painter.finish.set()
            assert (await drawing).outcome == "ok"
            assert painter.interrupted.is_set() is False


@pytest.mark.parametrize("knows", [True, False])
async def test_a_drawing_that_is_called_off_is_interrupted(knows: bool, tmp_path: Path) -> None:
    async with studio(tmp_path) as (action, painter):
        painter.slow, painter.knows_tasks = True, knows
        drawing = asyncio.create_task(action.run({"question": "a fox"}, OCCASION))
        await painter.begun.wait()
        drawing.cancel()
        assert isinstance((await asyncio.gather(drawing, return_exceptions=True))[0], asyncio.CancelledError)
        assert painter.interrupted.is_set()


async def test_a_drawing_that_takes_too_long_is_interrupted(tmp_path: Path) -> None:
    async with studio(tmp_path, timeout="1s") as (action, painter):
        painter.slow = True
        effect = await action.run({"question": "a fox"}, OCCASION)
        assert effect.error == "timeout" and painter.interrupted.is_set()


async def test_what_others_have_drawn_is_not_interrupted(tmp_path: Path) -> None:
    """Ours waits in the server's queue: nothing of it runs, and what runs is not ours."""
    async with studio(tmp_path) as (action, painter):
        painter.plays[TXT2IMG] = hanging()
        drawing = asyncio.create_task(action.run({"question": "a fox"}, OCCASION))
        while not painter.of(TXT2IMG):
            await asyncio.sleep(0.01)
        painter.drawing = "task(somebody-else)"
        drawing.cancel()
        await asyncio.gather(drawing, return_exceptions=True)
        assert painter.of("/internal/progress") and not painter.of("/sdapi/v1/interrupt")


async def test_hanging_up_is_enough_for_openai(tmp_path: Path) -> None:
    async with studio(tmp_path, "openai") as (action, painter):
        painter.hangs = True
        drawing = asyncio.create_task(action.run({"question": "a fox"}, OCCASION))
        while not painter.asked:
            await asyncio.sleep(0.01)
        drawing.cancel()
        await asyncio.gather(drawing, return_exceptions=True)
        while painter.open:
            await asyncio.sleep(0.01)


async def test_two_hundred_that_are_called_off_leave_nothing_open(tmp_path: Path) -> None:
    async with studio(tmp_path) as (action, painter):
        painter.hangs = True
        before = held()
        for number in range(200):
            seen = len(painter.of(TXT2IMG))
            drawing = asyncio.create_task(action.run({"question": "a fox"}, OCCASION))
            while number % 2 and len(painter.of(TXT2IMG)) == seen:
                await asyncio.sleep(0.001)
            await asyncio.sleep(0)
            drawing.cancel()
            await asyncio.gather(drawing, return_exceptions=True)
        async with asyncio.timeout(30):
            while held() != before:  # the server's own ends close last
                await asyncio.sleep(0.01)


async def test_words_of_other_languages_by_a_model(tmp_path: Path) -> None:
    model = Asked("“a cat in a suit”\n", ActionFailed("unreachable", "no model"), "x" * 5000)
    async with studio(tmp_path, translate="auto", size="64x64", asks=model) as (action, painter):
        for question in ("画一只穿西装的猫", "画一只狗", "画一只鸟", "draw a fox"):
            effect = await action.run({"question": question}, CHINESE)
            assert effect.outcome == "ok"
        drawn = [asked.fields["prompt"] for asked in painter.of(TXT2IMG)]
    assert drawn == ["a cat in a suit", "一只狗", "一只鸟", "a fox"]
    assert [name for name, _ in model.asked] == ["auto"] * 3
    assert model.asked[0][1][1] == {"role": "user", "content": "一只穿西装的猫"}


async def test_the_key_of_the_webui(tmp_path: Path) -> None:
    async with studio(tmp_path, api_key="me:secret", size="64x64") as (action, painter):
        await action.run({"question": "a fox"}, OCCASION)
        basic = "Basic " + base64.b64encode(b"me:secret").decode()
        assert painter.of(TXT2IMG)[0].headers["authorization"] == basic


@pytest.mark.parametrize(
    ("settings", "path"),
    [
        ({"base_url": "http://0x7f000001/"}, "base_url"),
        ({"base_url": "http://127.1:7860"}, "base_url"),
        ({"allow": ["http://x"]}, "allow"),
        ({"api_key": "nocolon"}, "api_key"),
    ],
)
async def test_configs_that_are_wrong(settings: dict[str, Any], path: str, tmp_path: Path) -> None:
    from actions.workshop import config_of
    from pointsman.app.actions import action_specs

    image = {"engine": "sdwebui", "base_url": "http://127.0.0.1:7860"} | settings
    [problem] = action_specs(config_of({"image": {"image": image}}), tmp_path, {}).problems
    assert problem.path == f"actions.image.image.{path}"


def test_gpu_memory_is_declared(tmp_path: Path) -> None:
    from actions.workshop import config_of
    from pointsman.app.actions import action_specs

    actions = {
        "near": {"image": {"engine": "sdwebui", "base_url": "http://127.0.0.1:7860"}},
        "far": {"image": {"engine": "openai", "base_url": "https://api.example.com/v1"}},
        "large": {"image": {"engine": "sdwebui", "base_url": "http://127.0.0.1:7860"}, "gpu_memory": 9000},
    }
    specs = action_specs(config_of(actions), tmp_path, {}).specs
    assert {name: spec.gpu_memory for name, spec in specs.items()} == {"near": 4096, "far": 0, "large": 9000}
