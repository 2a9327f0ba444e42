"""Answers of servers that draw, in the shapes that they have: AUTOMATIC1111's WebUI 1.10, OpenAI, LocalAI, vLLM-Omni."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any


def png(width: int = 64, height: int = 64, colour: tuple[int, int, int] = (200, 30, 90)) -> bytes:
    """A whole picture of one colour."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    head = width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes([8, 2, 0, 0, 0])
    lines = (b"\x00" + bytes(colour) * width) * height
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def txt2img(asked: dict[str, Any], images: list[bytes], *, grid: bytes | None = None) -> dict[str, Any]:
    """What the WebUI answers; with a grid of all, which comes first, where it is set to make one."""
    count, seed = len(images), int(asked.get("seed") or 1234567)
    parameters = {
        "prompt": asked["prompt"], "negative_prompt": asked.get("negative_prompt", ""),
        "styles": None, "seed": asked.get("seed", -1), "subseed": -1, "subseed_strength": 0,
        "seed_resize_from_h": -1, "seed_resize_from_w": -1,
        "sampler_name": asked.get("sampler_name"), "scheduler": None, "batch_size": asked["batch_size"],
        "n_iter": asked["n_iter"], "steps": asked.get("steps", 50), "cfg_scale": asked.get("cfg_scale", 7.0),
        "width": asked["width"], "height": asked["height"],
        "restore_faces": None, "tiling": None, "override_settings": asked.get("override_settings"),
        "override_settings_restore_afterwards": True, "script_name": None, "send_images": True, "save_images": False,
        "alwayson_scripts": {}, "force_task_id": asked.get("force_task_id"), "infotext": None,
    }  # fmt: skip
    info = {
        "prompt": asked["prompt"], "all_prompts": [asked["prompt"]] * count,
        "negative_prompt": asked.get("negative_prompt", ""),
        "all_negative_prompts": [""] * count, "seed": seed, "all_seeds": [seed + n for n in range(count)], "subseed": 9,
        "all_subseeds": list(range(count)), "subseed_strength": 0, "width": asked["width"], "height": asked["height"],
        "sampler_name": "Euler a", "cfg_scale": 7.0, "steps": 20, "batch_size": 1, "restore_faces": False,
        "sd_model_name": "v1-5-pruned-emaonly", "sd_model_hash": "6ce0161689", "sd_vae_name": None,
        "seed_resize_from_w": -1, "seed_resize_from_h": -1, "denoising_strength": None, "extra_generation_params": {},
        "index_of_first_image": 1 if grid else 0, "infotexts": ["…"] * count, "styles": [],
        "job_timestamp": "20260130120000",
        "clip_skip": 1, "is_using_inpainting_conditioning": False, "version": "v1.10.1",
    }  # fmt: skip
    return {
        "images": [b64(image) for image in [*([grid] if grid else []), *images]],
        "parameters": parameters,
        "info": json.dumps(info),
    }


def progress(share: float, jobs: int = 1) -> dict[str, Any]:
    """`GET /sdapi/v1/progress`."""
    state = {
        "skipped": False, "interrupted": False, "stopping_generation": False, "job": "scripts_txt2img" if jobs else "",
        "job_count": jobs, "job_timestamp": "20260130120000", "job_no": 0,
        "sampling_step": round(share * 20), "sampling_steps": 20,
    }  # fmt: skip
    return {"progress": share, "eta_relative": 4.2, "state": state, "current_image": None, "textinfo": None}


def task(*, active: bool, share: float | None = None) -> dict[str, Any]:
    """`POST /internal/progress`."""
    return {
        "active": active, "queued": not active, "completed": False, "progress": share, "eta": None, "live_preview": None,
        "id_live_preview": -1, "textinfo": None if active else "In queue: 1/1",
    }  # fmt: skip


WEBUI_NO_MEMORY = {
    "error": "OutOfMemoryError", "detail": "", "body": "",
    "errors": "CUDA out of memory. Tried to allocate 1.11 GiB (GPU 0; 6.00 GiB total capacity; 4.27 GiB already allocated)",
}  # fmt: skip
WEBUI_NO_SAMPLER = {"error": "HTTPException", "detail": "Sampler not found", "body": "", "errors": ""}
WEBUI_NO_API = {"detail": "Not Found"}
WEBUI_NO_KEY = {"detail": "Incorrect username or password"}
OPENAI_POLICY = {
    "error": {
        "message": "Your request was rejected by the safety system.", "type": "image_generation_user_error", "param": None,
        "code": "moderation_blocked",
    }
}  # fmt: skip
OPENAI_BUSY = {
    "error": {
        "message": "Rate limit reached for images per minute.",
        "type": "requests",
        "param": None,
        "code": "rate_limit_exceeded",
    }
}
OPENAI_NO_KEY = {
    "error": {
        "message": "Incorrect API key provided.",
        "type": "invalid_request_error",
        "param": None,
        "code": "invalid_api_key",
    }
}
OPENAI_BAD = {
    "error": {
        "message": "Unknown parameter: 'response_format'.",
        "type": "invalid_request_error",
        "param": "response_format",
        "code": "unknown_parameter",
    }
}
LOCALAI_LOADING = {
    "error": {"code": 500, "message": "could not load model: rpc error: model is not loaded", "type": ""}
}
LOCALAI_NO_MODEL = {"error": {"code": 404, "message": "model 'dreamshaper' not found", "type": ""}}


def generations(images: list[bytes]) -> dict[str, Any]:
    """OpenAI, gpt-image; vLLM-Omni and stable-diffusion.cpp without `usage`."""
    usage = {
        "input_tokens": 13, "input_tokens_details": {"image_tokens": 0, "text_tokens": 13}, "output_tokens": 272,
        "total_tokens": 285,
    }  # fmt: skip
    return {
        "created": 1769774400, "background": "opaque", "data": [{"b64_json": b64(image)} for image in images],
        "output_format": "png", "quality": "low", "size": "1024x1024", "usage": usage,
    }  # fmt: skip


def localai(urls: list[str]) -> dict[str, Any]:
    """LocalAI, and DALL·E with links."""
    return {
        "created": 1769774400, "id": "6f0d",
        "data": [{"embedding": None, "index": n, "url": url} for n, url in enumerate(urls)],
        "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
    }  # fmt: skip
