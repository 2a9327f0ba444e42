"""What a Hugging Face config.json says → the network, by the keys that vLLM and llama.cpp's converter read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pointsman.domain.said import Said, said
from pointsman.memory.gguf_network import MAX_LAYERS, recurrent
from pointsman.memory.hf_weights import counted_weights
from pointsman.memory.network import Layer, Network, Unreadable, Weights
from pointsman.memory.windows import HF_PERIODS, windowed

_INNER = ("text_config", "llm_config", "language_config", "thinker_config")
_FULL = ("full_attention", "attention", "global")
_WINDOWED = ("sliding_attention", "chunked_attention", "local")


def hf_network(config: Mapping[str, Any], weights: Weights | None = None) -> Network:
    """`weights` as the files have them; without, they are counted from the config. Raises Unreadable where the config
    does not say how large a KV cache would be, or says nonsense."""
    return _Reading(config).network(weights)


class _Reading:
    def __init__(self, config: Mapping[str, Any]) -> None:
        self._outer = config
        inner = next((config[name] for name in _INNER if isinstance(config.get(name), Mapping)), config)
        if isinstance(inner.get("text_config"), Mapping):
            inner = inner["text_config"]
        self._config: Mapping[str, Any] = inner
        self.kind = str(inner.get("model_type") or config.get("model_type") or "")
        self.count = self.number("num_hidden_layers", "n_layer", "n_layers", "num_layers")
        if not 0 < self.count <= MAX_LAYERS:
            raise Unreadable(
                said(
                    "num_hidden_layers is {count} (valid: 1 to {most})",
                    "num_hidden_layers 是 {count}（合法取值：1 到 {most}）",
                    count=self.count,
                    most=MAX_LAYERS,
                )
            )
        self.heads = self.number("num_attention_heads", "n_head")
        self.embedding = self.number("hidden_size", "n_embd", "d_model")
        self.notes: list[Said] = []

    def network(self, weights: Weights | None) -> Network:
        layers = self._layers()
        if weights is None:
            weights = counted_weights(self, layers)
            self.notes.append(
                Said(
                    "no tensors lie beside the config: the weights are counted from its numbers",
                    "配置旁边没有张量文件：权重大小是按配置里的数算出来的",
                )
            )
            if any(isinstance(self._outer.get(key), Mapping) for key in ("vision_config", "audio_config")):
                self.notes.append(
                    Said("the parts for pictures and sound are not in that", "其中没有算处理图像和声音的部分")
                )
        return Network(
            layers,
            weights,
            architecture=self.kind,
            embedding=self.embedding,
            heads=self.heads,
            feed_forward=max(self.number("intermediate_size", "n_inner", "ffn_dim"), self.experts_at_once),
            vocabulary=self.number("vocab_size"),
            trained_context=self.number("max_position_embeddings", "n_positions", "seq_length") or None,
            notes=tuple(self.notes),
        )

    @property
    def experts_at_once(self) -> int:
        """Inner width of all experts that one token goes through."""
        each = self.number("moe_intermediate_size") or self.number("intermediate_size")
        used = self.number("num_experts_per_tok", "num_experts_per_token")
        return used * each + self.number("shared_expert_intermediate_size")

    @property
    def head_size(self) -> int:
        """Numbers of one head, as told or as the last resort."""
        told = self.number("head_dim", "kv_channels")
        return told or (self.embedding // self.heads if self.heads else 0)

    @property
    def kv_heads(self) -> int:
        return self.number("num_key_value_heads", "num_kv_heads", "multi_query_group_num", "n_head_kv") or self.heads

    @property
    def latent(self) -> tuple[int, int]:
        """Of MLA the sizes of the compressed part and of the rotated one; zeros where there is none."""
        return self.number("kv_lora_rank"), self.number("qk_rope_head_dim")

    def _layers(self) -> tuple[Layer, ...]:
        if not self.heads and not self.number("mamba_d_state", "state_size"):
            raise Unreadable(
                Said(
                    "the network has no heads: num_attention_heads is 0 or missing",
                    "网络没有注意力头：num_attention_heads 是 0，或者没有写",
                )
            )
        kinds, windows = self._kinds(), self._windows()
        own = self.count - self.number("num_kv_shared_layers")
        layers = []
        for at in range(self.count):
            kept = self._attention(windows[at]) if kinds[at] in ("attention", "both") and at < own else Layer()
            if kinds[at] in ("state", "both"):
                kept = Layer(kept.k, kept.v, kept.k_head, kept.v_head, kept.window, self._state())
            layers.append(kept)
        return tuple(layers)

    def _attention(self, window: int | None) -> Layer:
        compressed, rotated = self.latent
        if compressed:
            size = compressed + rotated
            return Layer(size, 0, size, 0, window, index=self.number("index_head_dim"))
        whole = window is None
        k = (self.number("global_head_dim") if whole else 0) or self.head_size
        heads = (self.number("num_global_key_value_heads") if whole else 0) or self.kv_heads
        if not k:
            raise Unreadable(
                Said(
                    "the size of a head is not known: neither head_dim nor hidden_size is there",
                    "不知道每个头的大小：head_dim 和 hidden_size 都没有写",
                )
            )
        v = self.number("v_head_dim") or k
        return Layer(heads * k, heads * v, k, v, window)

    def _kinds(self) -> list[str]:
        """Of each layer "attention", "state" (recurrent), "both" or "none" (it keeps nothing)."""
        if told := self._listed("layer_types", "layers_block_type"):
            return ["attention" if word in (*_FULL, *_WINDOWED) else self._other(word) for word in told]
        if interval := self.number("full_attention_interval"):
            return ["state" if (at + 1) % interval else "attention" for at in range(self.count)]
        if period := self.number("attn_layer_period"):
            offset = self.number("attn_layer_offset")
            return ["attention" if at % period == offset else "state" for at in range(self.count)]
        if self.kind in ("falcon_h1",):
            return ["both"] * self.count
        return ["attention" if self.heads else "state"] * self.count

    def _other(self, word: str) -> str:
        if word in ("linear_attention", "mamba", "conv", "recurrent"):
            return "state"
        return "both" if word in ("hybrid",) else "none"

    def _windows(self) -> Sequence[int | None]:
        window = self.number("sliding_window") or self.number("attention_chunk_size")
        told = self._listed("layer_types")
        if told:
            return [window or None if word in _WINDOWED else None for word in told]
        if not window or self._config.get("use_sliding_window") is False:
            return (None,) * self.count
        if self._config.get("use_sliding_window") is True and "max_window_layers" in self._config:
            first = self.number("max_window_layers")
            return [None if at < first else window for at in range(self.count)]
        period, whole_first = HF_PERIODS.get(self.kind, (0, False))
        period = self.number("sliding_window_pattern", "_sliding_window_pattern") or period
        if not period:
            self.notes.append(
                said(
                    "which layers of {name} have a window is not known: counted as if none had, an upper bound",
                    "不知道 {name} 的哪些层用滑动窗口：按都不用来算，数字是上限",
                    name=self.kind,
                )
            )
            return (None,) * self.count
        return [window if has else None for has in windowed(self.count, period, whole_first)]

    def _state(self) -> int:
        if kept := self.number("conv_L_cache"):
            return self.embedding * (kept - 1)
        if kernel := self.number("linear_conv_kernel_dim"):
            inner = self.number("linear_num_value_heads") * self.number("linear_value_head_dim")
            return recurrent(kernel, inner, self.number("linear_num_key_heads"), self.number("linear_key_head_dim"))
        inner = (
            self.number("mamba_d_ssm", "mamba_intermediate", "intermediate_ssm")
            or (self.number("mamba_expand", "expand") or 2) * self.embedding
        )
        groups = self.number("mamba_n_groups", "n_groups")
        return recurrent(
            self.number("mamba_d_conv", "conv_kernel"), inner, groups, self.number("mamba_d_state", "state_size")
        )

    def number(self, *names: str) -> int:
        """The first that is there and not null; 0 where none is. Raises Unreadable for what is no count."""
        for name in names:
            value = self._config.get(name)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 40:
                raise Unreadable(
                    said("{key} is {value!r}, no count", "{key} 是 {value!r}，不是个数", key=name, value=value)
                )
            return value
        return 0

    def flag(self, name: str) -> bool:
        """Whether it is true, there or around."""
        return self._config.get(name, self._outer.get(name)) is True

    def setting(self, name: str) -> Any:
        """What is told of a key here, else around."""
        return self._config.get(name, self._outer.get(name))

    def _listed(self, *names: str) -> list[str]:
        """A word for each layer. Raises Unreadable for fewer."""
        for name in names:
            value = self._config.get(name)
            if value is None:
                continue
            if not isinstance(value, list) or len(value) < self.count:
                raise Unreadable(
                    said(
                        "{key} does not say a word of each of {count} layers",
                        "{key} 没有逐一说明 {count} 层",
                        key=name,
                        count=self.count,
                    )
                )
            return [str(word) for word in value[: self.count]]
        return []
