"""What is to be drawn, out of how it was asked for."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.actions.image.sizes import size_of
from pointsman.actions.image.words import LONGEST, drawing_of
from pointsman.config.action_schema.image import Image
from pointsman.ports.action import ActionFailed


@pytest.mark.parametrize(
    ("question", "prompt", "more"),
    [
        ("用AI画一只穿西装的猫", "一只穿西装的猫", {}),
        ("帮我画一张日落时的海边", "日落时的海边", {}),
        ("请给我生成一张竖版的猫的图片", "猫", {"shape": "portrait"}),
        ("画两张雪山，横版", "雪山", {"count": 2, "shape": "landscape"}),
        ("给我画一幅油画，内容是向日葵", "油画，内容是向日葵", {}),
        ("生成一张关于春天的海报", "春天的海报", {}),
        ("设计一个咖啡店的logo", "咖啡店的logo", {}),
        ("能不能帮我画一个机器人？谢谢", "机器人", {}),
        ("生成图片：森林里的小屋", "森林里的小屋", {}),
        ("用 Stable Diffusion 画一条龙", "一条龙", {}),
        ("画一张1024x768的城市夜景", "城市夜景", {"size": (1024, 768)}),
        ("出一张手机壁纸，星空，竖屏", "手机壁纸，星空", {"shape": "portrait"}),
        ("画一只在画画的猫", "一只在画画的猫", {}),
        ("画一只猫，方形", "一只猫", {"shape": "square"}),
        ("来一张小狗的照片", "小狗的照片", {}),
        ("画十张猫", "猫", {"count": 10}),
        ("draw me a cat in a suit", "a cat in a suit", {}),
        ("please generate an image of a red fox in snow", "a red fox in snow", {}),
        ("Can you draw a portrait of a woman, portrait orientation?", "a portrait of a woman", {"shape": "portrait"}),
        ("create three pictures of a lighthouse at night", "a lighthouse at night", {"count": 3}),
        ("make a logo for a coffee shop", "a logo for a coffee shop", {}),
        ("paint a watercolor landscape", "a watercolor landscape", {}),
        ("Generate a photo of a city, 16:9", "a photo of a city", {"shape": "landscape"}),
        ("draw 3 cats", "3 cats", {}),
        ("I'd like you to create an illustration of a dragon, please", "a dragon", {}),
        ("an astronaut riding a horse", "an astronaut riding a horse", {}),
        ("一只猫坐在窗台上", "一只猫坐在窗台上", {}),
        ("a clock at 12:34", "a clock at 12:34", {}),
        ("画一张图", "", {}),
        ("画一张", "", {}),
        ("draw a picture", "", {}),
        ("draw something", "", {}),
    ],
)
def test_the_words_that_stay(question: str, prompt: str, more: dict[str, Any]) -> None:
    found = drawing_of(question)
    assert found.prompt == prompt
    assert {"count": found.count, "shape": found.shape, "size": found.size} == {
        "count": None,
        "shape": None,
        "size": None,
    } | more


@given(st.text(max_size=300))
def test_any_text(question: str) -> None:
    found = drawing_of(question)
    assert len(found.prompt) <= 2 * LONGEST and set(found.prompt) <= set(question) | {" "}


def image(**more: Any) -> Image:
    return Image(**{"engine": "sdwebui", "base_url": "http://127.0.0.1:7860"} | more)


@pytest.mark.parametrize(
    ("settings", "shape", "size", "found"),
    [
        ({}, None, None, (512, 512)),
        ({}, "portrait", None, (512, 768)),
        ({}, "landscape", None, (768, 512)),
        ({"size": "1024x1024"}, "portrait", None, (832, 1280)),
        ({"size": "1024x1024", "engine": "openai"}, "portrait", None, (1024, 1536)),
        ({"size": "1024x1024", "engine": "openai"}, "landscape", None, (1536, 1024)),
        ({"size": "768x512"}, "portrait", None, (512, 768)),
        ({"size": "768x512"}, "square", None, (512, 512)),
        ({"portrait": "640x960"}, "portrait", None, (640, 960)),
        ({}, None, (500, 770), (496, 768)),
        ({}, "portrait", (640, 480), (640, 480)),
    ],
)
def test_sizes(settings: dict[str, Any], shape: Any, size: Any, found: tuple[int, int]) -> None:
    assert size_of(image(**settings), shape, size) == found


@pytest.mark.parametrize("size", [(9999, 9999), (10, 512), (1024, 1024)])
def test_sizes_that_are_not_drawn(size: tuple[int, int]) -> None:
    with pytest.raises(ActionFailed) as failed:
        size_of(image(), None, size)
    assert failed.value.code == "bad_size" and failed.value.refused
