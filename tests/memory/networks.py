"""Public facts of models, written by hand from their published config.json files and GGUF metadata."""

from __future__ import annotations

from typing import Any

LLAMA_31_8B: dict[str, Any] = {
    "model_type": "llama",
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "vocab_size": 128256,
    "max_position_embeddings": 131072,
    "tie_word_embeddings": False,
    "torch_dtype": "bfloat16",
}
QWEN3_06B: dict[str, Any] = {
    "model_type": "qwen3",
    "num_hidden_layers": 28,
    "num_attention_heads": 16,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "hidden_size": 1024,
    "intermediate_size": 3072,
    "vocab_size": 151936,
    "max_position_embeddings": 40960,
    "sliding_window": None,
    "use_sliding_window": False,
    "max_window_layers": 28,
    "tie_word_embeddings": True,
    "torch_dtype": "bfloat16",
}
QWEN25_05B: dict[str, Any] = {
    "model_type": "qwen2",
    "num_hidden_layers": 24,
    "num_attention_heads": 14,
    "num_key_value_heads": 2,
    "hidden_size": 896,
    "intermediate_size": 4864,
    "vocab_size": 151936,
    "max_position_embeddings": 32768,
    "sliding_window": 32768,
    "use_sliding_window": False,
    "max_window_layers": 21,
    "tie_word_embeddings": True,
    "torch_dtype": "bfloat16",
}
GEMMA_3_27B: dict[str, Any] = {
    "model_type": "gemma3",
    "torch_dtype": "bfloat16",
    "text_config": {
        "model_type": "gemma3_text",
        "num_hidden_layers": 62,
        "num_attention_heads": 32,
        "num_key_value_heads": 16,
        "head_dim": 128,
        "hidden_size": 5376,
        "intermediate_size": 21504,
        "sliding_window": 1024,
        "vocab_size": 262208,
    },
    "vision_config": {"num_hidden_layers": 27, "hidden_size": 1152},
}
DEEPSEEK_V3: dict[str, Any] = {
    "model_type": "deepseek_v3",
    "num_hidden_layers": 61,
    "num_attention_heads": 128,
    "num_key_value_heads": 128,
    "hidden_size": 7168,
    "intermediate_size": 18432,
    "kv_lora_rank": 512,
    "q_lora_rank": 1536,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
    "n_routed_experts": 256,
    "n_shared_experts": 1,
    "num_experts_per_tok": 8,
    "moe_intermediate_size": 2048,
    "first_k_dense_replace": 3,
    "vocab_size": 129280,
    "max_position_embeddings": 163840,
    "tie_word_embeddings": False,
    "quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]},
    "torch_dtype": "bfloat16",
}
CONFIGS = {
    "Llama-3.1-8B": (LLAMA_31_8B, 4096),
    "Qwen3-0.6B": (QWEN3_06B, 3584),
    "Qwen2.5-0.5B": (QWEN25_05B, 384),
    "Gemma-3-27B": (GEMMA_3_27B, 3184),
    "DeepSeek-V3": (DEEPSEEK_V3, 2196),
}
"""Name → (its config.json, MiB of its KV cache at 32,768 tokens in f16, one sequence)."""


def gguf_keys(architecture: str, **keys: Any) -> dict[str, Any]:
    """Metadata of a GGUF file: `attention__head_count=9` is `<architecture>.attention.head_count`."""
    named = {f"{architecture}.{key.replace('__', '.')}": value for key, value in keys.items()}
    return {"general.architecture": architecture, **named}


GGUF = {
    "Llama-3.1-8B": gguf_keys(
        "llama",
        block_count=32,
        embedding_length=4096,
        attention__head_count=32,
        attention__head_count_kv=8,
        feed_forward_length=14336,
        context_length=131072,
    ),
    "Qwen3-0.6B": gguf_keys(
        "qwen3",
        block_count=28,
        embedding_length=1024,
        attention__head_count=16,
        attention__head_count_kv=8,
        attention__key_length=128,
        attention__value_length=128,
    ),
    "Qwen2.5-0.5B": gguf_keys(
        "qwen2", block_count=24, embedding_length=896, attention__head_count=14, attention__head_count_kv=2
    ),
    "Gemma-3-27B": gguf_keys(
        "gemma3",
        block_count=62,
        embedding_length=5376,
        attention__head_count=32,
        attention__head_count_kv=16,
        attention__key_length=128,
        attention__value_length=128,
        attention__sliding_window=1024,
    ),
    "DeepSeek-V3": gguf_keys(
        "deepseek2",
        block_count=61,
        embedding_length=7168,
        attention__head_count=128,
        attention__head_count_kv=1,
        attention__key_length=576,
        attention__value_length=512,
        attention__key_length_mla=192,
        attention__value_length_mla=128,
        attention__kv_lora_rank=512,
    ),
}
GEMMA_3_270M = gguf_keys(
    "gemma3",
    block_count=18,
    embedding_length=640,
    feed_forward_length=2048,
    context_length=32768,
    attention__head_count=4,
    attention__head_count_kv=1,
    attention__key_length=256,
    attention__value_length=256,
    attention__sliding_window=512,
    vocab_size=262144,
)
SMOLLM2_135M = gguf_keys(
    "llama",
    block_count=30,
    embedding_length=576,
    feed_forward_length=1536,
    context_length=8192,
    attention__head_count=9,
    attention__head_count_kv=3,
    vocab_size=49152,
)
