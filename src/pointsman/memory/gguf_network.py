"""What a GGUF file's metadata says → the network, by the keys that llama.cpp reads."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pointsman.domain.said import Said, said
from pointsman.memory.network import Layer, Network, Unreadable, Weights
from pointsman.memory.tensors import Tensor, grouped, sizes
from pointsman.memory.windows import PERIODS, windowed

MAX_LAYERS = 4096
_INTERVALS = {"qwen3next": 4, "qwen35": 4, "qwen35moe": 4}  # every n-th layer has attention, the rest a state
_INDEXED = ("deepseek32", "glm-dsa")
_COMPRESSED = ("deepseek4",)
_CHUNKED = {"llama4": 8192}  # an architecture whose window is not in its files
_STATEFUL = re.compile(r"blk\.([0-9]{1,5})\.(?:ssm_|shortconv|time_mix|kda_)")

Values = Mapping[str, Any]


def gguf_network(scalars: Values, arrays: Values, tensors: Sequence[Tensor] = (), data: int = 0) -> Network:
    """`data` is the bytes that the file holds of its tensors. Raises Unreadable where the metadata does not say how large
    a KV cache would be, or says nonsense."""
    return _Reading(scalars, arrays, tensors).network(data)


class _Reading:
    def __init__(self, scalars: Values, arrays: Values, tensors: Sequence[Tensor]) -> None:
        self._scalars, self._arrays, self._tensors = scalars, arrays, tensors
        architecture = scalars.get("general.architecture")
        if not isinstance(architecture, str) or not architecture:
            raise Unreadable(Said("the file names no architecture", "文件里没有写架构（general.architecture）"))
        self.architecture = architecture
        self.count = self._number("block_count")
        if not 0 < self.count <= MAX_LAYERS:
            raise Unreadable(
                said(
                    "{key} is {count} (valid: 1 to {most})",
                    "{key} 是 {count}（合法取值：1 到 {most}）",
                    key=f"{architecture}.block_count",
                    count=self.count,
                    most=MAX_LAYERS,
                )
            )
        self.notes: list[Said] = []

    def network(self, data: int) -> Network:
        layers = self._layers()
        named = zip((tensor.name for tensor in self._tensors), sizes(self._tensors, data), strict=True)
        weights = grouped(named, self.count) if self._tensors else Weights(other=data)
        return Network(
            layers,
            weights,
            architecture=self.architecture,
            embedding=self._number("embedding_length"),
            heads=max(self._each("attention.head_count", 0)),
            feed_forward=self._feed_forward(),
            vocabulary=self._vocabulary(),
            trained_context=self._number("context_length") or None,
            notes=tuple(self.notes),
        )

    def _layers(self) -> tuple[Layer, ...]:
        heads = self._each("attention.head_count", 0)
        kv_heads = self._each("attention.head_count_kv", None)
        state, stateful = self._state(max(heads)), self._stateful(heads, kv_heads)
        if not state:
            stateful = (False,) * self.count
        windows = self._windows()
        interval = self._number("full_attention_interval") or _INTERVALS.get(self.architecture, 0)
        own = self.count - self._number("attention.shared_kv_layers") - self._number("nextn_predict_layers")
        index = self._number("attention.indexer.key_length") if self.architecture in _INDEXED else 0
        layers = []
        for at in range(self.count):
            kv = heads[at] if kv_heads[at] is None else int(kv_heads[at] or 0)
            if (interval and stateful[at]) or at >= own:
                kv = 0
            k_head, v_head = self._head_sizes(at, heads[at], windows[at] is not None) if kv else (0, 0)
            layers.append(
                Layer(
                    k=kv * k_head,
                    v=kv * v_head,
                    k_head=k_head,
                    v_head=v_head,
                    window=windows[at] if kv else None,
                    state=state if stateful[at] and at < own else 0,
                    index=index if kv else 0,
                )
            )
        if not any(layer.k or layer.state for layer in layers):
            raise Unreadable(
                said(
                    "the network has no heads: {key} is 0 or missing",
                    "网络没有注意力头：{key} 是 0，或者没有写",
                    key=f"{self.architecture}.attention.head_count",
                )
            )
        return tuple(layers)

    def _head_sizes(self, at: int, heads: int, in_window: bool) -> tuple[int, int]:
        """Of keys and of values; MLA and what is like it keeps no values of their own."""
        guess = self._number("embedding_length") // heads if heads else 0
        k = self._each("attention.key_length", 0)[at] or guess
        v = self._each("attention.value_length", 0)[at] or self._each("attention.key_length", 0)[at] or guess
        if in_window:
            k = self._number("attention.key_length_swa") or k
            v = self._number("attention.value_length_swa") or v
        if self._number("attention.key_length_mla") and self._number("attention.value_length_mla"):
            v = 0
        if self.architecture in _COMPRESSED:
            v = 0
        if not k:
            raise Unreadable(
                said(
                    "the size of a head is not known: neither {key} nor {embedding} is there",
                    "不知道每个头的大小：{key} 和 {embedding} 都没有写",
                    key=f"{self.architecture}.attention.key_length",
                    embedding=f"{self.architecture}.embedding_length",
                )
            )
        return k, v

    def _windows(self) -> tuple[int | None, ...]:
        window = self._number("attention.sliding_window") or self._number("attention.chunk_size")
        window = window or _CHUNKED.get(self.architecture, 0)
        period: int | list[int] | None
        period, whole_first = PERIODS.get(self.architecture, (None, False))
        told = self._value("attention.sliding_window_pattern")
        if isinstance(told, list) or (isinstance(told, int) and not isinstance(told, bool) and 0 <= told <= MAX_LAYERS):
            period = told
        if not window or self.architecture in _COMPRESSED:
            if self.architecture in _COMPRESSED:
                self.notes.append(
                    said(
                        "{name} compresses its cache in a way that is not counted here: the figure is an upper bound",
                        "{name} 会压缩 KV 缓存，这里没有计入：数字是上限",
                        name=self.architecture,
                    )
                )
            return (None,) * self.count
        if period is None:
            self.notes.append(
                said(
                    "which layers of {name} have a window is not known: counted as if none had, an upper bound",
                    "不知道 {name} 的哪些层用滑动窗口：按都不用来算，数字是上限",
                    name=self.architecture,
                )
            )
            return (None,) * self.count
        return tuple(window if has else None for has in windowed(self.count, period, whole_first))

    def _state(self, heads: int) -> int:
        """32-bit numbers that a recurrent layer keeps of a sequence."""
        embedding = self._number("embedding_length")
        if size := self._number("wkv.head_size"):
            return (self._number("token_shift_count") or 2) * embedding + embedding * size
        if kept := self._number("shortconv.l_cache"):
            return embedding * (kept - 1)
        kernel = self._number("ssm.conv_kernel")
        if size := self._number("kda.head_dim"):
            return 3 * max(0, kernel - 1) * heads * size + size * size * heads
        return recurrent(
            kernel, self._number("ssm.inner_size"), self._number("ssm.group_count"), self._number("ssm.state_size")
        )

    def _stateful(self, heads: Sequence[int], kv_heads: Sequence[int | None]) -> tuple[bool, ...]:
        """Which layers are recurrent: by their tensors, else by what architectures do."""
        if interval := self._number("full_attention_interval") or _INTERVALS.get(self.architecture, 0):
            return tuple((at + 1) % interval != 0 for at in range(self.count))
        names = (_STATEFUL.match(tensor.name) for tensor in self._tensors)
        found = {int(name[1]) for name in names if name}
        if self._tensors:
            return tuple(at in found for at in range(self.count))
        return tuple(not (heads[at] if kv is None else kv) for at, kv in enumerate(kv_heads))

    def _feed_forward(self) -> int:
        dense: int = max(self._each("feed_forward_length", 0))
        experts = self._number("expert_used_count") * self._number("expert_feed_forward_length")
        return max(dense, experts + self._number("expert_shared_feed_forward_length"))

    def _vocabulary(self) -> int:
        for tensor in self._tensors:
            if tensor.name in ("token_embd.weight", "output.weight") and len(tensor.shape) == 2:
                return tensor.shape[1]
        return self._number("vocab_size")

    def _value(self, key: str) -> Any:
        name = f"{self.architecture}.{key}"
        return self._scalars.get(name, self._arrays.get(name))

    def _number(self, key: str) -> int:
        """0 where the file is silent. Raises Unreadable for what is no count."""
        value: Any = self._value(key)
        if isinstance(value, list):
            value = max((item for item in value if isinstance(item, int)), default=0)
        if value is None:
            return 0
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 40:
            return int(value)
        name = f"{self.architecture}.{key}"
        raise Unreadable(said("{key} is {value!r}, no count", "{key} 是 {value!r}，不是个数", key=name, value=value))

    def _each(self, key: str, missing: Any) -> list[Any]:
        """Of each layer: the one number of all, or its own. Raises Unreadable for fewer numbers than layers."""
        value = self._value(key)
        if not isinstance(value, list):
            return [missing if value is None else self._number(key)] * self.count
        self._number(key)
        if len(value) < self.count or any(
            isinstance(item, bool) or not isinstance(item, int) or item < 0 for item in value
        ):
            raise Unreadable(
                said(
                    "{key} has {found} numbers for {count} layers, or some that are no counts",
                    "{key} 给了 {found} 个数，而网络有 {count} 层，或者其中有的不是个数",
                    key=f"{self.architecture}.{key}",
                    found=len(value),
                    count=self.count,
                )
            )
        return list(value[: self.count])


def recurrent(kernel: int, inner: int, groups: int, state: int) -> int:
    """Numbers of a state space layer: the tail of its convolution, and the state."""
    return max(0, kernel - 1) * (inner + 2 * groups * state) + state * inner
